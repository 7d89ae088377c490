"""Plans in believed worlds."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task

DOMAIN = """(define (domain traps) (:requirements :adl :constraints)
  (:types spot snare) (:predicates (at ?s - spot) (way ?a ?b - spot) (lies ?t - snare ?s - spot))
  (:action go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b))))"""

PROBLEM = """(define (problem p) (:domain traps) (:objects a b c d - spot snare - snare)
  (:init (at a) (way a b) (way b d) (way a c) (way c d) (lies snare b)) (:goal (at d))
  (:constraints (and (always (not (exists (?s - spot) (and (at ?s) (lies snare ?s))))))))"""


@pytest.mark.parametrize("groups", ["(:exactly-one ?t - snare (lies ?t ?s - spot))", ""])
def test_plans_go_round_what_is_hidden_where_the_world_has_it(groups: str) -> None:
    hidden = "(:hidden (lies ?t - snare ?s - spot))"
    sensors_text = Text(f"(define (sensors traps) (:domain traps) {hidden} {groups})")
    pack = read_task(Text(DOMAIN), Text(PROBLEM), sensors_text)
    task, sensors = ground_pomdp(pack.problem, pack.sensors)
    compiled = compile_task(task, sensors)
    belief = Belief(compiled, uniform_prior(sensors))
    belief.update(None, Environment(compiled, task.init).look())
    hindsight = HindsightPlanner(task, BestFirst(compiled), belief, np.random.default_rng(0))

    numbers = {str(task.fact_step(f)): f for f in range(task.fact_count)}
    for trap, way in (("b", "(go a c)"), ("c", "(go a b)"), ("a", None)):
        world = belief.truth.copy()
        world[numbers[f"(lies snare {trap})"]] = True
        plan = hindsight.plan(belief.state(world))
        assert (None if plan is None else str(task.step(plan.first))) == way

    if not groups:
        return  # of what is in no group, only the likeliest is sampled: false
    situation = Situation(belief.truth, belief.known, np.zeros(0, np.int32), ())
    assert {str(task.step(o)) for o in hindsight.first_operators(situation, 30)} == {"(go a b)", "(go a c)"}
