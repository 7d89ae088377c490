"""What is relevant: that nothing is left out that could change the best action, and that little is left in."""

import itertools
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from commonsense_planning import Text, read_task
from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, Rules, closed, lists_of
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state, unpack
from commonsense_planning.kernels.engine import applicable, failed, goal_reached, infer_groups, progress, sense_all
from commonsense_planning.pomdp.relevance import Relevance
from tests.random_tasks import observed_tasks, sensors_of, task_of
from tests.scripted import HIDDEN_ROOMS, HOUSEHOLD, World, small_apple

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
    """A random task, and its initial observation: what is true, and what is known."""
    task, sensors = draw(observed_tasks() | observed_tasks(derived=True))
    assume(sensors.partial)
    return woken_up(task, sensors)


@pytest.mark.parametrize(("start", "use", "derives_if", "goal"), [
    ([], ([], [], [2], [], 1), True, [3]),  # 3 follows from 1, for which 0 is wanted
    ([1], ([], [], [2], [1], 1), True, [2, 3]),  # who makes 2 spoils 1, and so 3, which 0 helps to get back
    ([1], ([1], [], [2], [], 1), False, [3]),  # 3 follows where 1 is false, and 0 helps to make it so
])  # fmt: skip
def test_what_rules_want_is_relevant(
    start: list[int], use: tuple[list[int], list[int], list[int], list[int], int], derives_if: bool, goal: list[int]
) -> None:
    repair = ([0], [], [1], [], 1) if derives_if else ([0], [], [], [1], 1)
    body = (lists_of([[1]]), lists_of([[]]))
    rules = Rules(np.array([3], np.int32), *(body if derives_if else body[::-1]), np.zeros(1, np.int32))
    task = task_of(4, [repair, use], goal, start)
    task = replace(task, rules=rules, init=closed(rules, task.init))
    _, compiled, truth, known = woken_up(task, sensors_of(4, [0], []))
    assert Relevance(task, compiled).of(truth, known).facts[0]


@settings(suppress_health_check=list(HealthCheck))
@given(half_seen(), st.integers(0, 2**32 - 1))
def test_what_is_left_out_never_changes_the_best_action(
    drawn: tuple[GroundTask, Compiled, Bits, Bits], seed: int
) -> None:
    assume(irrelevant(*drawn).any())
    same_with_any_prior(*drawn, seed, steps=4)


def random_task(rng: np.random.Generator) -> tuple[GroundTask, Compiled, Bits, Bits]:
    """Of two to three facts one is true, unknown which; fact 3 may be true or not; 4 to 8 are seen. Operators use
    up what they want, want what is hidden, and have conditional effects; a sensor shows a hidden fact where another
    one is true."""
    facts, seen = 9, np.arange(4, 9)
    group = [0, 1, 2][: int(rng.integers(2, 4))]
    some = lambda of, most: sorted(set(rng.choice(of, rng.integers(1, most + 1)).tolist()))  # noqa: E731
    operators, effects = [], {}
    for o in range(6):
        wanted = some(facts, 2)
        unwanted = [f for f in some(facts, 1) if f not in wanted and rng.random() < 0.3]
        used = [f for f in wanted if rng.random() < 0.5]
        operators.append((wanted, unwanted, some(seen, 1), used, int(rng.integers(1, 3))))
        if rng.random() < 0.3:
            signs, changed = [some(facts, 1), []], [some(seen, 1), []]
            rng.shuffle(signs)  # type: ignore[arg-type]
            rng.shuffle(changed)  # type: ignore[arg-type]
            effects[o] = (*signs, *changed)
    true = [0, *(f for f in (3, *seen.tolist()) if rng.random() < 0.4)]
    feared = some(seen, 1) if rng.random() < 0.2 else []
    goal = [f for f in some(seen, 2) if f not in true] or [min(set(seen.tolist()) - set(true), default=0)]
    task = task_of(facts, operators, goal, true, effects, feared)
    hidden = [*group, 3]
    shown = [f for f in hidden if rng.random() < 0.8]
    rules = [(some(facts, 1) if rng.random() < 0.8 else [], [f]) for f in shown]
    return woken_up(task, sensors_of(facts, hidden, [group], *rules))


def woken_up(task: GroundTask, sensors: GroundSensors) -> tuple[GroundTask, Compiled, Bits, Bits]:
    """What is seen of a task at first: what is true, and what is known, bool (facts,)."""
    compiled = compile_task(task, sensors)
    state = make_state(compiled, task.init)
    sense_all(compiled.table, state)
    infer_groups(compiled.table, state)
    known = unpack(state[compiled.half :], task.fact_count)
    return task, compiled, task.init & known, known


def test_nor_on_tasks_that_use_things_up() -> None:
    tried = 0
    for seed in range(600):
        drawn = random_task(np.random.default_rng(seed))
        if irrelevant(*drawn).any():
            tried += 1
            same_with_any_prior(*drawn, seed, steps=4)
    assert tried > 200


Row = tuple[list[int], list[int], list[int], list[int], int]
GO: Row = ([], [], [5], [], 1)  # to where fact 5 is true, from where hidden facts are seen


ONE_OF_TWO = sensors_of(7, [0, 1], [[0, 1]], ([5], [0, 1]))


