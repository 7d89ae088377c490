"""Random small tasks with random constraints: bits and slow twin along walks. What plans and planners make of them is
compared with an oracle (``tests/oracle/test_comparing.py``)."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tarski.syntax import top

from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state, unpack
from commonsense_planning.kernels.engine import failure_reached, goal_reached
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.trajectories import OPERATORS
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.support.reading import Text
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests.kernels.reference import Reference, ReferenceState

SPOTS = ("a", "b", "c", "d")
DOMAIN = """(define (domain lamps) (:requirements :adl :constraints)
  (:types spot)
  (:predicates (at ?s - spot) (lit ?s - spot) (way ?a ?b - spot))
  (:action go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
  (:action switch :parameters (?s - spot) :precondition (at ?s)
    :effect (and (when (lit ?s) (not (lit ?s))) (when (not (lit ?s)) (lit ?s)))))"""


@st.composite
def formulas(draw: st.DrawFn, terms: tuple[str, ...] = SPOTS, depth: int = 3) -> str:
    """A condition over the spots, and over ``?x`` and ``?y`` where they are among the terms."""
    kind = draw(st.sampled_from(["atom", "not", "and", "or", "imply", "exists", "forall"])) if depth else "atom"
    if kind == "atom":
        predicate = draw(st.sampled_from(["at", "at", "lit", "lit", "way", "="]))
        count = 2 if predicate in ("way", "=") else 1
        return f"({predicate} {' '.join(draw(st.sampled_from(terms)) for _ in range(count))})"
    if kind in ("exists", "forall"):
        variable = "?x" if "?x" not in terms else "?y"
        inner = draw(formulas((variable, variable, *terms), depth - 1))
        return f"({kind} ({variable} - spot) {inner})"
    count = 1 if kind == "not" else 2
    return f"({kind} {' '.join(draw(formulas(terms, depth - 1)) for _ in range(count))})"


@st.composite
def trajectories(draw: st.DrawFn) -> str:
    """A constraint of any kind, ground or for each spot."""
    operator = draw(st.sampled_from([*OPERATORS.values()]))
    lifted = draw(st.booleans())
    terms = ("?x", "?x", *SPOTS) if lifted else SPOTS
    said = f"({operator} {' '.join(draw(formulas(terms, depth=1)) for _ in range(operator.operands))})"
    return f"(forall (?x - spot) {said})" if lifted else said


@st.composite
def remembering_lamps(draw: st.DrawFn) -> str:
    """A problem file: a walk from a to d, where lamps are switched on the way, with constraints of any kind."""
    pairs = st.sampled_from([(a, b) for a in SPOTS for b in SPOTS if a != b])
    ways = draw(st.lists(pairs, unique=True, min_size=4, max_size=8))
    init = " ".join(["(at a)", *(f"(way {a} {b})" for a, b in sorted(ways)), "(lit b)" * draw(st.booleans())])
    goal = draw(st.sampled_from(["(at d)", "(at b)", "(lit a)", "(not (at a))", "(or (at c) (at d))"]))
    return problem_text(init, goal, " ".join(draw(st.lists(trajectories(), min_size=1, max_size=3))))


def problem_text(init: str, goal: str, constraints: str) -> str:
    return f"""(define (problem p) (:domain lamps) (:objects {" ".join(SPOTS)} - spot)
      (:init {init}) (:goal (and {goal})) (:constraints (and {constraints})))"""


def read(text: str) -> Problem:
    return read_problem(Text(DOMAIN), Text(text))


@given(text=remembering_lamps(), seed=st.integers(0, 2**32))
def test_bits_and_twin_tell_what_the_operators_mean_along_walks(text: str, seed: int) -> None:
    problem = read(text)
    task = ground(problem)
    compiled, reference = compile_task(task), Reference(task)
    generator = TransitionModel(compiled)
    here = make_state(compiled, task.init)
    slow = ReferenceState(frozenset(np.flatnonzero(task.init).tolist()), frozenset(range(task.fact_count)))
    rng, walked = random.Random(seed), list[int]()
    goal_free = replace(problem, tarski=copy.copy(problem.tarski))
    goal_free.tarski.goal = top
    for _ in range(6):
        plan = task.plan(walked)
        fails = failure_reached(compiled.table, here)
        report = replay(goal_free, plan)
        assert fails == ("is violated after" in report.reason or "in the initial state" in report.reason)
        assert fails == (reference.failed(slow) >= 0)
        if fails:
            return
        assert goal_reached(compiled.table, here) == (replay(problem, plan).verdict is Verdict.VALID)
        operators = generator.applicable(here).tolist()
        if not operators:
            return
        walked.append(rng.choice(operators))
        here, slow = generator.successor(here, walked[-1]), reference.progress(slow, walked[-1])
        assert set(np.flatnonzero(unpack(here[: compiled.half], task.fact_count)).tolist()) == slow.true
