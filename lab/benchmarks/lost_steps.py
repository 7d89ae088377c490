"""Where the steps go: the recorded plans of the rearrangement tasks, taken apart.

    python -m lab.benchmarks.lost_steps         # writes lab/docs/data/large-model/lost.jsonl, for the page
    python -m lab.benchmarks.lost_steps FILE    # prints the tails of the rows of cplan bench rearrangement in FILE

Each plan is carried out once more in its task, without a model. Until what is known is enough for a plan to the goal,
an agent is looking; from there on it has a tail, which is compared with a cheapest one (A* with h_max, in at most
EVALUATIONS states).
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement.episode_tasks import Drawing

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.errors import Status
from commonsense_planning.heuristics.delete_relaxation import HMax
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.task import Task
from lab.benchmarks.large_model import Rows, rows, tails
from lab.benchmarks.recordings import FIRST, ROWS, keep

METHODS = ("mcts", "policy", "replan")
EVALUATIONS = 50_000


def taken_apart(task: Task, plan: list[str]) -> dict[str, Any]:
    """``looking``: steps until a plan to the goal is known; ``opened``: containers until then; ``tail``: the steps of a
    cheapest plan from there, None where none was proven; ``wasted``: those of the agent beyond it."""
    ground, compiled = task.seen_in_part
    environment, belief = Environment(compiled, ground.init), Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, environment.look())
    named = defaultdict(list)
    for operator in range(ground.operator_count):
        named[str(ground.step(operator))].append(operator)
    planner = BestFirst(compiled)
    looking = 0
    while planner.gbfs(belief.state(), Limits(evaluations=3000)).status is not Status.SOLVED:
        step, looking = plan[looking], looking + 1
        operator = next(o for o in named[step] if belief.transition.is_applicable(belief.state(), o))
        belief.update(operator, environment.step(operator))
    found = BestFirst(compiled, HMax(compiled)).astar(belief.state(), limits=Limits(evaluations=EVALUATIONS))
    tail = len(found.operators) if found.status is Status.SOLVED and found.operators is not None else None
    opened = sum(step.startswith("(open-container") for step in plan[:looking])
    wasted = None if tail is None else len(plan) - looking - tail
    return {"steps": len(plan), "looking": looking, "opened": opened, "tail": tail, "wasted": wasted}


def lost(found: Rows) -> Rows:
    """A row for each task: the steps of who knows everything, and each method's plan taken apart."""
    tasks: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for row in found:
        tasks[row["task"]][row["variant"]] = row
    made = []
    for name, row in tasks.items():
        one, index = row["expert"], int(name.rsplit("-", 1)[1])
        pack = pack_named("household").folder
        task = Drawing(one["home"], TaskSetting(one["setting"]), index, one["seed"], None, pack).task()[1]
        plans = {method: row[method]["plan"] for method in METHODS if method in row}
        parts = {method: taken_apart(task, plan) for method, plan in plans.items() if plan}
        made.append({"task": name, "expert": one["steps"], **parts})
    return made


if __name__ == "__main__":
    if sys.argv[1:]:
        print(tails(lost([json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()])))
    else:
        keep(ROWS[FIRST] / "lost.jsonl", lost(rows("rearrangement")))
