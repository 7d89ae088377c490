"""Apartments: bad ones are refused, problems say what they mean."""

from commonsense_lab.studies.homes.household import Apartment, Furniture, Movable, Placing, class_goal, render_problem
from lab.benchmarks.performance.homes import random_home

FRIDGE = Furniture("fridge_1", "kitchen", Placing.INSIDE, openable=True)
BASKET = Furniture("basket_1", "kitchen", Placing.INSIDE)
TABLE = Furniture("table_1", "kitchen", Placing.ON)
APPLE = Movable("apple_1", "apple", "table_1")


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_problem_describes_its_apartment() -> None:
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
    home = random_home(150, 20, 20)
    goal = class_goal(Placing.INSIDE, "apple", ["fridge_1"], 3)
    lines = render_problem(home, "p", goal, "word " * 60).splitlines()
    assert max(map(len, lines)) <= 110
    assert all(line.count("(") == line.count(")") for line in lines if line.startswith("    (located"))
