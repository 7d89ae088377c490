"""Random small tasks with a random constraint: our planners against brute force, and the validators against
each other."""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tarski.syntax import top

from commonsense_planning.errors import Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.heuristics.delete_relaxation import HMax
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import compile_task, make_state, unpack
from commonsense_planning.kernels.engine import failure_reached, goal_reached
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.trajectories import OPERATORS
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.validation.replay import initial_state, replay
from commonsense_planning.validation.val import find_val, validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.kernels.reference import Reference, ReferenceState
from tests.search.classical.test_best_first import least_cost

SPOTS = ("a", "b", "c", "d")
DOMAIN = """(define (domain lamps) (:requirements :adl :constraints)
  (:types spot)
  (:predicates (at ?s - spot) (lit ?s - spot) (way ?a ?b - spot))
  (:action go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
  (:action switch :parameters (?s - spot) :precondition (at ?s)
    :effect (and (when (lit ?s) (not (lit ?s))) (when (not (lit ?s)) (lit ?s)))))"""

State = frozenset[GroundAtom]
LONGEST = 6


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
def lamps(draw: st.DrawFn) -> str:
    """A problem file: a walk from a to d, where lamps are switched on the way."""
    pairs = st.sampled_from([(a, b) for a in SPOTS for b in SPOTS if a != b])
    ways = draw(st.lists(pairs, unique=True, min_size=3, max_size=9))
    lit = draw(st.sets(st.sampled_from(SPOTS)))
    init = " ".join(["(at a)", *(f"(way {a} {b})" for a, b in sorted(ways)), *(f"(lit {s})" for s in sorted(lit))])
    goal = " ".join(["(at d)", *(f"(lit {s})" for s in draw(st.sets(st.sampled_from(SPOTS), max_size=2)))])
    forbidden = st.tuples(formulas(depth=1), formulas(depth=2)).map(lambda parts: f"(not (and {' '.join(parts)}))")
    constraint = st.one_of(forbidden, forbidden, formulas())
    constraints = " ".join(f"(always {draw(constraint)})" for _ in range(draw(st.integers(1, 2))))
    return problem_text(init, goal, constraints)


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
    """As ``lamps``, with constraints of any kind."""
    pairs = st.sampled_from([(a, b) for a in SPOTS for b in SPOTS if a != b])
    ways = draw(st.lists(pairs, unique=True, min_size=4, max_size=8))
    init = " ".join(["(at a)", *(f"(way {a} {b})" for a, b in sorted(ways)), "(lit b)" * draw(st.booleans())])
    goal = draw(st.sampled_from(["(at d)", "(at b)", "(lit a)", "(not (at a))", "(or (at c) (at d))"]))
    return problem_text(init, goal, " ".join(draw(st.lists(trajectories(), min_size=1, max_size=3))))


def problem_text(init: str, goal: str, constraints: str) -> str:
    return f"""(define (problem p) (:domain lamps) (:objects {" ".join(SPOTS)} - spot)
      (:init {init}) (:goal (and {goal})) (:constraints (and {constraints})))"""


def read(folder: Path, text: str) -> Problem:
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(text)
    return read_problem(folder / "domain.pddl", folder / "problem.pddl")


def moves(state: State) -> Iterator[tuple[Step, State]]:
    """What can be done in a state of the lamps, and what comes of it."""
    (here,) = (atom[1] for atom in state if atom[0] == "at")
    yield Step("switch", (here,)), state ^ {("lit", here)}
    for _, start, end in sorted(atom for atom in state if atom[0] == "way"):
        if start == here:
            yield Step("go", (start, end)), (state - {("at", here)}) | {("at", end)}


def brute_force(problem: Problem) -> int | None:
    """The length of a shortest plan that violates no constraint, with lifted formulas; None without one."""
    truth = Formulas(problem)

    def allowed(state: State) -> bool:
        return all(truth.holds(*constraint.conditions, state, {}) for constraint in problem.constraints)

    start = initial_state(problem)
    distance = {start: 0} if allowed(start) else {}
    queue = deque(distance)
    while queue:
        state = queue.popleft()
        if truth.holds(problem.tarski.goal, state, {}):
            return distance[state]
        for _, after in moves(state):
            if after not in distance and allowed(after):
                distance[after] = distance[state] + 1
                queue.append(after)
    return None


