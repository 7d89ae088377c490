"""Preconditions and effects of the virtualhome domain, in a small home."""

import pytest

from commonsense_lab.studies.homes.household import Placing
from commonsense_lab.studies.virtualhome.home import Item, SceneHome
from commonsense_lab.studies.virtualhome.tasks import HouseholdTask
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.validation.replay import run
from lab.tests.studies.virtualhome.plans import plan_of, problem_in

TASK = HouseholdTask("eat", "eat apple", "(exists (?a - apple) (eaten ?a))")


def item(name: str, properties: str = "", states: str = "", room: str = "kitchen", at: str = "") -> Item:
    place = (Placing(at.split()[0]), at.split()[1]) if at else None
    return Item(name, name.split("_")[0], frozenset(properties.split()), frozenset(states.split()), room, place)


HOME = SceneHome(
    ("kitchen", "bathroom"),
    (
        item("table_1", "SURFACES"),
        item("fridge_1", "CAN_OPEN CONTAINERS", "CLOSED"),
        item("microwave_1", "CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG", "OPEN OFF"),
        item("sink_1", "CONTAINERS RECIPIENT"),
        item("faucet_1", "HAS_SWITCH", "OFF"),
        item("sofa_1", "SITTABLE SURFACES"),
        item("radio_1", "GRABBABLE HAS_SWITCH HAS_PLUG", "PLUGGED_OUT", at="on table_1"),
        item("apple_1", "GRABBABLE EATABLE", at="on table_1"),
        item("apple_2", "GRABBABLE EATABLE", at="inside fridge_1"),
        item("plate_1", "GRABBABLE", at="on table_1"),
        item("toothpaste_1", "GRABBABLE CAN_OPEN POURABLE", "CLOSED", "bathroom"),
        item("toothbrush_1", "GRABBABLE RECIPIENT", "", "bathroom"),
    ),
    "kitchen",
    fills=(("faucet_1", "sink_1"),),
)


@pytest.fixture(scope="module")
def problem() -> Problem:
    return problem_in(HOME, TASK)


def after(problem: Problem, steps: str) -> set[str]:
    """The facts after the steps (separated by commas); ``stuck`` is one of them if a step cannot be done."""
    outcome = run(problem, plan_of(*map(str.strip, steps.split(","))))
    facts = {" ".join(map(str, atom)) for atom in outcome.state}
    return facts | ({"stuck"} if outcome.report.step is not None else set())


WALK = "walk-to-fixture"
BRUSHING = "walk-to-movable toothpaste_1, grab toothpaste_1, open toothpaste_1, walk-to-movable toothbrush_1, "


