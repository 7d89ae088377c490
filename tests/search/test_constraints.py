"""Random small tasks with a random constraint: our planners against brute force, and the validators against
each other."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.errors import Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.kernels.facades import Blind, HMax
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.validation.replay import initial_state, replay
from commonsense_planning.validation.val import find_val, validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.search.test_best_first import least_cost

SPOTS = ("a", "b", "c", "d")
DOMAIN = """(define (domain lamps) (:requirements :adl :constraints)
  (:types spot)
  (:predicates (at ?s - spot) (lit ?s - spot) (way ?a ?b - spot))
  (:action go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
  (:action switch :parameters (?s - spot) :precondition (at ?s)
    :effect (and (when (lit ?s) (not (lit ?s))) (when (not (lit ?s)) (lit ?s)))))"""

State = frozenset[GroundAtom]


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
@settings(max_examples=60, deadline=None)
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
