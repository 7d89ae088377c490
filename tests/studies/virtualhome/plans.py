"""Plans of the virtualhome domain: written by hand, and shortest ones of the ten tasks, in a home with what matters."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from commonsense_planning.grounding.grounding import ground
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.plan import Plan, parse_plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.studies.virtualhome.home import SceneHome, render_home
from commonsense_planning.studies.virtualhome.tasks import HouseholdTask
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "virtualhome"
DOMAIN = PACK / "domain.pddl"
TOOLS = {"sink", "faucet", "microwave", "toaster"}
"""What may help though no formula names it."""


def plan_of(*steps: str) -> Plan:
    """A plan of steps without parentheses: ``plan_of("grab salmon_1", "standup")``."""
    return parse_plan("".join(f"({step})\n" for step in steps), Path("plan"))


def what_matters(home: SceneHome, task: HouseholdTask) -> SceneHome:
    """The things of the classes that the task names, what they lie on or inside, and the tools. Other things can
    serve no end of the task, so the shortest plans are those of the whole home."""
    kinds = TOOLS | set(re.findall(r"- (\w+)", task.goal + (task.failure or "")))
    names = {item.name for item in home.items if item.kind in kinds}
    names |= {item.place[1] for item in home.items if item.name in names and item.place is not None}
    items = tuple(item for item in home.items if item.name in names)
    return replace(home, items=items, fills=tuple(pair for pair in home.fills if names.issuperset(pair)))


def shortest_plan(home: SceneHome, task: HouseholdTask, folder: Path) -> Plan:
    """A plan of fewest actions, by A* without a heuristic."""
    file = folder / f"{task.name}.pddl"
    file.write_text(render_home(what_matters(home, task), task.name, task, ""), encoding="utf-8")
    grounded = ground(read_problem(DOMAIN, file))
    compiled = compile_task(grounded)
    result = BestFirst(compiled, Blind(compiled)).astar(make_state(compiled, grounded.init))
    assert result.operators is not None
    return Plan(tuple(grounded.step(o) for o in result.operators))
