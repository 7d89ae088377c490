"""Free text to admissible names."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.language.matching import LexicalMatcher

PLACES = ("inside fridge", "inside kitchen cabinet", "on bathroom counter", "on kitchen table")


@pytest.mark.parametrize(
    "text", ["walk to the kitchen", "Fridge", "a", "the", "cabinet 2", "küche", "冰箱", "pick-up a"]
)
def test_equal_texts_have_similarity_one(text: str) -> None:
    assert LexicalMatcher().similarities(text, (text,)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("inside the fridge", 0),
        ("The fridge.", 0),
        ("INSIDE KITCHEN CABINET", 1),
        ("kitchen cabinets", 1),
        ("It is probably on the kitchen table!", 3),
        ("bathroom counter", 2),
    ],
)
def test_an_answer_finds_its_place(text: str, place: int) -> None:
    assert LexicalMatcher().best(text, PLACES) == place


@pytest.mark.parametrize("text", ["", "???", "who could say", "xyzzy"])
def test_nonsense_finds_nothing(text: str) -> None:
    assert LexicalMatcher().best(text, PLACES) is None


def test_without_options_there_is_no_best() -> None:
    assert LexicalMatcher().best("fridge", ()) is None
    assert LexicalMatcher().similarities("fridge", ()).shape == (0,)


def test_the_first_of_equals_is_best() -> None:
    assert LexicalMatcher().best("fridge", ("oven", "fridge", "fridge")) == 1


def test_similarities_are_cosines() -> None:
    found = LexicalMatcher().similarities(
        "put the apple on the table", [*PLACES, "put the apple on the table"]
    )
    assert ((found >= -1e-6) & (found <= 1 + 1e-6)).all()
    assert int(np.argmax(found)) == 4
    assert found.dtype == np.float64


def test_small_words_and_case_do_not_count() -> None:
    found = LexicalMatcher().similarities("put apple on table", ("Put the apple on a table",))
    assert found == pytest.approx(1.0)
