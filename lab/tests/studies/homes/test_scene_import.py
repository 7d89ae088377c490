"""Importing scenes: nodes, relations and goals, and the recorded apartments."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.homes.scene_graph import SceneGraph, load_graph, parse_graph
from commonsense_lab.studies.homes.scene_import import ImportOptions, SceneNames, import_scene, scene_apartment
from commonsense_planning.errors import InputError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from lab.tests.studies.homes.any_graph import SOURCE, graphs
from tests.data import shared_data
from tests.scripted import HOUSEHOLD

SCENES = ["TestScene1", "TestScene2", "TestScene3", "TestScene4"]

# id, class, category, properties, states, relations "RELATION id"
FLAT = [
    (1, "kitchen", "Rooms", "", "", ""),
    (2, "livingroom", "Rooms", "", "", ""),
    (3, "character", "Characters", "", "", "INSIDE 2"),
    (4, "floor", "Floor", "", "", "INSIDE 1"),
    (5, "wall", "Walls", "", "", "INSIDE 1"),
    (10, "fridge", "Appliances", "CAN_OPEN CONTAINERS", "CLOSED", "INSIDE 1"),
    (11, "kitchentable", "Furniture", "SURFACES", "", "INSIDE 1, ON 18"),
    (12, "kitchencounter", "Furniture", "SURFACES", "CLOSED", "INSIDE 1"),
    (13, "sink", "Furniture", "CONTAINERS", "", "INSIDE 1, INSIDE 12"),
    (14, "kitchencabinets", "Furniture", "", "OPEN", "INSIDE 1"),
    (15, "sofa", "Furniture", "SITTABLE LIEABLE", "", "INSIDE 2"),
    (16, "coffeetable", "Furniture", "SURFACES", "", "INSIDE 2"),
    (17, "bookshelf", "Furniture", "", "", "INSIDE 2"),
    (18, "rug", "Decor", "SURFACES", "", "INSIDE 1"),
    (19, "closet", "Furniture", "CAN_OPEN CONTAINERS", "CLOSED", "INSIDE 2"),
    (20, "closetdrawer", "Furniture", "", "", "INSIDE 2, INSIDE 19"),
    (21, "curtains", "Furniture", "CAN_OPEN COVER_OBJECT", "CLOSED", "INSIDE 2"),
    (22, "desk", "Furniture", "SURFACES", "", "INSIDE 2"),
    (23, "mousemat", "Props", "SURFACES", "", "INSIDE 2, ON 22"),
    (24, "coffeetable", "Furniture", "SURFACES", "", "INSIDE 1"),
    (25, "faucet", "Furniture", "HAS_SWITCH", "", "INSIDE 1"),
    (30, "salmon", "Food", "GRABBABLE", "", "INSIDE 1, ON 10"),
    (31, "apple", "Food", "GRABBABLE", "", "INSIDE 2, ON 16, INSIDE 15"),
    (32, "apple", "Food", "GRABBABLE", "", "INSIDE 1, INSIDE 10"),
    (33, "plate", "Props", "GRABBABLE", "", "INSIDE 1, ON 11, ON 18"),
    (34, "apple", "Food", "GRABBABLE", "", "INSIDE 1, ON 33"),
    (35, "book", "Props", "GRABBABLE", "CLOSED", "INSIDE 2, INSIDE 17"),
    (36, "sponge", "Props", "GRABBABLE", "", "INSIDE 1, INSIDE 12, INSIDE 13"),
    (37, "towel", "Props", "GRABBABLE", "", "INSIDE 2, INSIDE 19, INSIDE 20"),
    (38, "mouse", "Props", "GRABBABLE", "", "INSIDE 2, ON 22, ON 23"),
    (39, "ball", "Props", "GRABBABLE", "", "INSIDE 1, ON 4"),
    (40, "picture", "Decor", "GRABBABLE", "", "INSIDE 1, ON 5"),
    (41, "mug", "Props", "GRABBABLE", "", "INSIDE 1, ON 12, INSIDE 12"),
    (42, "dishbowl", "Props", "GRABBABLE", "", "INSIDE 1, ON 43"),
    (43, "dishbowl", "Props", "GRABBABLE", "", "INSIDE 1, ON 42"),
    (44, "cupcake", "Food", "", "", "INSIDE 1, ON 11"),
    (45, "slippers", "Props", "GRABBABLE", "", "INSIDE 1, ON 18, ON 4"),
]
GOAL = "(inside salmon fridge)"


Rows = list[tuple[int, str, str, str, str, str]]


def graph(rows: Rows, boxes: dict[int, Any] | None = None) -> SceneGraph:
    return parse_graph(graph_json(rows, boxes))


def graph_json(rows: Rows, boxes: dict[int, Any] | None = None) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = []
    edges = []
    for number, name, category, properties, states, relations in rows:
        node: dict[str, Any] = {"id": number, "class_name": name, "category": category}
        node |= {"properties": properties.split(), "states": states.split()}
        nodes.append(node | ({"bounding_box": boxes[number]} if boxes and number in boxes else {}))
        for relation in filter(None, relations.split(", ")):
            kind, target = relation.split()
            edges.append({"from_id": number, "relation_type": kind, "to_id": int(target)})
    return {"nodes": nodes, "edges": edges}


def test_properties_can_be_added_by_class() -> None:
    options = ImportOptions(add_properties={"Cupcake": ["grabbable"]})
    apartment, _ = scene_apartment(graph(FLAT), options)
    assert "cupcake_44" in {m.name for m in apartment.movables}
    with pytest.raises(InputError, match="lacks: unicorn"):
        import_scene(graph(FLAT), GOAL, ImportOptions(add_properties={"unicorn": ["GRABBABLE"]}))


def test_the_start_room() -> None:
    assert scene_apartment(graph(FLAT), ImportOptions(room="kitchen"))[0].robot_room == "kitchen_1"
    with pytest.raises(InputError, match="no room 'attic'; it has kitchen_1, livingroom_2"):
        import_scene(graph(FLAT), GOAL, ImportOptions(room="attic"))
    empty = [row for row in FLAT if row[1] != "character"]
    apartment, warnings = scene_apartment(graph(empty))
    assert apartment.robot_room == "kitchen_1"
    assert "no character in a room: the robot starts in kitchen_1" in warnings


def test_things_in_the_characters_hands_are_held() -> None:
    hands = "INSIDE 2, HOLDS_RH 33, HOLDS_LH 30"
    rows = [(*row[:5], hands if row[1] == "character" else row[5]) for row in FLAT]
    scene = import_scene(graph(rows), GOAL)
    assert "(holding plate_33)" in scene.text
    assert "(hand-empty)" not in scene.text
    assert {m.name: m.place for m in scene_apartment(graph(rows))[0].movables}["plate_33"] is None
    assert any("one hand" in warning for warning in scene.warnings)


def test_things_without_a_relation_are_placed_by_their_boxes() -> None:
    rows = [
        (1, "kitchen", "Rooms", "", "", ""),
        (2, "shelf", "Furniture", "SURFACES", "", "INSIDE 1"),
        (3, "plate", "Props", "GRABBABLE", "", "INSIDE 1"),
        (4, "clock", "Props", "GRABBABLE", "", "INSIDE 1"),
        (5, "ball", "Props", "GRABBABLE", "", "INSIDE 1"),
        (6, "mug", "Props", "GRABBABLE", "", ""),
    ]
    boxes = {
        1: {"center": [0, 1.25, 0], "size": [6, 2.5, 6]},
        2: {"center": [0, 0.5, 0], "size": [1, 1, 1]},
        3: {"center": [0.2, 1.03, 0], "size": [0.2, 0.05, 0.2]},
        4: {"center": [2.9, 2, 0], "size": [0.1, 0.3, 0.3]},
        5: {"center": [2, 0.2, 2], "size": [0.3, 0.3, 0.3]},
    }
    apartment, warnings = scene_apartment(graph(rows, boxes))
    places = {m.name: m.place for m in apartment.movables}
    assert places == {"plate_3": "shelf_2", "clock_4": "wall_kitchen_1", "ball_5": "floor_kitchen_1"}
    assert "mug_6 is in no room: left out" in warnings


@pytest.mark.parametrize(("goal", "pddl"), [
    ("(inside salmon_30 fridge_10)", "(inside salmon_30 fridge_10)"),
    ("(on salmon_30 fridge)", "(on salmon_30 fridge_top_10)"),
    ("(on salmon_30 closet_19)", "(on salmon_30 closet_top_19)"),
    ("(inside book_35 kitchencounter)", "(inside book_35 kitchencounter_inside_12)"),
    ("(on book_35 coffeetable)", "(or (on book_35 coffeetable_16) (on book_35 coffeetable_24))"),
    ("(ON Salmon Bookshelf)", "(exists (?m1 - movable) (and (instance-of ?m1 salmon) (on ?m1 bookshelf_17)))"),
    (
        "(inside apple fridge 2)",
        "(exists (?m1 ?m2 - movable) (and (instance-of ?m1 apple) (instance-of ?m2 apple)"
        " (not (= ?m1 ?m2)) (inside ?m1 fridge_10) (inside ?m2 fridge_10)))",
    ),
    ("(and (inside plate_33 fridge) (and (on mug_41 sofa)))", "(and (inside plate_33 fridge_10) (on mug_41 sofa_15))"),
    ("(on ball_39 floor)", "(on ball_39 floor_kitchen_1)"),
])  # fmt: skip
def test_goals_become_pddl(goal: str, pddl: str) -> None:
    text = import_scene(graph(FLAT), goal).text
    assert " ".join(text.partition("(:goal")[2].split()) == f"{pddl}))"


@pytest.mark.parametrize(("goal", "message"), [
    ("", "there is nothing to read"),
    ("salmon", "the goal:1:1: unexpected 'salmon' at the start"),
    ("(", "never closed"),
    ("(and)", "asks for nothing"),
    ("(and (inside apple fridge)", "never closed"),
    ("(and apple)", "cannot be read at apple"),
    ("(" * 5000, "nested more than 100 deep"),
    ("(and " * 5000, "nested more than 100 deep"),
    ("(inside apple fridge", "never closed"),
    ("(inside apple fridge) (on apple sofa)", "follows on line 1"),
    ("(near apple fridge)", r"cannot be read at \(near apple fridge\)"),
    ("(inside apple)", "expected"),
    ("(inside apple (on fridge))", "cannot be read"),
    ("(inside apple fridge many)", "the count 'many'"),
    ("(inside apple fridge 0)", "the count '0'"),
    ("(inside apple fridge 9)", "asks for 9 of apple; the scene has 3"),
    ("(inside salmon_30 fridge 2)", "one thing"),
    ("(inside aple fridge)", "nothing movable is called 'aple'; did you mean apple"),
    ("(inside apple frige)", "no furniture is called 'frige'; did you mean fridge"),
    ("(inside apple kitchencabinet)", "did you mean kitchencabinets"),
    ("(inside zzz fridge)", "nothing movable is called 'zzz'$"),
    ("(inside fridge fridge)", "has fridge, but it cannot be grabbed"),
    ("(inside cupcake fridge)", "add the property GRABBABLE"),
    ("(inside apple bookshelf)", r"inside bookshelf; use \(on apple bookshelf\)"),
    ("(on apple sink_99)", "no furniture is called 'sink_99'; did you mean sink"),
    ("(on apple curtains)", "nothing can be put on it"),
])  # fmt: skip
def test_goals_that_make_no_sense_are_refused(goal: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        import_scene(graph(FLAT), goal)


def test_scenes_without_rooms_or_movables_are_refused() -> None:
    with pytest.raises(InputError, match="no room"):
        import_scene(graph([]), GOAL)
    with pytest.raises(InputError, match="nothing in the scene can be moved"):
        import_scene(graph(FLAT[:3]), GOAL)


@given(graphs(), st.data())
def test_any_graph_gives_a_problem_that_grounds_or_a_located_reason(scene: SceneGraph, data: st.DataObject) -> None:
    try:
        apartment, _ = scene_apartment(scene)
    except InputError as error:
        assert str(error).startswith(f"{SOURCE}: ")  # noqa: PT017 - either is fine
        return
    names = SceneNames.of(apartment, ())
    places = [(way, place) for way, table in names.places.items() for place in table]
    wishes = [f"({way} {thing} {place})" for way, place in places for thing in names.things]
    if wishes:
        text = import_scene(scene, data.draw(st.sampled_from(wishes))).text
        ground(read_problem(HOUSEHOLD / "domain.pddl", Text(text)))


def test_things_of_a_very_long_stack_are_where_its_lowest_thing_is() -> None:
    table = (11, "table", "Furniture", "SURFACES", "", "INSIDE 1")
    below = {number: number + 1 for number in range(100, 1200)} | {1200: 11}
    stack = [(i, "plate", "Props", "GRABBABLE", "", f"INSIDE 1, ON {below[i]}") for i in below]
    apartment, _ = scene_apartment(graph([*FLAT[:6], table, *stack]))
    assert {m.place for m in apartment.movables} == {"table_11"}


def test_drinks_without_grabbable_are_movable() -> None:
    water = (50, "bottle_water", "Food", "DRINKABLE POURABLE CAN_OPEN", "CLOSED", "INSIDE 1, ON 11")
    apartment, warnings = scene_apartment(graph([*FLAT, water]))
    assert ("bottlewater_50", "kitchentable_11") in {(m.name, m.place) for m in apartment.movables}
    assert "1 things to eat, drink or pour without GRABBABLE: taken as movable" in warnings


def test_a_second_character_is_left_out_and_furniture_is_not_held() -> None:
    rows = [(*row[:5], "HOLDS_RH 10, HOLDS_LH 33" if row[1] == "character" else row[5]) for row in FLAT]
    more = [*rows, (51, "character", "Characters", "", "", "INSIDE 1, HOLDS_RH 31")]
    apartment, warnings = scene_apartment(graph(more))
    assert (apartment.robot_room, apartment.held) == ("kitchen_1", "apple_31")
    assert "2 characters: the robot is character_51" in warnings
    apartment, warnings = scene_apartment(graph(rows))
    assert apartment.held == "plate_33"
    assert "fridge_10 is held and cannot be grabbed: taken as not held" in warnings


@pytest.mark.data
@pytest.mark.parametrize("name", SCENES)
def test_recorded_apartments_import(name: str) -> None:
    recorded = load_graph(shared_data("virtualhome") / f"{name}_graph.json")
    scene = import_scene(recorded, "(and (inside plate microwave) (on book nightstand))")
    apartment, _ = scene_apartment(recorded)
    assert scene.counts["rooms"] >= 4
    assert scene.counts["movables"] >= 80
    assert scene.counts["containers"] >= 15
    assert all(m.place is not None for m in apartment.movables)
    fallen = [m.name for m in apartment.movables if m.place is not None and m.place.startswith("floor_")]
    assert len(fallen) <= 5, fallen
    places = {m.name: m.place for m in apartment.movables}
    if name == "TestScene1":
        assert places["salmon_311"] == "microwave_top_297"
        assert places["apple_421"] == "coffeetable_355"
