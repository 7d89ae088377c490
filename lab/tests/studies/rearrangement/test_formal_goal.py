"""Formal goals: read back as written, and errors at their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.rearrangement.goal_reader import (
    GoalTerm,
    parse_formal_goal,
    render_formal_goal,
    terms_of_answer,
)
from commonsense_planning.errors import FormalGoalError, InputError

words = st.text(st.characters(exclude_categories=("Z", "C"), exclude_characters="(),"), min_size=1, max_size=8)
names = st.lists(words, min_size=1, max_size=3).map(" ".join)
relations = st.text("ABCXYZ-_09", min_size=1, max_size=9)
terms = st.builds(GoalTerm, relations, names, names, st.integers(1, 999_999))


@given(st.lists(terms, min_size=1, max_size=5))
def test_a_goal_reads_back(goal: list[GoalTerm]) -> None:
    text = render_formal_goal(goal)
    assert parse_formal_goal(text) == tuple(goal)
    assert parse_formal_goal("Formal goal: " + text.replace(",", " ,\n ").replace(")-(", " )\n-\n( ")) == tuple(goal)


@given(st.text("(),-12 aIN\n", max_size=30))
def test_any_text_is_a_goal_or_a_located_error(text: str) -> None:
    try:
        parse_formal_goal(text)
    except FormalGoalError as error:
        lines = text.split("\n")
        assert 1 <= error.place.line <= len(lines)
        assert 1 <= error.place.column <= len(lines[error.place.line - 1]) + 1


@pytest.mark.parametrize(("text", "goal"), [
    ("(inside, apple, fridge)", (GoalTerm("INSIDE", "apple", "fridge"),)),
    ("(On, plate,kitchen   table, 02)", (GoalTerm("ON", "plate", "kitchen table", 2),)),
    ("formal GOAL :\n(AT, 7, b, 1)", (GoalTerm("AT", "7", "b"),)),
    ("(at-home, sao-paulo, x)-(IN, 2 b, c, 3)", (GoalTerm("AT-HOME", "sao-paulo", "x"), GoalTerm("IN", "2 b", "c", 3))),
])  # fmt: skip
def test_sloppy_goals_are_tolerated(text: str, goal: tuple[GoalTerm, ...]) -> None:
    assert parse_formal_goal(text) == goal


@pytest.mark.parametrize(("text", "line", "column", "problem", "expected"), [
    ("", 1, 1, "unexpected the end", "'('"),
    ("put it there", 1, 1, "unexpected 'put it there'", "'('"),
    ("(INSIDE, apple)", 1, 15, "unexpected ')'", "','"),
    ("(INSIDE, apple, fridge, two)", 1, 25, "unexpected 'two'", "a count from 1"),
    ("(INSIDE, apple, fridge, 0)", 1, 25, "unexpected '0'", "a count from 1"),
    ("(INSIDE, , fridge)", 1, 10, "unexpected ','", "a name"),
    ("(INSIDE, apple, fridge, 1", 1, 26, "unexpected the end", "')'"),
    ("(INSIDE, apple, fridge, 1)\n(ON, a, b, 1)", 2, 1, "unexpected '('", "'-' or the end"),
    ("(INSIDE, apple, fridge, 1)-", 1, 28, "unexpected the end", "'('"),
    ("(IN, a, b, 1)-\n  (IN, a (b), c, 1)", 2, 10, "unexpected '('", "','"),
])  # fmt: skip
def test_errors_are_located(text: str, line: int, column: int, problem: str, expected: str) -> None:
    with pytest.raises(FormalGoalError) as caught:
        parse_formal_goal(text)
    error = caught.value
    assert isinstance(error, InputError)
    assert (error.place.line, error.place.column) == (line, column)
    assert problem in error.problem
    assert expected in error.expected
    if text:
        assert str(error).endswith(f"\n    {text.split(chr(10))[line - 1]}\n    {' ' * (column - 1)}^")


APPLE, PLATE = GoalTerm("INSIDE", "apple", "fridge", 2), GoalTerm("ON", "plate", "kitchen table")


@pytest.mark.parametrize(("answer", "goal"), [
    ("Sure! Formal goal: (INSIDE, apple, fridge, 2). I hope this helps.", (APPLE,)),
    ("1. (INSIDE, apple, fridge, 2)\n2. (ON, plate, kitchen table, 1)", (APPLE, PLATE)),
    ("- `(INSIDE, apple, fridge, 2)`\n- `(ON, plate, kitchen table)`", (APPLE, PLATE)),
    ("(INSIDE, apple, fridge, 2) and (ON, plate, kitchen table, 1)", (APPLE, PLATE)),
    ("Goal: put two apples…\nFormal goal: (INSIDE, apple, fridge, 2)\nGoal: next\nFormal goal: (A, b, c, 1)", (APPLE,)),
    ("The goal (a formal one) is (INSIDE, apple, fridge, 2)", None),
])  # fmt: skip
def test_a_goal_is_found_in_what_models_write_around_it(answer: str, goal: tuple[GoalTerm, ...] | None) -> None:
    if goal is None:
        with pytest.raises(FormalGoalError):
            terms_of_answer(answer)
    else:
        assert terms_of_answer(answer) == goal


@pytest.mark.parametrize("answer", [
    "",
    "Pon dos manzanas en la nevera.",
    "(INSIDE, apple, fridge, 2)-(ON, plate",
    "(INSIDE, apple, fridge, 2)-(ON, plate)",
    "(INSIDE, apple, fridge, 2)-" * 4000,
    "x" * 100_000,
    "(" * 100_000,
])  # fmt: skip
def test_no_part_of_a_goal_is_passed_over(answer: str) -> None:
    with pytest.raises(FormalGoalError):
        terms_of_answer(answer)
