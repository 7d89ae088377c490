"""Whether VirtualHome's own executor accepts our plans: the ten tasks, a reach for every movable, random walks.

    python -m lab.benchmarks.virtualhome_agreement [FOLDER] [SCENE...]

FOLDER holds ``TestScene1_graph.json`` and so on; SCENE are their numbers (1 if none are given). Needs VirtualHome:
``make virtualhome``.

- **Tasks.** Each of the ten tasks in the imported scene: the plan of greedy best-first search, as a script in the
  executor, and the executor's last graph against the goal.
- **Reach.** Each movable that lies somewhere: walk there, open it if it is closed, grab. Our domain says that this
  can be done, since one is near what lies on or inside what one walked to.
- **Wandering.** 60 random plans of 30 steps, each step an action that our domain allows: first one of the kinds of
  action that are possible, evenly, then one of that kind. The executor's refusals are counted by their reasons.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from commonsense_lab.studies.homes.scene_graph import SceneGraph, load_graph
from commonsense_lab.studies.virtualhome.home import SceneHome, import_home, render_home
from commonsense_lab.studies.virtualhome.judge import Judgement, graph_at_first, judge
from commonsense_lab.studies.virtualhome.script import execute, to_script, version
from commonsense_lab.studies.virtualhome.tasks import TASKS, HouseholdTask

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.kernels.engine import applicable, progress
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.best_first import BestFirst
from tests.data import REPOSITORY, data_root

DATA = data_root() / "virtualhome"
DOMAIN = REPOSITORY / "pddl" / "virtualhome" / "domain.pddl"


NOTHING = HouseholdTask("nothing", "nothing", "(exists (?l - lightswitch) (switched-on ?l))", None)
"""A task for a problem whose goal does not matter."""
NODE = re.compile(r"<[^>]*> \(\d+\)")
WALKS, STEPS, SEED = 60, 30, 0


@dataclass(frozen=True)
class Judged:
    """A task, our plan for it, and what VirtualHome says."""

    task: HouseholdTask
    plan: Plan
    judgement: Judgement


def judge_tasks(scene: SceneGraph, folder: Path) -> Iterator[Judged]:
    """Each of the ten tasks that the scene has the things for. ``folder`` is for the problem files."""
    home, _ = import_home(scene)
    for task in TASKS:
        try:
            problem = _problem(home, task, folder)
        except InputError:  # the scene has no salmon, say
            continue
        grounded = ground(problem)
        compiled = compile_task(grounded)
        found = BestFirst(compiled).gbfs(make_state(compiled, grounded.init))
        assert found.operators is not None, task.name
        plan = Plan(tuple(map(grounded.step, found.operators)))
        yield Judged(task, plan, judge(problem, plan, scene))


def reach(scene: SceneGraph, folder: Path) -> list[tuple[str, str]]:
    """For each movable that lies somewhere: its name, and why VirtualHome cannot grab it there; empty if it can."""
    home, _ = import_home(scene)
    items = {item.name: item for item in home.items}
    plans = {}
    for item in home.items:
        if item.movable and item.place is not None:
            place = items[item.place[1]]
            shut = item.place[0] == "inside" and not place.opened
            steps = [Step("walk-to-fixture", (place.name,)), *[Step("open", (place.name,))] * shut]
            plans[item.name] = Plan((*steps, Step("grab", (item.name,))))
    problem = _problem(home, NOTHING, folder)
    scripts = [[line.text for line in to_script(problem, plan).lines] for plan in plans.values()]
    ended = execute(graph_at_first(problem, scene)[0], scripts)
    return [(name, end.reason) for name, end in zip(plans, ended, strict=True)]


def wander(scene: SceneGraph, folder: Path, rng: np.random.Generator) -> tuple[int, Counter[str]]:
    """The number of lines that VirtualHome carried out of random plans, and why it refused others (action: reason)."""
    problem = _problem(import_home(scene)[0], NOTHING, folder)
    grounded = ground(problem)
    compiled = compile_task(grounded)
    steps = [grounded.step(operator) for operator in range(compiled.operator_count)]
    kinds = np.array([step.action for step in steps])
    buffer = np.zeros(compiled.operator_count, np.int32)
    scripts = []
    for _ in range(WALKS):
        state = make_state(compiled, grounded.init)
        walk = []
        for _ in range(STEPS):
            possible = buffer[: applicable(compiled.table, state, buffer)]
            kind = rng.choice(np.unique(kinds[possible]))
            operator = int(rng.choice(possible[kinds[possible] == kind]))
            progress(compiled.table, state, operator)
            walk.append(steps[operator])
        scripts.append([line.text for line in to_script(problem, Plan(tuple(walk))).lines])
    ended = execute(graph_at_first(problem, scene)[0], scripts)
    reasons: Counter[str] = Counter()
    for script, end in zip(scripts, ended, strict=True):
        if end.reason:
            reasons[f"{script[end.done].split()[0]}: {NODE.sub('X', end.reason)}"] += 1
    return sum(end.done for end in ended), reasons


def main(folder: Path, scenes: list[str]) -> None:
    """Print the three measures for each scene."""
    print(f"VirtualHome {version()}")
    for number in scenes:
        scene = load_graph(folder / f"TestScene{number}_graph.json")
        print(f"\nTestScene{number}\n")
        print("| task | steps | script | VirtualHome | |\n|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as scratch:
            for judged in judge_tasks(scene, Path(scratch)):
                report, script = judged.judgement.report, judged.judgement.script
                lines = len(script.lines) if script else "–"
                cells = (judged.task.name, len(judged.plan), lines, report.verdict, report.reason)
                print(f"| {' | '.join(map(str, cells))} |", flush=True)
            reasons = reach(scene, Path(scratch))
            done, refused = wander(scene, Path(scratch), np.random.default_rng(SEED))
        failed = [(name, reason) for name, reason in reasons if reason]
        print(f"\nReach: {len(reasons) - len(failed)} of {len(reasons)} movables can be grabbed where we say they are.")
        for name, reason in failed:
            print(f"- {name}: {reason}")
        print(f"\nWandering: {done} lines carried out, {sum(refused.values())} of {WALKS} walks refused at some line.")
        for reason, count in refused.most_common():
            print(f"- {count} times {reason}")


def _problem(home: SceneHome, task: HouseholdTask, folder: Path) -> Problem:
    file = folder / f"{task.name}.pddl"
    file.write_text(render_home(home, task.name, task, ""), encoding="utf-8")
    return read_problem(DOMAIN, file)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA, sys.argv[2:] or ["1"])
