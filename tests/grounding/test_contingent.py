"""What a contingent problem adds when it is grounded."""

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import BudgetError
from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.pddl.reader import read_problem

DOMAIN = """(define (domain d) (:requirements :contingent) (:predicates (p ?x) (q ?x) (mark) (odd ?x))
  (:action look :parameters (?x) :precondition (mark) :observe (and (p ?x) (mark)))
  (:action mix :parameters (?x) :effect (and (mark) (when (p ?x) (q ?x)) (when (q ?x) (odd ?x)))))"""


def grounded(folder: Path, init: str) -> tuple[GroundTask, GroundSensors]:
    (folder / "d.pddl").write_text(DOMAIN)
    (folder / "p.pddl").write_text(
        f"(define (problem p) (:domain d) (:objects a b c) (:init {init}) (:goal (and (odd a) (odd b) (odd c))))"
    )
    return ground_pomdp(read_problem(folder / "d.pddl", folder / "p.pddl"), None)


def test_secret_effects_tie_what_they_change_to_what_they_hang_on(tmp_path: Path) -> None:
    task, seen = grounded(tmp_path, "(unknown (p a)) (p b)")
    (part,) = seen.correlated
    assert [str(task.fact_step(f)) for f in part.facts] == ["(p a)", "(q a)", "(odd a)"]
    assert part.worlds.tolist() == [[True, False, False], [False, False, False]]
    hidden = {str(task.fact_step(f)) for f in np.flatnonzero(seen.hidden)}
    assert hidden == {"(p a)", "(q a)", "(odd a)"}, "what hangs on known facts is seen"
    assert seen.unobserved.sum() == 2


def test_what_a_plain_oneof_leaves_open_stays_a_group_until_effects_tie_it(tmp_path: Path) -> None:
    _, seen = grounded(tmp_path, "(oneof (p a) (p b))")
    assert (len(seen.groups), len(seen.correlated)) == (0, 1)
    (tmp_path / "plain").mkdir()
    task, seen = grounded(tmp_path / "plain", "(oneof (odd a) (odd b) (odd c))")
    assert (len(seen.groups), seen.correlated, len(seen.unobserved), seen.by_worlds) == (1, (), 0, False)


def test_an_operator_observes_hidden_facts_once_it_is_carried_out(tmp_path: Path) -> None:
    task, seen = grounded(tmp_path, "(unknown (p a))")
    shown = {
        str(task.step(o)): [str(task.fact_step(f)) for f in seen.observed.row(o)] for o in range(len(seen.observed))
    }
    assert shown["(look a)"] == ["(p a)"]
    assert shown["(look b)"] == shown["(mix a)"] == []


def test_too_many_worlds_together_are_refused(tmp_path: Path) -> None:
    objects = [f"o{i}" for i in range(16)]
    (tmp_path / "d.pddl").write_text(
        "(define (domain d) (:predicates (p ?x) (all))(:action mix :effect (when (forall (?x) (p ?x)) (all))))"
    )
    unknown = " ".join(f"(unknown (p {o}))" for o in objects)
    (tmp_path / "p.pddl").write_text(
        f"(define (problem p) (:domain d) (:objects {' '.join(objects)}) (:init {unknown}) (:goal (all)))"
    )
    with pytest.raises(BudgetError, match="more than 20000 ways"):
        ground_pomdp(read_problem(tmp_path / "d.pddl", tmp_path / "p.pddl"), None)