@pytest.mark.parametrize(("steps", "facts"), [
    # near: what one walks to, what lies on it, what it lies on; held things stay near
    (f"{WALK} table_1", "near table_1, near apple_1, near radio_1"),
    ("walk-to-movable apple_1", "near table_1, near apple_1, not near radio_1"),
    (f"{WALK} table_1, {WALK} sink_1", "near sink_1, not near table_1, not near apple_1"),
    (f"{WALK} table_1, grab apple_1, {WALK} sink_1", "near apple_1, held apple_1, not on apple_1 table_1"),
    (f"{WALK} table_1, walk-to-room bathroom", "character-in bathroom, not character-in kitchen, not near table_1"),
    ("walk-to-movable toothbrush_1", "character-in bathroom, not character-in kitchen"),
    # what is behind a door
    (f"{WALK} fridge_1", "near fridge_1, not near apple_2, shut-away apple_2"),
    (f"{WALK} fridge_1, open fridge_1", "near apple_2, opened fridge_1, not shut-away apple_2"),
    (f"{WALK} fridge_1, open fridge_1, close fridge_1", "not near apple_2, shut-away apple_2"),
    (f"{WALK} fridge_1, open fridge_1, {WALK} sink_1, walk-to-movable apple_2", "near fridge_1, near apple_2"),
    ("walk-to-movable apple_2", "stuck"),
    # two hands
    (f"{WALK} table_1, grab apple_1", "hand-free, not hands-empty"),
    (f"{WALK} table_1, grab apple_1, grab plate_1", "not hand-free"),
    (f"{WALK} table_1, grab apple_1, grab plate_1, grab radio_1", "stuck, not held radio_1"),
    (f"{WALK} table_1, grab apple_1, grab plate_1, drop plate_1", "hand-free, in-room plate_1 kitchen"),
    (f"{WALK} table_1, grab apple_1, placeon apple_1 table_1", "hands-empty, on apple_1 table_1, near apple_1"),
    (f"{WALK} table_1, grab apple_1, grab plate_1, {WALK} fridge_1, open fridge_1", "stuck"),
    # carrying things to another room
    ("walk-to-movable toothbrush_1, grab toothbrush_1", "not in-room toothbrush_1 bathroom"),
    (f"walk-to-movable toothbrush_1, grab toothbrush_1, {WALK} table_1, placeon toothbrush_1 table_1",
     "in-room toothbrush_1 kitchen, on toothbrush_1 table_1, not in-room toothbrush_1 bathroom"),
    # heat, when it turns on
    (f"{WALK} table_1, grab apple_1, {WALK} microwave_1, putin apple_1 microwave_1, switchon microwave_1",
     "heated apple_1, switched-on microwave_1"),
    (f"{WALK} table_1, grab apple_1, {WALK} microwave_1, switchon microwave_1, putin apple_1 microwave_1",
     "inside apple_1 microwave_1, not heated apple_1"),
    (f"{WALK} microwave_1, close microwave_1, switchon microwave_1, open microwave_1", "stuck"),
    # plugs
    (f"{WALK} table_1, switchon radio_1", "stuck"),
    (f"{WALK} table_1, plugin radio_1, switchon radio_1", "switched-on radio_1"),
    (f"{WALK} microwave_1, switchon microwave_1, plugout microwave_1", "stuck"),
    # water
    (f"{WALK} faucet_1, switchon faucet_1", "filled sink_1"),
    (f"{WALK} faucet_1, switchon faucet_1, switchoff faucet_1", "not filled sink_1"),
    (f"{WALK} table_1, grab plate_1, {WALK} sink_1, wash plate_1", "stuck"),
    (f"{WALK} faucet_1, switchon faucet_1, {WALK} table_1, grab plate_1, {WALK} sink_1, wash plate_1",
     "washed plate_1, clean plate_1"),
    (f"{WALK} table_1, wipe plate_1", "stuck"),
    (f"{WALK} table_1, grab apple_1, wipe plate_1", "clean plate_1, not washed plate_1"),
    # toothpaste is opened in the hand, with the other hand free
    ("walk-to-movable toothpaste_1, open toothpaste_1", "stuck"),
    ("walk-to-movable toothpaste_1, grab toothpaste_1, open toothpaste_1", "opened toothpaste_1"),
    (
        "walk-to-movable toothbrush_1, grab toothbrush_1, walk-to-movable toothpaste_1, grab toothpaste_1, "
        "open toothpaste_1",
        "stuck, held toothpaste_1",
    ),
    (f"{BRUSHING}pour toothpaste_1 toothbrush_1, grab toothbrush_1, use toothbrush_1", "used toothbrush_1"),
    ("walk-to-movable toothpaste_1, grab toothpaste_1, pour toothpaste_1 toothbrush_1", "stuck"),
    # sitting
    (f"{WALK} sofa_1, sit sofa_1", "sitting, sitting-on sofa_1"),
    (f"{WALK} sofa_1, sit sofa_1, {WALK} table_1", "stuck"),
    (f"{WALK} sofa_1, sit sofa_1, standup, {WALK} table_1", "near table_1, not sitting-on sofa_1"),
])  # fmt: skip
def test_actions(problem: Problem, steps: str, facts: str) -> None:
    found = after(problem, steps)
    wanted = {fact.removeprefix("not "): not fact.startswith("not ") for fact in facts.split(", ")}
    assert {fact: fact in found for fact in wanted} == wanted
    assert ("stuck" in wanted) == ("stuck" in found)


def test_a_home_in_other_states() -> None:
    states = {i.name: i.states for i in HOME.with_states({"fridge": "OPEN", "microwave": "CLOSED", "tv": "ON"}).items}
    assert [states[name] for name in ("fridge_1", "microwave_1")] == [{"OPEN"}, {"CLOSED", "OFF"}]
