"""Plans of the virtualhome domain: written by hand, and shortest ones of the ten tasks, in a home of few things."""

import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

from commonsense_lab.studies.homes.household import Placing
from commonsense_lab.studies.virtualhome.home import PREDICATES, Item, SceneHome, render_home
from commonsense_lab.studies.virtualhome.tasks import TASKS, VARIANTS, HouseholdTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.plan import Plan, parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.support.reading import Text
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "virtualhome"
DOMAIN = PACK / "domain.pddl"
TOOLS = {"sink", "faucet", "microwave", "toaster"}
"""Things that may help though no formula names them."""
STATES = tuple(task for task in VARIANTS if task.states)
LENGTHS = dict(
    zip((task.name for task in (*TASKS, *STATES)), (3, 2, 5, 5, 5, 5, 6, 6, 6, 7, 2, 4, 4, 5, 5), strict=True)
)
"""Task → how many actions its shortest plans have in the apartment that ships."""


def plan_of(*steps: str) -> Plan:
    """A plan of steps without parentheses: ``plan_of("grab salmon_1", "standup")``."""
    return parse_plan("".join(f"({step})\n" for step in steps), Path("plan"))


@cache
def shipped_home() -> SceneHome:
    """The apartment of the pack's problems, as the one whose task changes nothing in it says."""
    text = (PACK / "problems" / "turn-off-light.pddl").read_text(encoding="utf-8")
    facts = defaultdict[str, list[list[str]]](list)
    for predicate, *arguments in map(str.split, re.findall(r"\(([^():]+)\)", text.partition("(:init")[2])):
        facts[predicate].append(arguments)
    rooms = tuple(dict.fromkeys(room for _, room in facts["located"]))
    of = {name: {first for first, *_ in there} for name, there in facts.items() if all(there)}
    places = {x: (placing, y) for placing in Placing for x, y in facts[placing]}

    def item(name: str, room: str) -> Item:
        properties = {word for word, predicate in PREDICATES.items() if name in of.get(predicate, ())}
        states = {word for word, fact in (("OPEN", "opened"), ("ON", "switched-on")) if name in of[fact]}
        states |= {"PLUGGED_OUT"} if "HAS_PLUG" in properties and name not in of["plugged-in"] else set()
        kind = name.rpartition("_")[0]
        return Item(name, kind, frozenset(properties), frozenset(states), room, places.get(name))

    items = tuple(item(name, room) for name, room in (*facts["located"], *facts["in-room"]))
    return SceneHome(rooms, items, facts["character-in"][0][0], fills=tuple((a, b) for a, b in facts["fills"]))


def what_matters(home: SceneHome, task: HouseholdTask) -> SceneHome:
    """The things of the classes that the task names, what they lie on or inside, and the tools. Other things can
    serve no end of the task, so the shortest plans are those of the whole home."""
    kinds = TOOLS | set(re.findall(r"- (\w+)", task.goal + (task.failure or "")))
    names = {item.name for item in home.items if item.kind in kinds}
    names |= {item.place[1] for item in home.items if item.name in names and item.place is not None}
    items = tuple(item for item in home.items if item.name in names)
    return replace(home, items=items, fills=tuple(pair for pair in home.fills if names.issuperset(pair)))


def problem_in(home: SceneHome, task: HouseholdTask) -> Problem:
    """The task in the home."""
    return read_problem(DOMAIN, Text(render_home(home, task.name, task, "")))


def shortest_plan(home: SceneHome, task: HouseholdTask) -> Plan:
    """A plan of fewest actions, by A* without a heuristic."""
    grounded = ground(problem_in(what_matters(home, task), task))
    compiled = compile_task(grounded)
    result = BestFirst(compiled, Blind(compiled)).astar(make_state(compiled, grounded.init))
    assert result.operators is not None
    return Plan(tuple(grounded.step(o) for o in result.operators))
