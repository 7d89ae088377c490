"""Constraints: what is read. Wrong ones: test_broken_input.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.problem import Feature, Problem
from commonsense_planning.pddl.reader import read_problem

DOMAIN = """(define (domain Walk) (:requirements :adl :constraints)
  (:types Spot thing - object Lava - spot)
  (:predicates (At ?s - spot) (way ?a ?b - spot))
  {}
  (:action Go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b))))"""

# From a to D: through b, or through c and then e.
PROBLEM = """(define (problem P) (:domain walk)
  (:objects a b c D e - spot pit - lava)
  (:init (at a) (way a b) (way b d) (way a c) (way c e) (way e d) (way b pit) (way pit d))
  (:goal (at d))
  {})"""


def walk(folder: Path, constraints: str, of_domain: str = "") -> Problem:
    """The task with these constraints in the problem and in the domain."""
    (folder / "domain.pddl").write_text(DOMAIN.format(of_domain))
    (folder / "problem.pddl").write_text(PROBLEM.format(constraints))
    return read_problem(folder / "domain.pddl", folder / "problem.pddl")


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("(:constraints (always (not (at b))))", ["(not (At b))"]),
        ("(:CONSTRAINTS (AND (Always (NOT (AT B)))))", ["(not (At b))"]),
        ("(:constraints (and))", []),
        ("", []),
        (
            "(:constraints (and (always (at a)) (and (always (not (at d))) (always (or (at a) (at b))))))",
            ["(At a)", "(not (At D))", "(or (At a) (At b))"],
        ),
        (
            "(:constraints (always (forall (?l - lava) (not (at ?l)))))",
            ["(forall (?l - Lava) (not (At ?l)))"],
        ),
        ("(:constraints (always (imply (at b) (way b d))))", ["(or (not (At b)) (way b D))"]),
    ],
)
def test_conditions_are_read_in_order(text: str, conditions: list[str], tmp_path: Path) -> None:
    problem = walk(tmp_path, text)
    assert [Formulas(problem).render(formula, {}) for formula in problem.always] == conditions
    assert (Feature.CONSTRAINTS in problem.features) == bool(conditions)


def test_constraints_of_the_domain_come_first_and_may_name_objects_of_the_problem(tmp_path: Path) -> None:
    problem = walk(tmp_path, "(:constraints (always (not (at c))))", "(:constraints (always (not (at b))))")
    assert [Formulas(problem).render(formula, {}) for formula in problem.always] == ["(not (At b))", "(not (At c))"]


def test_the_normal_form_keeps_the_constraints(tmp_path: Path) -> None:
    of_domain = "(:constraints (always (forall (?l - lava) (not (at ?l)))))"
    problem = walk(tmp_path, "(:constraints (always (or)))", of_domain)
    assert problem.normal_text is not None
    domain, task = problem.normal_text
    assert "(:requirements :strips :typing :equality :constraints)" in domain
    assert "(:constraints (and (always (forall (?l - lava) (not (at ?l)))) (always (never))))" in task
