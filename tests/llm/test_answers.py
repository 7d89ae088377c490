"""What is read out of a model's answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.matching.answers import LONGEST, MOST, first_action, listed, places, text_of


@pytest.mark.parametrize(
    ("answer", "phrases"),
    [
        ("Inside fridge, On kitchen table.", ["Inside fridge", "On kitchen table"]),
        ("Answer: inside the fridge", ["inside the fridge"]),
        ("inside fridge or on the table", ["inside fridge", "on the table"]),
        ("- **inside fridge**\n- on table", ["inside fridge", "on table"]),
        ("1. inside fridge\n2) on table", ["inside fridge", "on table"]),
        ('["inside fridge", "on table"]', ["inside fridge", "on table"]),
        ("Here are the places:\ninside fridge", ["inside fridge"]),
        ("", []),
        (" \n..\n", []),
        ("im Kühlschrank", ["im Kühlschrank"]),
    ],
)
def test_places(answer: str, phrases: list[str]) -> None:
    assert list(places(answer)) == phrases


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("Next actions: grab the apple, walk to the fridge, done.", "grab the apple"),
        ("Sure! Here is the plan:\n1) walk to the kitchen\n2) open the fridge", "walk to the kitchen"),
        ("walk to the kitchen. Then open the fridge.", "walk to the kitchen"),
        ("- `open the fridge`", "open the fridge"),
        ("put the salt and pepper on the table", "put the salt and pepper on the table"),
        ("", ""),
    ],
)
def test_first_action(answer: str, action: str) -> None:
    assert first_action(answer) == action


def test_only_so_much_is_read() -> None:
    assert len(text_of("x" * 100_000)) == LONGEST
    assert len(listed(", ".join(["inside fridge"] * 1000))) == MOST


@given(st.text())
def test_any_text_is_survived(answer: str) -> None:
    assert all(phrase.strip() for phrase in places(answer))
    assert first_action(answer) in {"", *listed(answer)}
