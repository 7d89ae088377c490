"""IPC plan files, read and written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import InputError, PddlError
from commonsense_planning.pddl.plan import Plan, Step, parse_plan, read_plan, render_plan, write_plan

FILE = Path("some.plan")
NAMES = st.text("abcXYZ019_-@", min_size=1, max_size=6)
STEPS = st.builds(lambda name, arguments: Step(name, tuple(arguments)), NAMES, st.lists(NAMES, max_size=4))


def test_a_plan_file_gives_steps_and_cost() -> None:
    text = "; a comment\n(walk-to-room Kitchen)\n\n  ( noop )  ; why not\n; cost = 7 (unit cost)\n"
    assert parse_plan(text, FILE) == Plan((Step("walk-to-room", ("Kitchen",)), Step("noop")), 7.0)


def test_time_stamps_and_durations_are_stepped_over() -> None:
    text = "0: (a x) [1]\n1.5: (b)[0.001]\n"
    assert parse_plan(text, FILE).steps == (Step("a", ("x",)), Step("b"))


@pytest.mark.parametrize("text", [
    "(go b1, c1)\n(pick v1 ,c1)",
    "(go b1 c1)(pick v1 c1)",
    "0: (go b1 c1) [1] 1: (pick v1 c1) [1]",
    "2.000: (pick v1 c1) [1]\n0.000: (go b1 c1) [1]",
])  # fmt: skip
def test_plans_are_read_as_val_reads_them(text: str) -> None:
    assert [str(step) for step in parse_plan(text, Path("plan"))] == ["(go b1 c1)", "(pick v1 c1)"]


def test_an_empty_file_is_the_empty_plan() -> None:
    assert parse_plan("", FILE) == Plan(())


@pytest.mark.parametrize(("text", "line", "column"), [
    ("(a)\nnonsense", 2, 1),
    ("(a b", 1, 1),
    ("(a (b))", 1, 1),
    ("  ()", 1, 5),
    ("(a) b", 1, 5),
    ("1: (a)\n1: (b)", 2, 4),
    ("2: (a)\n(b)\n1: (c)", 3, 4),
    ("0: (a)\n0: (b)", 2, 4),
    ("(define (domain d))", 1, 1),
])  # fmt: skip
def test_nonsense_is_an_error_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(PddlError) as caught:
        parse_plan(text, FILE)
    assert (caught.value.place.line, caught.value.place.column) == (line, column)
    assert caught.value.expected


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read_plan(path)


def test_bytes_that_are_no_text_are_an_error_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_bytes(b"(a)\n(b \xff)\n")
    with pytest.raises(PddlError) as caught:
        read_plan(path)
    assert (caught.value.place.line, caught.value.place.column) == (2, 4)


def test_the_cost_line_says_which_kind_of_cost() -> None:
    plan = Plan((Step("a"), Step("b", ("x",))), cost=9.5)
    assert render_plan(plan) == "(a)\n(b x)\n; cost = 2 (unit cost)\n"
    assert render_plan(plan, general_cost=True) == "(a)\n(b x)\n; cost = 9.5 (general cost)\n"
    assert render_plan(Plan(()), general_cost=True) == ""


def test_a_large_cost_keeps_its_digits() -> None:
    assert "cost = 12345678 " in render_plan(Plan((), 12345678.0), general_cost=True)


def test_a_plan_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_plan(Plan(()), tmp_path / "no" / "such" / "folder")


@given(st.lists(STEPS, max_size=5))
def test_what_is_written_is_read_again(steps: list[Step]) -> None:
    plan = Plan(tuple(steps), float(len(steps)))
    assert parse_plan(render_plan(plan), FILE) == plan
