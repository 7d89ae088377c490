"""A problem file with another goal."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import InputError, PddlError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.variants import has_goal, with_goal

DOMAIN = """(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x)) (:functions (total-cost))
  (:action a :parameters (?x) :precondition (p ?x) :effect (and (q ?x) (increase (total-cost) 1))))
"""
HEAD = "; a comment (:goal (q b))\n(define (problem n) (:domain d)\n\t(:objects A b) ; names\n  (:init (p A) (p b))\n"
TAIL = "  (:metric minimize (total-cost)))\n; the end\n"


@pytest.fixture
def domain(tmp_path: Path) -> Path:
    path = tmp_path / "domain.pddl"
    path.write_text(DOMAIN)
    return path


def rewritten(domain: Path, text: str, goal: str) -> str:
    problem, out = domain.with_name("problem.pddl"), domain.with_name("out.pddl")
    problem.write_bytes(text.encode())
    with_goal(domain, problem, goal, out)
    read_problem(domain, out)
    assert problem.read_bytes() == text.encode()
    return out.read_bytes().decode()


def test_all_but_the_goal_stays(domain: Path) -> None:
    text = HEAD + "  (:goal (and ; why)\n     (q A) (q b))) ; after\n" + TAIL
    assert rewritten(domain, text, "(q b)") == HEAD + "  (:goal (q b)) ; after\n" + TAIL


def test_a_problem_without_a_goal_gets_one(domain: Path) -> None:
    assert rewritten(domain, HEAD + TAIL, "(q b)") == HEAD + "  (:goal (q b))\n" + TAIL
    bare = HEAD.rstrip() + ")\n"
    assert rewritten(domain, bare, "(q b)") == HEAD.rstrip() + "\n  (:goal (q b)))\n"
    assert not has_goal(domain.with_name("problem.pddl"))
    assert has_goal(domain.with_name("out.pddl"))


def test_constraints_come_beside_those_that_are_there(domain: Path) -> None:
    problem, out = domain.with_name("problem.pddl"), domain.with_name("out.pddl")
    for before, after in (
        ("", "(:goal (q b))\n  (:constraints (and (always (p A)) (always (p b))))"),
        ("(:constraints (always (p A)))", "(:constraints (and (always (p A)) (always (p A)) (always (p b))))"),
    ):
        problem.write_text(f"{HEAD}(:goal (q A)) {before}{TAIL}")
        with_goal(domain, problem, "(q b)", out, ["(always (p A))", "(always (p b))"])
        assert after in out.read_text()
        assert len(read_problem(domain, out).constraints) == 2 + bool(before)
    with pytest.raises(PddlError):
        with_goal(domain, problem, "(q b)", out, ["(always (p nobody))"])


def test_line_ends_stay(domain: Path) -> None:
    text = (HEAD + "  (:goal (q A))\n" + TAIL).replace("\n", "\r\n")
    assert rewritten(domain, text, "(q b)") == text.replace("(:goal (q A))", "(:goal (q b))")


@pytest.mark.parametrize("goal", ["(q c)", "(q ?x)", "(q b", "(q b))", "q", "(r b)", "(q b) (q A)", ""])
def test_a_goal_that_is_none_is_refused_and_nothing_written(domain: Path, goal: str) -> None:
    with pytest.raises(PddlError):
        rewritten(domain, HEAD + "(:goal (q A))" + TAIL, goal)
    assert not domain.with_name("out.pddl").exists()


def test_the_users_file_is_never_overwritten(domain: Path) -> None:
    problem = domain.with_name("problem.pddl")
    problem.write_text(HEAD + "(:goal (q A))" + TAIL)
    with pytest.raises(InputError, match="another file"):
        with_goal(domain, problem, "(q b)", problem)
    with pytest.raises(InputError, match="cannot write"):
        with_goal(domain, problem, "(q b)", domain.parent / "no" / "out.pddl")
