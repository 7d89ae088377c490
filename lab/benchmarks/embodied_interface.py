"""The tasks of the Embodied Agent Interface (Li et al. 2024): read, its gold plans judged, its goals solved.

    python -m lab.benchmarks.embodied_interface FOLDER [--seconds 30] [--every N]

``FOLDER`` is a checkout of the repository embodied-agent-interface. For each of its two domains it says how many tasks
are read and with which warnings, how many gold plans our replay and VAL call valid, and how many goals gbfs reaches;
each task that is refused, each gold plan that is not valid and each goal that is not reached is named, with the reason:
which parts of the goal cannot be reached on their own, or that they exclude each other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import commonsense_planning as cplan
from commonsense_planning.errors import CplanError, Status
from commonsense_planning.pddl.evaluation import conjuncts
from commonsense_planning.pddl.plan import Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem, with_text
from commonsense_planning.pddl.variants import rewritten, spelt
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search
from commonsense_planning.state import make_state
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.lexicon import Lexicon

RESOURCES = Path("src") / "virtualhome_eval" / "resources"


def solved(problem: Problem, seconds: float) -> tuple[cplan.Plan | None, Status]:
    """A plan of gbfs, and how the search ended."""
    task = Task(problem, None, Lexicon())
    ground, compiled = task.relevant
    found = alternating_search(compiled, make_state(compiled, ground.init), Limits(seconds))
    return None if found.operators is None else ground.plan(found.operators), found.status


def why_not(problem: Problem, seconds: float) -> str:
    """Which parts of a goal cannot be reached on their own."""
    parts = list(dict.fromkeys(conjuncts(problem.tarski.goal)))
    alone = list[str]()
    for part in parts:
        try:
            text = spelt(problem, part)
        except AttributeError:
            continue  # not an atom
        text_of = rewritten(problem, goal=text)
        if solved(with_text(problem, text_of), seconds)[1] is Status.UNSOLVABLE:
            alone.append(text)
    return f"not even on its own: {', '.join(alone)}" if alone else "its parts exclude each other, or all takes longer"


def judged(domain: Path, file: Path, gold: list[str] | None, seconds: float, counts: Counter[str]) -> Iterator[str]:
    """Count what became of a task, and tell what is wrong with it."""
    counts["tasks"] += 1
    try:
        problem = read_problem(domain, file)
    except CplanError as error:
        yield f"refused: {str(error).splitlines()[0][-160:]}"
        return
    counts["read"] += 1
    counts["read with a warning"] += bool(problem.warnings)
    if gold is not None:
        plan = cplan.Plan(tuple(Step(name, tuple(words)) for name, *words in map(str.split, gold)))
        report, theirs = replay(problem, plan), validate_with_val(problem, plan)
        counts["gold plans"] += 1
        counts["gold plans valid"] += report.verdict is Verdict.VALID
        counts[f"gold plans, VAL: {theirs.verdict}"] += 1
        if report.verdict is not Verdict.VALID:
            yield f"its gold plan is wrong: {report.finding[:160]}"
    found, status = solved(problem, seconds)
    if found is not None and replay(problem, found).verdict is Verdict.VALID:
        counts["solved"] += 1
        counts[f"solved, VAL: {validate_with_val(problem, found).verdict}"] += 1
    else:
        counts[f"not solved: {status}"] += 1
        yield f"no plan ({status}): {why_not(problem, seconds)}"


def main(arguments: list[str] | None = None) -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=30.0, help="of a search")
    parser.add_argument("--every", type=int, default=1, help="each so-many-th task")
    given = parser.parse_args(arguments)
    for name in ("virtualhome", "behavior"):
        folder = given.folder / RESOURCES / name
        gold = json.loads((folder / "gold_pddl_plan.json").read_text())
        counts: Counter[str] = Counter()
        for file in sorted((folder / "problem_pddl").rglob("*.pddl"))[:: given.every]:
            for told in judged(folder / f"{name}.pddl", file, gold.get(file.stem), given.seconds, counts):
                where = file.relative_to(folder / "problem_pddl").with_suffix("")
                print(f"{name} {where}: {told}", flush=True)
        print(f"{name}: {dict(counts)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
