"""Graphs as homes of the virtualhome domain: their items, and the paper's apartment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.homes.scene_graph import SceneGraph, load_graph
from commonsense_lab.studies.homes.scene_import import NO_OPTIONS, ImportOptions
from commonsense_lab.studies.virtualhome.home import Item, SceneHome, import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import TASKS, HouseholdTask
from commonsense_planning.errors import InputError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from lab.tests.studies.homes.any_graph import SOURCE, graphs
from lab.tests.studies.homes.test_scene_import import FLAT, graph
from lab.tests.studies.virtualhome.plans import LENGTHS, problem_in, shortest_plan
from tests.data import shared_data


def items(scene: SceneGraph, options: ImportOptions = NO_OPTIONS) -> dict[str, Item]:
    return {item.name: item for item in import_home(scene, options)[0].items}


def test_classes_get_the_properties_that_the_recording_lacks() -> None:
    found = items(graph(FLAT), ImportOptions(add_properties={"curtains": ["has_plug"]}))
    assert "HAS_PLUG" in found["curtains_21"].properties
    with pytest.raises(InputError, match="lacks: unicorn"):
        import_home(graph(FLAT), ImportOptions(add_properties={"unicorn": ["GRABBABLE"]}))


def test_a_faucet_fills_the_nearest_sink_of_its_room() -> None:
    rows = [*FLAT, (50, "sink", "Furniture", "", "", "INSIDE 1"), (51, "sink", "Furniture", "", "", "INSIDE 2")]
    boxes = {
        13: {"center": [5, 1, 5], "size": [1, 1, 1]},
        25: {"center": [0, 1, 0], "size": [1, 1, 1]},
        50: {"center": [1, 1, 0], "size": [1, 1, 1]},
        51: {"center": [0, 1, 0], "size": [1, 1, 1]},
    }
    assert import_home(graph(rows, boxes))[0].fills == (("faucet_25", "sink_50"),)


def test_two_things_may_be_held() -> None:
    hands = "INSIDE 2, HOLDS_RH 33, HOLDS_LH 30"
    rows = [(*row[:5], hands if row[1] == "character" else row[5]) for row in FLAT]
    home, _ = import_home(graph(rows))
    assert home.held == ("plate_33", "salmon_30")
    text = render_home(home, "p", HouseholdTask("p", "p", "(exists (?a - apple) (eaten ?a))"), "")
    assert "(held plate_33)" in text
    assert "(near salmon_30)" in text
    assert "(hand-free)" not in text


def test_a_thing_is_in_the_room_of_its_support() -> None:
    astray = (50, "ball", "Props", "GRABBABLE", "", "INSIDE 1, ON 16")
    assert items(graph([*FLAT, astray]))["ball_50"].room == "livingroom_2"


@given(graphs(), st.data())
def test_any_graph_gives_a_problem_that_grounds_or_a_located_reason(scene: SceneGraph, data: st.DataObject) -> None:
    try:
        home, _ = import_home(scene)
    except InputError as error:
        assert str(error).startswith(f"{SOURCE}: ")  # noqa: PT017 - either is fine
        return
    if home.items:
        kind = data.draw(st.sampled_from(sorted(home.members())))
        ground(problem_in(home, HouseholdTask("any", "any", f"(exists (?x - {kind}) (near ?x))")))


@pytest.fixture(scope="module")
def apartment() -> SceneHome:
    return import_home(load_graph(shared_data("virtualhome") / "TestScene1_graph.json"))[0]


@pytest.mark.data
def test_the_paper_s_apartment_keeps_all_its_things(apartment: SceneHome) -> None:
    assert len(apartment.items) == 432
    assert len(apartment.rooms) == 4
    assert apartment.fills == (("faucet_43", "sink_42"), ("faucet_232", "sink_231"))
    assert {"salmon_311", "microwave_297"} <= {item.name for item in apartment.items}


@pytest.mark.data
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_is_solvable_in_the_paper_s_apartment(apartment: SceneHome, task: HouseholdTask) -> None:
    plan = shortest_plan(apartment, task)
    assert len(plan) == {**LENGTHS, "microwave-salmon": 5}[task.name]  # it lies on the microwave there
    assert validate_with_val(problem_in(apartment, task), plan).verdict is Verdict.VALID