@pytest.mark.parametrize(("operators", "effects", "goal", "true", "relevant"), [
    # facts 0, 1: a group, hidden. The charge (2) is used up for one goal and for the other; a charger fills it
    ([GO, ([2], [], [3], [2], 1), ([2], [], [4], [2], 1), ([0, 5], [], [2], [], 1)], {}, [3, 4], [0, 2], True),
    # what is true (4) is undone on the way, if fact 0 holds
    ([GO, ([], [], [3], [], 1), ([], [], [3], [], 2)], {1: ([0], [], [], [4])}, [3, 4], [0, 4], True),
    # the better way wants what is hidden
    ([GO, ([0], [], [3], [], 1), ([], [], [3], [], 2)], {}, [3], [0], True),
    # … it is no better
    ([GO, ([0], [], [3], [], 2), ([], [], [3], [], 2)], {}, [3], [0], False),
    # another thing could be taken (3, at 0) and put down to have a free hand (2) again, but not before it is free
    ([GO, ([0, 2], [], [3], [2], 1), ([3], [], [2], [3], 1), ([2], [], [4], [2], 1)], {}, [4, 2], [0, 2], False),
    # a reserve (3) is no such thing: it is filled where fact 0 holds, and the charge (2) is still there
    ([GO, ([0, 2], [], [3], [], 1), ([3], [], [2], [3], 1), ([2], [], [4], [2], 1)], {}, [4, 2], [0, 2], True),
    # fact 6 comes of 4, of 5, or of 5 and 0: what several equals dominate
    ([([4], [], [6], [], 1), ([5], [], [6], [], 1), ([5, 0], [], [6], [], 1), ([], [], [4], [], 1), GO], {}, [6], [0],
     False),
])  # fmt: skip
def test_each_way_to_matter(
    operators: list[Row],
    effects: dict[int, tuple[list[int], list[int], list[int], list[int]]],
    goal: list[int],
    true: list[int],
    relevant: bool,
) -> None:
    task = task_of(7, operators, goal, true, effects)
    _, compiled, truth, known = woken_up(task, ONE_OF_TWO)
    assert Relevance(task, compiled).of(truth, known).groups.tolist() == [relevant]
    if not relevant:
        same_with_any_prior(task, compiled, truth, known, 0, steps=5)


def test_what_a_sensor_wants_matters_too() -> None:
    """Which of 0 and 1 is true is seen where there is light (6), which a fuse (2, not 3) gives."""
    task = task_of(7, [([2], [], [6], [], 1), ([0], [], [4], [], 1), ([1], [], [4], [], 1), GO], [4], [0, 2])
    sensors = sensors_of(7, [0, 1, 2, 3], [[0, 1], [2, 3]], ([6], [0, 1]), ([5], [2, 3]))
    _, compiled, truth, known = woken_up(task, sensors)
    assert Relevance(task, compiled).of(truth, known).groups.tolist() == [True, True]


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


def cupboards(goal: str, more: str = "") -> World:
    """Three boxes, of which one may be stuck; three things, of which the knife opens what is stuck."""
    problem = Text(CUPBOARDS_PROBLEM.format(goal=goal, more=more))
    return World(read_task(Text(CUPBOARDS), problem, Text(CUPBOARDS_SENSORS)))


def relevant_to(world: World, ends: Bits | None = None) -> set[str]:
    """What the relevant groups are about."""
    belief = world.belief
    relevant = Relevance(world.task, world.compiled).of(belief.truth, belief.known, ends)
    rows = [belief.groups.row(g).tolist() for g in np.flatnonzero(relevant.groups)]
    return {world.task.fact_step(row[0]).arguments[0] for row in rows}


def same_for(world: World, seed: int, steps: int) -> None:
    same_with_any_prior(world.task, world.compiled, world.belief.truth, world.belief.known, seed, steps)


def test_only_what_is_wanted_matters() -> None:
    world = cupboards("(in cup c)")
    assert relevant_to(world) == {"cup"}  # not what else may be in the boxes, nor who else could fill the hand
    same_for(world, 0, steps=5)
    world.do("go a")
    assert relevant_to(world) == set()
    world.do("take cup a")
    assert relevant_to(world) == set()


def test_what_lies_in_the_way_makes_others_matter() -> None:
    world = cupboards("(in cup c)", "(stuck a)")
    assert relevant_to(world) == {"cup", "knife"}
    same_for(world, 1, steps=5)


def test_an_agent_that_holds_something_must_put_it_down() -> None:
    world = cupboards("(in cup c)")
    world.do("take spoon c")
    assert relevant_to(world) == {"cup"}
    same_for(world, 2, steps=6)


def test_behind_what_is_not_known_yet_nothing_is_followed() -> None:
    """The apple's place must be asked about first, and the table's room; then the rooms of where the apple may be."""
    world = World(HOUSEHOLD / "problems" / "small-apple.pddl", sensors=HIDDEN_ROOMS)
    belief, everything = world.belief, world.compiled.sensors.hidden.copy()
    belief.known[:] = ~everything[: world.task.fact_count]  # as if it had not looked around yet
    belief.truth[:] = world.task.init & belief.known
    assert relevant_to(world, everything) == {"apple_1", "kitchentable"}
    everything[world.facts["inside apple_1 fridge"]] = False
    assert relevant_to(world, everything) == {"apple_1", "kitchentable", "fridge"}
    assert relevant_to(world) >= {"apple_1", "kitchentable", "fridge", "kitchencabinet", "bathroomcounter"}


def test_at_home_it_is_what_the_goal_is_about() -> None:
    world = small_apple()
    assert relevant_to(world) == {"apple_1"}
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    assert relevant_to(world) <= {"apple_1"}
    assert relevant_to(World(HOUSEHOLD / "problems" / "open-fridge.pddl")) == set()  # nothing to look for
