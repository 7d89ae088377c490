"""Apartments: random ones are sound and repeatable, bad ones are refused, problems say what they mean."""

from __future__ import annotations

import random

import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import (
    Apartment,
    Furniture,
    Movable,
    Placing,
    class_goal,
    place_goal,
    render_problem,
)
from commonsense_planning.studies.homes.random_apartment import (
    CONTAINERS,
    PLACEMENTS,
    ROOMS,
    SURFACES,
    random_apartment,
)

FRIDGE = Furniture("fridge_1", "kitchen", Placing.INSIDE, openable=True)
BASKET = Furniture("basket_1", "kitchen", Placing.INSIDE)
TABLE = Furniture("table_1", "kitchen", Placing.ON)
APPLE = Movable("apple_1", "apple", "table_1")


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("size", [(0, 0, 0), (1, 0, 1), (3, 2, 2), (110, 16, 20), (250, 100, 50)])
def test_a_random_apartment_has_the_size_asked_for(size: tuple[int, int, int]) -> None:
    movables, containers, surfaces = size
    home = random_apartment(random.Random(1), movables=movables, containers=containers, surfaces=surfaces)
    relations = [piece.relation for piece in home.furniture]
    assert (len(home.movables), relations.count(Placing.INSIDE), relations.count(Placing.ON)) == size
    assert all(movable.place is not None for movable in home.movables)


def test_equal_seeds_give_equal_apartments() -> None:
    homes = [
        random_apartment(random.Random(seed), movables=90, containers=20, surfaces=20) for seed in (5, 5, 6)
    ]
    assert homes[0] == homes[1] != homes[2]


def test_things_lie_where_the_list_says_if_that_stands_there() -> None:
    home = random_apartment(random.Random(3), movables=200, containers=15, surfaces=16)
    for movable in home.movables:
        assert movable.place is not None
        assert movable.place.rpartition("_")[0] in PLACEMENTS[movable.kind]


def test_furniture_stands_in_rooms_that_fit() -> None:
    home = random_apartment(
        random.Random(3), movables=20, containers=30, surfaces=30, rooms=("kitchen", "bathroom")
    )
    for piece in home.furniture:
        assert piece.room in {**CONTAINERS, **SURFACES}[piece.name.rpartition("_")[0]]
        assert piece.room in ("kitchen", "bathroom")


def test_the_lists_name_only_what_is_declared() -> None:
    furniture = {**CONTAINERS, **SURFACES}
    assert len(furniture) == len(CONTAINERS) + len(SURFACES)
    assert {room for rooms in furniture.values() for room in rooms} <= set(ROOMS)
    assert {place for places in PLACEMENTS.values() for place in places} <= set(furniture)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"movables": -1, "containers": 1, "surfaces": 1}, "-1 movables"),
        ({"movables": 1, "containers": 0, "surfaces": 0}, "0 containers, 0 surfaces"),
        ({"movables": 1, "containers": 1, "surfaces": 1, "rooms": ("cellar",)}, "cellar"),
    ],
)
def test_sizes_that_make_no_apartment_are_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        random_apartment(random.Random(0), **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"furniture": (TABLE, TABLE)}, "table_1"),
        ({"robot_room": "attic"}, "attic"),
        ({"furniture": (Furniture("table_1", "attic", Placing.ON),)}, "attic"),
        ({"movables": (Movable("apple_1", "apple", "shelf_9"),)}, "shelf_9"),
        ({"movables": (Movable("apple", "apple", "table_1"),)}, "used twice: apple"),
        ({"held": "apple_1"}, "apple_1"),
    ],
)
def test_apartments_that_contradict_themselves_are_refused(changes: dict[str, object], message: str) -> None:
    fine: dict[str, object] = {
        "rooms": ("kitchen",),
        "furniture": (TABLE,),
        "movables": (APPLE,),
        "robot_room": "kitchen",
    }
    with pytest.raises(InputError, match=message):
        Apartment(**{**fine, **changes})  # type: ignore[arg-type]


def test_a_problem_says_what_the_apartment_is() -> None:
    lost, held = Movable("salmon_1", "salmon", None), Movable("mug_1", "mug", None)
    home = Apartment(("kitchen",), (FRIDGE, BASKET, TABLE), (APPLE, lost, held), "kitchen", "mug_1")
    text = flat(render_problem(home, "p", "(inside apple_1 fridge_1)", "A comment."))
    assert text.startswith("; A comment. (define (problem p) (:domain household)")
    assert "kitchen - room fridge_1 basket_1 - container table_1 - surface" in text
    assert "apple_1 salmon_1 mug_1 - movable apple salmon mug - class)" in text
    assert "(in-room kitchen) (holding mug_1) (located" in text
    assert "(openable fridge_1) (opened basket_1) (instance-of" in text
    assert text.endswith("(on apple_1 table_1)) (:goal (inside apple_1 fridge_1)))")


def test_long_texts_are_broken_between_atoms() -> None:
    home = random_apartment(random.Random(2), movables=150, containers=20, surfaces=20)
    goal = class_goal(Placing.INSIDE, "apple", ["fridge_1"], 3)
    lines = render_problem(home, "p", goal, "word " * 60).splitlines()
    assert max(map(len, lines)) <= 110
    assert all(line.count("(") == line.count(")") for line in lines if line.startswith("    (located"))


def test_goals_for_classes() -> None:
    either = place_goal(Placing.ON, "book_1", ["desk_1", "bed_1"])
    assert either == "(or (on book_1 desk_1) (on book_1 bed_1))"
    assert class_goal(Placing.INSIDE, "apple", ["fridge_1"], 2) == (
        "(exists (?m1 ?m2 - movable) (and (instance-of ?m1 apple) (instance-of ?m2 apple) (not (= ?m1 ?m2))"
        " (inside ?m1 fridge_1) (inside ?m2 fridge_1)))"
    )
