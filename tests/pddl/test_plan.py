"""IPC plan files, read and written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.plan import Plan, Step, parse_plan, read_plan, render_plan

FILE = Path("some.plan")
NAMES = st.text("abcXYZ019_-@", min_size=1, max_size=6)
STEPS = st.builds(lambda name, arguments: Step(name, tuple(arguments)), NAMES, st.lists(NAMES, max_size=4))


@pytest.mark.parametrize(("text", "steps", "cost"), [
    ("", "", None),
    ("; a comment\n(walk-to-room Kitchen)\n\n  ( noop )  ; why not\n; cost = 7 (unit cost)\n",
     "(walk-to-room Kitchen) (noop)", 7.0),
    ("0: (a x) [1]\n1.5: (b)[0.001]\n", "(a x) (b)", None),
    ("(go b1, c1)\n(pick v1 ,c1)", "(go b1 c1) (pick v1 c1)", None),  # as VAL reads it, and so are those below
    ("(go b1 c1)(pick v1 c1)", "(go b1 c1) (pick v1 c1)", None),
    ("0: (go b1 c1) [1] 1: (pick v1 c1) [1]", "(go b1 c1) (pick v1 c1)", None),
    ("2.000: (pick v1 c1) [1]\n0.000: (go b1 c1) [1]", "(go b1 c1) (pick v1 c1)", None),
    ("1: (b)\n0: (a) [1]\n0: (c) [1]", "(a) (c) (b)", None),  # as in the file where the times are the same
    ("\ufeff(go\r\n  b1 ; to\r\n  c1)\r\n", "(go b1 c1)", None),
    ("((go b1 c1)\n (noop))", "(go b1 c1) (noop)", None),
    ("```pddl\n(go b1 c1)\n```\n", "(go b1 c1)", None),
    ("```\ngo(b1, c1)\n```", "(go b1 c1)", None),
    ("ff: found legal plan as follows\n\nstep    0: GO B1 C1\n        1: NOOP\n     \n\ntime spent:    0.00 seconds\n",
     "(GO B1 C1) (NOOP)", None),
    ("0: GO B1 C1\n1: NOOP\nplan cost: 2.00", "(GO B1 C1) (NOOP)", None),
    ("[t=0.01s, 9 KB] Solution found!\ngo b1 c1 (1)\nnoop (0)\n[t=0.01s, 9 KB] Plan length: 2 step(s).\nPlan cost: 1",
     "(go b1 c1) (noop)", None),
    ("SequentialPlan:\n    go(b1, c1)\n    noop()", "(go b1 c1) (noop)", None),
    ("TimeTriggeredPlan:\n    1.0: noop() [1.0]\n    0.0: go(b1,c1) [1.0]", "(go b1 c1) (noop)", None),
    ("Found Plan:\n0.0: (go b1 c1)\n1.0: (noop)\n\nPlan-Length:2\nMetric (Search):2.0\n", "(go b1 c1) (noop)", None),
    ("1. `(go b1 c1)`\n2. (noop)", "(go b1 c1) (noop)", None),
    ("- (go b1 c1)\n- (noop)", "(go b1 c1) (noop)", None),
    ("go b1 c1\n\nnoop\n", "(go b1 c1) (noop)", None),
])  # fmt: skip
def test_a_plan_file_gives_steps_and_cost(text: str, steps: str, cost: float | None) -> None:
    found = parse_plan(text, FILE)
    assert (" ".join(map(str, found.steps)), found.cost) == (steps, cost)


@pytest.mark.parametrize(("text", "line", "column"), [
    ("(a)\nnonsense", 2, 1),
    ("(a b", 1, 1),
    ("(a (b))", 1, 1),
    ("  ()", 1, 3),
    ("(a) b", 1, 5),
    ("(a b\n(c d)", 1, 1),
    ("2: (a)\n(b)\n1: (c)", 3, 4),
    ("a b\n(c)", 2, 1),  # two shapes
    ("a(b)\nc d (1)", 2, 1),
    ("1. (a)\n3. (b)", 2, 1),
    ("1. (a)\n- (b)", 1, 1),
    ("There is no plan.", 1, 1),
    ("[t=0.01s, 9 KB] no solution", 1, 1),
    ("```\n(a)", 1, 1),
    ("```\n(a)\n```\n```\n(b)\n```", 4, 1),
    ("Here:\n```\n(a)\n```", 1, 1),
])  # fmt: skip
def test_nonsense_is_an_error_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(PddlError) as caught:
        parse_plan(text, FILE)
    assert (caught.value.place.line, caught.value.place.column) == (line, column)
    assert caught.value.expected


@pytest.mark.parametrize(("text", "looks"), [
    ('["(a b)", "(c)"]', "JSON"),
    ('{"result": {"plan": [{"name": "(a b)"}]}}', "JSON"),
    ("0||0 --- A B --- SON: 1||0", "a plan of Contingent-FF"),
    ("((!a b) 1.0 (!c) 1.0)", "a plan of SHOP"),
    ("==>\n0 go b1 c1\nroot 1", "the plan of a hierarchical task"),
    ("Time: (ACTION) [action Duration; action Cost]\n 0.0: (A B) [D:1.0; C:1.0]", "LPG's table"),
    ("(define (domain d))", "a domain or a problem"),
])  # fmt: skip
def test_what_is_not_read_is_refused_as_what_it_looks_like(text: str, looks: str) -> None:
    with pytest.raises(PddlError, match=f"this looks like {looks}"):
        parse_plan(text, FILE)


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


@given(st.lists(STEPS, max_size=5))
def test_what_is_written_is_read_again(steps: list[Step]) -> None:
    plan = Plan(tuple(steps), float(len(steps)))
    assert parse_plan(render_plan(plan), FILE) == plan
