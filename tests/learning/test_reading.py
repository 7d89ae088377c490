"""Which sentences a policy reads."""

from __future__ import annotations

import pytest

from commonsense_planning.learning.reading import Reader, names

INSTRUCTION = "Put one apple inside the fridge and two toothbrushes on the bathroom counter"


def test_names_of_an_instruction() -> None:
    assert names(INSTRUCTION) == ("apple", "fridge", "toothbrushes", "bathroom counter")


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("an apple is on the kitchen table", True),
        ("a fridge is inside the kitchen", True),
        ("the fridge is closed", True),
        ("a toothbrush is inside the bathroom cabinet", True),
        ("the robot is in the kitchen", True),
        ("the robot's hand is empty", True),
        ("the robot is not in the kitchen", False),
        ("the apple is an apple", False),
        ("a plum is inside the fridge", False),
        ("a bathroom is inside the home", False),
        ("a counter is inside the kitchen", False),
    ],
)
def test_what_is_about_a_named_thing_is_read(sentence: str, read: bool) -> None:
    assert Reader(INSTRUCTION).read([sentence]) == [sentence] * read


def test_later_the_robot_is_no_news() -> None:
    reader = Reader(INSTRUCTION)
    seen = ["the robot is in the kitchen", "an apple is on the stove", "an apple is on the stove"]
    assert reader.read(seen) == seen[:2]
    assert reader.read(seen) == seen[1:2]
