"""What there is to look at, and plans to it."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.grounding.ground_task import Goal, lists_of
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import holds
from commonsense_planning.search.aims import Aims
from commonsense_planning.search.looking import Looks, Way
from tests.scripted import HOUSEHOLD, World, small_apple


def looks_of(world: World) -> Looks:
    return Looks(world.task, world.compiled, world.belief)


def actions(world: World, operators: tuple[int, ...]) -> list[str]:
    return [str(world.task.step(o)).strip("()") for o in operators]


def ways(world: World, looks: Looks, state: State) -> dict[str, Way]:
    """The ways from a state, by the action that they end with."""
    return {actions(world, way.operators)[-1]: way for way in looks.ways(state) if way is not None}


def test_the_looks_of_a_household_are_its_rooms_and_closed_places() -> None:
    world = small_apple()
    looks = looks_of(world)
    found = ways(world, looks, looks.here())
    opened = {"open-container fridge", "open-container kitchencabinet"}
    assert set(found) == {"walk-to-room kitchen"} | opened
    for name in opened:
        assert actions(world, found[name].operators)[0] == "walk-to-room kitchen"


def test_only_what_the_goal_needs_is_wanted() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    looks = looks_of(world)
    names = {str(world.task.fact_step(int(world.belief.groups.row(g)[0]))).split()[1] for g in looks.wanted}
    assert names == {"apple_1", "toothbrush_1"}
    assert looks.needed.tolist() == [0b11]


def test_of_two_mugs_one_is_enough() -> None:
    looks = looks_of(World(HOUSEHOLD / "problems" / "any-mug.pddl"))
    assert len(looks.wanted) > 1
    assert sorted(looks.needed.tolist()) == [1 << i for i in range(len(looks.wanted))]


def test_what_is_seen_on_the_way_is_said_with_the_step() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    looks = looks_of(world)
    way = ways(world, looks, looks.here())["open-container fridge_1"]
    assert actions(world, way.operators) == [
        "walk-to-room kitchen",
        "walk-to-place fridge_1 kitchen",
        "open-container fridge_1",
    ]
    assert [after for after, _ in way.sights] == [1, 3]
    kitchen, fridge = (cell for _, cell in way.sights)
    assert looks.cell_of[world.facts["on apple_1 kitchencounter_1"]] == kitchen
    assert looks.cell_of[world.facts["inside apple_1 fridge_1"]] == fridge
    seen = world.facts["inside apple_1 fridge_1"] + 64 * world.compiled.half
    assert holds(way.end, seen) and not holds(looks.here(), seen)


def test_what_was_looked_at_is_no_longer_there_to_look_at() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    looks = looks_of(world)
    before = ways(world, looks, looks.here())
    world.do("walk-to-room kitchen", "walk-to-place fridge_1 kitchen", "open-container fridge_1")
    after = ways(world, looks, looks.here())
    assert set(before) - set(after) == {"walk-to-room kitchen", "open-container fridge_1"}


def test_a_chart_serves_all_states_that_looking_leads_to() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    looks = looks_of(world)
    first = looks.chart(looks.here())
    world.do("walk-to-room bathroom", "walk-to-place bathroomcabinet_1 bathroom", "open-container bathroomcabinet_1")
    assert looks.chart(looks.here()) is first
    world.do("walk-to-place bathroomcounter_1 bathroom", "grab-from-surface toothbrush_1 bathroomcounter_1")
    assert looks.chart(looks.here()) is not first


def test_what_is_nowhere_is_lost() -> None:
    world = World(HOUSEHOLD / "problems" / "missing-salmon.pddl")
    looks = looks_of(world)
    assert looks.lost(world.belief.state()) == ""
    (wanted,) = looks.wanted
    members = world.belief.groups.row(wanted)
    known = world.belief.state().copy()
    for fact in members.tolist():
        known[world.compiled.half + fact // 64] |= np.uint64(1) << np.uint64(fact % 64)
    assert looks.lost(known) == f"group {wanted} is in none of the {len(members)} places"


def test_each_aim_has_its_own_plan() -> None:
    world = small_apple()
    task, compiled = world.task, world.compiled
    rooms = [world.facts[name] for name in ("in-room kitchen", "in-room bedroom") if name in world.facts]
    near = [fact for name, fact in world.facts.items() if name.startswith("near ")]
    conditions = [[fact] for fact in rooms + near]
    aims = Aims(task, compiled, Goal(lists_of(conditions), lists_of([] for _ in conditions)))
    state = world.belief.state()
    for _ in range(2):
        for aim, (fact,) in enumerate(conditions):
            plan = aims.plan(state, aim)
            assert plan is not None and aims.reachable(state, aim)
            assert bool(plan) != holds(state, fact)
            assert len(aims.shorter_plan(state, aim) or ()) <= len(plan)


@pytest.mark.parametrize("problem", ["demo", "two-apples", "set-table"])
def test_ways_can_be_followed(problem: str) -> None:
    world = World(HOUSEHOLD / "problems" / f"{problem}.pddl")
    looks = looks_of(world)
    here = looks.here()
    for way in looks.ways(here):
        if way is not None:
            assert looks.follow(here, way.operators) is not None
            assert way.sights and way.sights[-1][0] <= len(way.operators)