def shortest(problem: Problem) -> int | None:
    """The length of a shortest plan of at most ``LONGEST`` steps, judged by what the operators mean; None without one.
    """
    truth = Formulas(problem)
    watched = [(c, binding) for c in problem.constraints for binding in truth.bindings(c.variables)]

    def kept(passed: list[State], to_the_end: bool) -> bool:
        for constraint, binding in watched:
            truths = [[truth.holds(part, state, binding) for state in passed] for part in constraint.conditions]
            if (to_the_end or constraint.operator.lasting) and not constraint.operator.holds(*truths):
                return False
        return True

    trails = [[initial_state(problem)]]
    for length in range(LONGEST + 1):
        trails = [trail for trail in trails if kept(trail, False)]
        if any(truth.holds(problem.tarski.goal, trail[-1], {}) and kept(trail, True) for trail in trails):
            return length
        trails = [[*trail, after] for trail in trails for _, after in moves(trail[-1])]
    return None


@given(text=remembering_lamps())
def test_plans_keep_what_has_to_be_remembered_and_are_as_short_as_can_be(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    problem = read(tmp_path_factory.mktemp("lamps"), text)
    task = ground(problem)
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    expected = shortest(problem)
    heuristics = Blind(compiled), HMax(compiled, True), LMCut(compiled, True)
    optimal = [BestFirst(compiled, heuristic).astar(state) for heuristic in heuristics]
    for result in (*optimal, BestFirst(compiled).gbfs(state)):
        assert result.status in (Status.SOLVED, Status.UNSOLVABLE)
        if result.operators is not None:
            assert replay(problem, task.plan(result.operators)).verdict is Verdict.VALID
    lengths = [None if result.operators is None else len(result.operators) for result in optimal]
    assert len({*lengths}) == 1
    assert lengths[0] == expected or (expected is None and lengths[0] is not None and lengths[0] > LONGEST)


@given(text=remembering_lamps(), seed=st.integers(0, 2**32))
def test_bits_and_twin_tell_what_the_operators_mean_along_walks(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int
) -> None:
    problem = read(tmp_path_factory.mktemp("lamps"), text)
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


@pytest.mark.skipif(find_val() is None, reason="VAL is not installed")
@settings(max_examples=40, deadline=None)
@given(text=lamps())
def test_plans_keep_the_constraints_and_are_as_short_as_can_be(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    problem = read(tmp_path_factory.mktemp("lamps"), text)
    task = ground(problem)
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    shortest = brute_force(problem)
    assert least_cost(task) == shortest
    optimal = [BestFirst(compiled, heuristic).astar(state) for heuristic in (Blind(compiled), HMax(compiled, True))]
    for result in (*optimal, BestFirst(compiled).gbfs(state)):
        assert result.status == (Status.UNSOLVABLE if shortest is None else Status.SOLVED)
        if result.operators is not None:
            plan = Plan(tuple(task.step(o) for o in result.operators))
            assert replay(problem, plan).verdict is Verdict.VALID
            assert validate_with_val(problem, plan).verdict is Verdict.VALID
    assert all(result.operators is None or len(result.operators) == shortest for result in optimal)


@pytest.mark.skipif(find_val() is None, reason="VAL is not installed")
@given(text=lamps(), seed=st.integers(0, 2**32))
def test_val_and_replay_agree_on_walks_that_heed_nothing(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int
) -> None:
    problem = read(tmp_path_factory.mktemp("lamps"), text)
    rng, state, steps = random.Random(seed), initial_state(problem), []
    for _ in range(rng.randrange(5)):
        step, state = rng.choice(list(moves(state)))
        steps.append(step)
    plan = Plan(tuple(steps))
    ours, val = replay(problem, plan), validate_with_val(problem, plan)
    assert ours.verdict is val.verdict
    if "is violated" in val.reason:  # of the last state VAL may only say that it is no goal
        assert (ours.step, ours.action) == (val.step, val.action)
        assert "is violated" in ours.reason
