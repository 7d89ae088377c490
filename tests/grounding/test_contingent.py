"""What a contingent problem adds when it is grounded."""


import numpy as np
import pytest

from commonsense_planning.errors import BudgetError
from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text

DOMAIN = """(define (domain d) (:requirements :contingent) (:predicates (p ?x) (q ?x) (mark) (odd ?x))
  (:action look :parameters (?x) :precondition (mark) :observe (and (p ?x) (mark)))
  (:action mix :parameters (?x) :effect (and (mark) (when (p ?x) (q ?x)) (when (q ?x) (odd ?x)))))"""


def grounded(init: str) -> tuple[GroundTask, GroundSensors]:
    problem = Text(
        f"(define (problem p) (:domain d) (:objects a b c) (:init {init}) (:goal (and (odd a) (odd b) (odd c))))"
    )
    return ground_pomdp(read_problem(Text(DOMAIN), problem), None)


def test_secret_effects_tie_what_they_change_to_what_they_hang_on() -> None:
    task, seen = grounded("(unknown (p a)) (p b)")
    (part,) = seen.correlated
    assert [str(task.fact_step(f)) for f in part.facts] == ["(p a)", "(q a)", "(odd a)"]
    assert part.worlds.tolist() == [[True, False, False], [False, False, False]]
    hidden = {str(task.fact_step(f)) for f in np.flatnonzero(seen.hidden)}
    assert hidden == {"(p a)", "(q a)", "(odd a)"}, "what hangs on known facts is seen"
    assert seen.unobserved.sum() == 2


def test_what_a_plain_oneof_leaves_open_stays_a_group_until_effects_tie_it() -> None:
    _, seen = grounded("(oneof (p a) (p b))")
    assert (len(seen.groups), len(seen.correlated)) == (0, 1)
    task, seen = grounded("(oneof (odd a) (odd b) (odd c))")
    assert (len(seen.groups), seen.correlated, len(seen.unobserved), seen.by_worlds) == (1, (), 0, False)


def test_an_operator_observes_hidden_facts_once_it_is_carried_out() -> None:
    task, seen = grounded("(unknown (p a))")
    shown = {
        str(task.step(o)): [str(task.fact_step(f)) for f in seen.observed.row(o)] for o in range(len(seen.observed))
    }
    assert shown["(look a)"] == ["(p a)"]
    assert shown["(look b)"] == shown["(mix a)"] == []


def test_too_many_worlds_together_are_refused() -> None:
    objects = [f"o{i}" for i in range(16)]
    domain = Text(
        "(define (domain d) (:predicates (p ?x) (all))(:action mix :effect (when (forall (?x) (p ?x)) (all))))"
    )
    unknown = " ".join(f"(unknown (p {o}))" for o in objects)
    problem = Text(f"(define (problem p) (:domain d) (:objects {' '.join(objects)}) (:init {unknown}) (:goal (all)))")
    with pytest.raises(BudgetError, match="more than 20000 ways"):
        ground_pomdp(read_problem(domain, problem), None)
