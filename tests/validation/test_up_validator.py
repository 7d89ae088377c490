"""unified-planning's validator: its verdicts, and what makes it say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.verdict import Verdict

pytestmark = pytest.mark.processes

DOMAIN = """(define (domain walk) (:requirements :typing {})
  (:types spot)
  (:predicates (at ?s - spot) (way ?a ?b - spot) (seen ?s - spot))
  (:action look :parameters (?s - spot) :precondition (at ?s) :effect (seen ?s))
  (:action go :parameters (?a ?b - spot) :precondition (and (at ?a) (way ?a ?b))
    :effect (and (at ?b) (not (at ?a)))))"""
PROBLEM = """(define (problem walk) (:domain walk) (:objects a b c - spot)
  (:init (at a) (way a b) (way b c)) (:goal (at {})))"""
PLAN = "(go a b)\n(go b c)"


def walk(folder: Path, goal: str = "c", requirement: str = "") -> Problem:
    """A task of two steps."""
    files, texts = (folder / "domain.pddl", folder / f"{goal}.pddl"), (DOMAIN.format(requirement), PROBLEM.format(goal))
    return Problem(*files, "walk", "walk", None, {}, frozenset(), None, texts, texts, (folder, folder))  # unread


@pytest.mark.parametrize(("goal", "requirement", "plan", "verdict", "reason"), [
    ("c", "", PLAN, Verdict.VALID, ""),
    ("c", "", "(look b)", Verdict.INVALID, "Preconditions"),
    ("c", "", "(go a b)\n(go b a)", Verdict.INVALID, "Preconditions [(at(b) and way(b, a))]"),  # "Invalid Action"
    ("c", "", "(fly a c)", Verdict.INVALID, "no action is called fly"),
    ("b", "", PLAN, Verdict.INVALID, "Goals"),
    ("d", "", PLAN, Verdict.UNAVAILABLE, "SyntaxError"),
    ("c", ":magic", PLAN, Verdict.UNAVAILABLE, "pyparsing.exceptions.ParseException"),
])  # fmt: skip
def test_a_verdict_and_its_reason(
    goal: str, requirement: str, plan: str, verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    report = validate_with_up(walk(tmp_path, goal, requirement), parse_plan(plan, Path("plan")))
    assert report.verdict is verdict
    assert report.reason.startswith(reason)
