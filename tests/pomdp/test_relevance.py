"""What is relevant: that nothing is left out that could change the best action, and that little is left in."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state, unpack
from commonsense_planning.kernels.engine import applicable, failed, goal_reached, infer_groups, progress, sense_all
from commonsense_planning.pomdp.relevance import Relevance
from tests.random_tasks import observed_tasks
from tests.scripted import HOUSEHOLD, World, small_apple

Bits = npt.NDArray[np.bool_]
DISCOUNT = 0.9

Weights = dict[bytes, float]  # state → its probability, or a multiple of it


class Expectimax:
    """The value of the best policy, exactly, by trying everything: the twin of all searches. The reward is 1 where
    the goal is reached, whether or not it is seen; a violated constraint ends all."""

    def __init__(self, compiled: Compiled) -> None:
        self.task = compiled
        self._found: dict[tuple[tuple[tuple[bytes, float], ...], int], float] = {}

    def best(self, belief: Weights, steps: int) -> tuple[float, set[int]]:
        """The value, and the operators that have it."""
        values = {o: self._after(belief, o, steps) for o in self._applicable(belief)}
        best = max(values.values(), default=0.0)
        return best, {o for o, value in values.items() if value > best - 1e-9}

    def _value(self, belief: Weights, steps: int) -> float:
        total = sum(belief.values())
        key = (tuple(sorted((state, round(weight / total, 9)) for state, weight in belief.items())), steps)
        if key not in self._found:
            self._found[key] = self.best({s: w / total for s, w in belief.items()}, steps)[0]
        return self._found[key]

    def _applicable(self, belief: Weights) -> list[int]:
        buffer = np.empty(max(1, self.task.operator_count), np.int32)
        return buffer[: applicable(self.task.table, _state(next(iter(belief))), buffer)].tolist()

    def _after(self, belief: Weights, operator: int, steps: int) -> float:
        value, seen = 0.0, dict[bytes, Weights]()
        for world, weight in belief.items():
            state = _state(world).copy()
            progress(self.task.table, state, operator)
            infer_groups(self.task.table, state)
            if failed(self.task.table, state) >= 0:
                continue
            if goal_reached(self.task.table, _all_known(self.task, state)):
                value += weight
                continue
            half = self.task.half
            shown = np.concatenate([state[:half] & state[half:], state[half:]]).tobytes()
            same = seen.setdefault(shown, {})
            same[state.tobytes()] = same.get(state.tobytes(), 0.0) + weight
        if steps > 1:
            value += sum(sum(b.values()) * self._value(b, steps - 1) for b in seen.values())
        return DISCOUNT * value


def _state(world: bytes) -> State:
    return np.frombuffer(world, np.uint64)


def _all_known(task: Compiled, state: State) -> State:
    return np.concatenate([state[: task.half], np.full(task.half, 2**64 - 1, np.uint64)])


def worlds(task: Compiled, truth: Bits, known: Bits, chances: npt.NDArray[np.float64]) -> Weights:
    """All worlds that agree with what is known, weighed by ``chances``, float64 (facts,): of a member of a group in
    proportion to it, of another fact as its probability."""
    groups = [task.sensors.groups.row(g) for g in range(len(task.sensors.groups))]
    hidden = np.flatnonzero(task.sensors.hidden & ~known)
    found: Weights = {}
    grouped = set(itertools.chain.from_iterable(g.tolist() for g in groups))
    for values in itertools.product((False, True), repeat=len(hidden)):
        world = truth.copy()
        world[hidden] = values
        if any(world[g].sum() != 1 and not known[g].all() for g in groups):
            continue
        weight = 1.0
        for fact in hidden.tolist():
            weight *= chances[fact] if world[fact] else 1.0 if fact in grouped else 1 - chances[fact]
        found[make_state(task, world, known).tobytes()] = weight
    total = sum(found.values())
    return {world: weight / total for world, weight in found.items()}


def irrelevant(task: GroundTask, compiled: Compiled, truth: Bits, known: Bits) -> Bits:
    """The facts that are not known and left out, bool (facts,)."""
    return np.asarray(compiled.sensors.hidden & ~known & ~Relevance(task, compiled).of(truth, known).facts)


def same_with_any_prior(task: GroundTask, compiled: Compiled, truth: Bits, known: Bits, seed: int, steps: int) -> None:
    """Whatever is believed of what is left out, value and best actions are the same."""
    left_out = irrelevant(task, compiled, truth, known)
    rng = np.random.default_rng(seed)
    one = rng.uniform(0.02, 0.98, task.fact_count)
    other = np.where(left_out, rng.uniform(0.02, 0.98, task.fact_count), one)
    search = Expectimax(compiled)
    (value, best), (same, best_too) = (
        search.best(worlds(compiled, truth, known, chances), steps) for chances in (one, other)
    )
    assert value == pytest.approx(same, abs=1e-7)
    assert best == best_too


@st.composite
def half_seen(draw: st.DrawFn) -> tuple[GroundTask, Compiled, Bits, Bits]:
    """A random task, and what is seen of it on waking up: what is true, and what is known."""
    task, sensors = draw(observed_tasks())
    assume(sensors.partial)
    compiled = compile_task(task, sensors)
    state = make_state(compiled, task.init)
    sense_all(compiled.table, state)
    infer_groups(compiled.table, state)
    known = unpack(state[compiled.half :], task.fact_count)
    return task, compiled, task.init & known, known


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(half_seen(), st.integers(0, 2**32 - 1))
def test_what_is_left_out_never_changes_the_best_action(
    drawn: tuple[GroundTask, Compiled, Bits, Bits], seed: int
) -> None:
    assume(irrelevant(*drawn).any())
    same_with_any_prior(*drawn, seed, steps=4)


CUPBOARDS = """(define (domain cupboards) (:requirements :adl) (:types box thing)
  (:predicates (at ?b - box) (in ?t - thing ?b - box) (has ?t - thing) (free) (stuck ?b - box) (opener ?t - thing))
  (:action go :parameters (?b - box) :precondition (not (at ?b))
    :effect (and (forall (?c - box) (not (at ?c))) (at ?b)))
  (:action go-to-thing :parameters (?t - thing ?b - box) :precondition (and (in ?t ?b) (not (at ?b)))
    :effect (and (forall (?c - box) (not (at ?c))) (at ?b)))
  (:action free-box :parameters (?t - thing ?b - box) :precondition (and (at ?b) (opener ?t) (has ?t))
    :effect (not (stuck ?b)))
  (:action take :parameters (?t - thing ?b - box)
    :precondition (and (at ?b) (in ?t ?b) (free) (not (stuck ?b)))
    :effect (and (not (in ?t ?b)) (not (free)) (has ?t)))
  (:action put :parameters (?t - thing ?b - box) :precondition (and (at ?b) (has ?t) (not (stuck ?b)))
    :effect (and (in ?t ?b) (free) (not (has ?t)))))"""
CUPBOARDS_SENSORS = """(define (sensors cupboards) (:domain cupboards)
  (:hidden (in ?t - thing ?b - box)) (:exactly-one ?t - thing (in ?t ?b - box))
  (:sense (in ?t - thing ?b - box) :when (at ?b)))"""
CUPBOARDS_PROBLEM = """(define (problem p) (:domain cupboards)
  (:objects a b c - box cup spoon knife - thing)
  (:init (free) (opener knife) (at c) (in cup a) (in spoon c) (in knife b) {more}) (:goal {goal}))"""


def cupboards(folder: Path, goal: str, more: str = "") -> World:
    """Three boxes, of which one may be stuck; three things, of which the knife opens what is stuck."""
    (folder / "problems").mkdir()
    (folder / "domain.pddl").write_text(CUPBOARDS)
    (folder / "sensors.pddl").write_text(CUPBOARDS_SENSORS)
    problem = folder / "problems" / "problem.pddl"
    problem.write_text(CUPBOARDS_PROBLEM.format(goal=goal, more=more))
    return World(problem)


def relevant_to(world: World) -> set[str]:
    """What the relevant groups are about."""
    task, belief = world.task, world.belief
    relevant = Relevance(task, world.compiled).of(belief.truth, belief.known)
    rows = [belief.groups.row(g).tolist() for g in np.flatnonzero(relevant.groups)]
    return {task.fact_step(row[0]).arguments[0] for row in rows}


def test_only_what_is_wanted_matters(tmp_path: Path) -> None:
    world = cupboards(tmp_path, "(in cup c)")
    assert relevant_to(world) == {"cup"}  # not what else may be in the boxes, nor who else could fill the hand
    same_with_any_prior(world.task, world.compiled, world.belief.truth, world.belief.known, 0, steps=5)
    world.do("go a")
    assert relevant_to(world) == set()
    world.do("take cup a")
    assert relevant_to(world) == set()


def test_what_lies_in_the_way_makes_others_matter(tmp_path: Path) -> None:
    world = cupboards(tmp_path, "(in cup c)", "(stuck a)")
    assert relevant_to(world) == {"cup", "knife"}
    same_with_any_prior(world.task, world.compiled, world.belief.truth, world.belief.known, 1, steps=5)


def test_who_holds_something_has_to_put_it_down(tmp_path: Path) -> None:
    world = cupboards(tmp_path, "(in cup c)")
    world.do("take spoon c")
    assert relevant_to(world) == {"cup"}
    same_with_any_prior(world.task, world.compiled, world.belief.truth, world.belief.known, 2, steps=6)


def test_at_home_it_is_what_the_goal_is_about() -> None:
    world = small_apple()
    assert relevant_to(world) == {"apple_1"}
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    assert relevant_to(world) <= {"apple_1"}
    assert relevant_to(World(HOUSEHOLD / "problems" / "open-fridge.pddl")) == set()  # nothing to look for
