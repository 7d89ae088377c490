"""The kernels against their obvious twin, on random tasks and random walks."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, closed, fully_observable, lists_of
from commonsense_planning.kernels.compiled import WORK, Compiled, State, compile_task, make_state, pack, unpack
from commonsense_planning.kernels.engine import (
    applicable,
    derive,
    failed,
    goal_reached,
    infer_groups,
    progress,
    sense_all,
    trailing_zeros,
    uniform_rollout,
    visible_hash,
)
from tests.kernels.reference import Reference, ReferenceState
from tests.random_tasks import compiled_at, derived_tasks, observed_tasks, task_of, tasks


def facts(words: State, count: int) -> frozenset[int]:
    return frozenset(np.flatnonzero(unpack(words, count)).tolist())


def situation_of(compiled: Compiled, state: State, count: int) -> ReferenceState:
    known = facts(state[compiled.half :], count) if compiled.words > compiled.half else frozenset(range(count))
    return ReferenceState(facts(state[: compiled.half], count), known)


def operators_at(compiled: Compiled, state: State) -> list[int]:
    buffer = np.empty(max(1, compiled.operator_count), np.int32)
    return sorted(buffer[: applicable(compiled.table, state, buffer)].tolist())


def walk(
    task: GroundTask, sensors: GroundSensors, choices: list[int]
) -> list[tuple[Compiled, State, Reference, ReferenceState]]:
    """A random walk, by kernel and by twin side by side."""
    compiled, twin = compile_task(task, sensors), Reference(task, sensors)
    state = make_state(compiled, task.init)
    sense_all(compiled.table, state)
    situation = twin.start(frozenset(np.flatnonzero(task.init).tolist()))
    steps = [(compiled, state.copy(), twin, situation)]
    for choice in choices:
        operators = twin.applicable(situation)
        if not operators:
            break
        operator = operators[choice % len(operators)]
        progress(compiled.table, state, operator)
        situation = twin.progress(situation, operator)
        steps.append((compiled, state.copy(), twin, situation))
    return steps


@given(observed_tasks() | observed_tasks(derived=True), st.lists(st.integers(0, 100), max_size=8))
def test_kernels_and_twin_agree_along_a_walk(case: tuple[GroundTask, GroundSensors], choices: list[int]) -> None:
    task, sensors = case
    for compiled, state, twin, situation in walk(task, sensors, choices):
        assert situation_of(compiled, state, task.fact_count) == situation
        assert operators_at(compiled, state) == twin.applicable(situation)
        assert goal_reached(compiled.table, state) == twin.goal_reached(situation)
        assert failed(compiled.table, state) == twin.failed(situation)


@given(derived_tasks(), st.lists(st.booleans(), min_size=12, max_size=12))
def test_what_follows_from_a_state_is_what_the_twin_derives(task: GroundTask, bits: list[bool]) -> None:
    truth = np.resize(bits, task.fact_count)
    compiled, true = compile_task(task), Reference(task).derive(frozenset(np.flatnonzero(truth).tolist()))
    state = make_state(compiled, truth)
    derive(compiled.table, state, np.zeros(compiled.table[WORK], np.int32))
    assert facts(state, task.fact_count) == true
    assert frozenset(np.flatnonzero(closed(task.rules, truth)).tolist()) == true


@given(observed_tasks(), st.lists(st.integers(0, 100), max_size=8), st.data())
def test_kernels_and_twin_agree_where_operators_observe_and_effects_are_secret(
    case: tuple[GroundTask, GroundSensors], choices: list[int], data: st.DataObject
) -> None:
    task, sensors = case
    hidden, ops = np.flatnonzero(sensors.hidden).tolist(), task.operators
    rows = [data.draw(st.lists(st.sampled_from(hidden), max_size=2)) for _ in range(task.operator_count)]
    effects = range(len(ops.cond_pre))
    about = [np.concatenate([ops.cond_pre.row(e), ops.cond_npre.row(e)]) for e in effects]
    changed = [np.concatenate([ops.cond_add.row(e), ops.cond_delete.row(e)]) for e in effects]
    secret = [sensors.hidden[a].any() and sensors.hidden[c].all() for a, c in zip(about, changed, strict=True)]
    sensors = replace(sensors, observed=lists_of(rows), unobserved=np.array(secret, np.bool_))
    for compiled, state, twin, situation in walk(task, sensors, choices):
        assert situation_of(compiled, state, task.fact_count) == situation
        assert operators_at(compiled, state) == twin.applicable(situation)


def test_a_sensor_shows_again_what_an_unobserved_effect_left_open() -> None:
    task = task_of(2, [([], [], [], [], 1)], [0], true=[1], effects={0: ([1], [], [0], [])})
    always = {"when": lists_of([[]]), "when_not": lists_of([[]]), "seen": lists_of([[0]])}
    sensors = replace(fully_observable(2), hidden=np.ones(2, np.bool_), unobserved=np.ones(1, np.bool_), **always)
    for compiled, state, _, situation in walk(task, sensors, [0]):
        assert situation_of(compiled, state, task.fact_count) == situation
        assert 0 in situation.known


def test_a_secret_effect_leaves_open_what_it_may_have_changed() -> None:
    task = task_of(3, [([], [], [], [], 1)], [0], true=[0], effects={0: ([0], [], [1], [2])})
    sensors = replace(fully_observable(3), hidden=np.ones(3, np.bool_), unobserved=np.ones(1, np.bool_))
    compiled = compile_task(task, sensors)
    seen = {}
    for known in (0, 1):
        state = make_state(compiled, task.init, np.array([known, 1, 1], np.bool_))
        progress(compiled.table, state, 0)
        seen[known] = facts(state[: compiled.half], 3), facts(state[compiled.half :], 3)
    assert seen == {0: ({0, 1}, {2}), 1: ({0, 1}, {0, 1, 2})}, "what was false stays false; what comes true, who knows?"


@given(observed_tasks(), st.lists(st.integers(0, 100), max_size=6))
def test_states_that_look_equal_to_the_agent_have_equal_hashes(
    case: tuple[GroundTask, GroundSensors], choices: list[int]
) -> None:
    task, sensors = case
    steps = walk(task, sensors, choices)
    views = [(s.true & s.known, s.known) for *_, s in steps]
    hashes = [int(visible_hash(compiled.table, state)) for compiled, state, *_ in steps]
    for (one, a), (other, b) in pairwise(zip(views, hashes, strict=True)):
        assert (one == other) == (a == b)
    for compiled, state, _, situation in steps:  # what is unseen leaves no mark on the hash
        if compiled.words == compiled.half:
            continue
        elsewhere = state.copy()
        for f in set(range(task.fact_count)) - situation.known:
            elsewhere[f >> 6] ^= np.uint64(1) << np.uint64(f & 63)
        assert visible_hash(compiled.table, elsewhere) == visible_hash(compiled.table, state)


@given(observed_tasks(), st.lists(st.integers(0, 100), max_size=6))
def test_a_known_true_member_makes_the_whole_group_known(
    case: tuple[GroundTask, GroundSensors], choices: list[int]
) -> None:
    task, sensors = case
    for compiled, state, _, situation in walk(task, sensors, choices):
        if compiled.words == compiled.half:
            continue
        infer_groups(compiled.table, state)
        known = set(situation.known)
        for g in range(len(sensors.groups)):
            members = set(sensors.groups.row(g).tolist())
            if members & situation.true & situation.known:
                known |= members
        assert situation_of(compiled, state, task.fact_count) == ReferenceState(situation.true, frozenset(known))


@given(tasks(), st.integers(0, 12), st.sampled_from([0.5, 0.95, 1.0]), st.integers(0, 2**63))
def test_a_uniform_rollout_gives_a_discounted_reward(
    task: GroundTask, horizon: int, discount: float, seed: int
) -> None:
    compiled = compile_task(task)
    buffer = np.empty(max(1, compiled.operator_count), np.int32)
    values = []
    for _ in range(2):
        state, rng = make_state(compiled, task.init), np.array([seed], np.uint64)
        values.append(uniform_rollout(compiled.table, state, horizon, discount, rng, buffer))
        if values[-1] > 0:
            assert goal_reached(compiled.table, state)
            assert failed(compiled.table, state) < 0
    assert values[0] == values[1]
    assert any(np.isclose(values[0], v) for v in [0.0, *(discount**k for k in range(horizon))])


def test_a_uniform_rollout_is_worth_nothing_once_a_constraint_is_violated() -> None:
    to_middle, to_goal = ([], [0], [0], [], 1), ([0], [1], [1], [0], 1)
    for failure, value in (([], 0.5), ([0], 0.0), ([1], 0.0)):
        task = task_of(2, [to_middle, to_goal], [1], failure=failure)
        (compiled, state), rng = compiled_at(task), np.zeros(1, np.uint64)
        assert uniform_rollout(compiled.table, state, 2, 0.5, rng, np.empty(2, np.int32)) == value


@given(st.lists(st.booleans(), max_size=200))
def test_packing_is_undone_by_unpacking(bits: list[bool]) -> None:
    half = max(1, (len(bits) + 63) // 64)
    words = pack(np.array(bits, np.bool_), half)
    assert words.shape == (half,)
    assert unpack(words, len(bits)).tolist() == bits


def test_trailing_zeros_of_every_bit() -> None:
    assert [trailing_zeros(np.uint64(3 << k) & np.uint64(2**64 - 1)) for k in range(63)] == list(range(63))
    assert trailing_zeros(np.uint64(2**63)) == 63


def test_a_rule_with_a_negative_condition_shows_its_facts_when_something_goes_away() -> None:
    curtain, secret = 0, 1
    sensors = GroundSensors(
        np.array([False, True]), lists_of([]), lists_of([[]]), lists_of([[curtain]]), lists_of([[secret]])
    )
    draw = ([], [], [], [curtain], 1)
    maybe = ([], [], [], [], 1)
    task = task_of(2, [draw, maybe], [secret], [curtain, secret], {1: ([curtain], [], [], [curtain])})
    compiled = compile_task(task, sensors)
    for operator in (0, 1):
        state = make_state(compiled, task.init)
        sense_all(compiled.table, state)
        assert not goal_reached(compiled.table, state)
        progress(compiled.table, state, operator)
        assert goal_reached(compiled.table, state)


@given(observed_tasks())
def test_what_is_wanted_of_hidden_facts_is_wanted_known_too(case: tuple[GroundTask, GroundSensors]) -> None:
    task, sensors = case
    compiled = compile_task(task, sensors)
    for rows, wanted, unwanted in (
        (compiled.operators.pre, task.operators.pre, task.operators.npre),
        (compiled.goal.pos, task.goal.pos, task.goal.neg),
    ):
        assert len(rows) == len(wanted)
        for i in range(len(rows)):
            facts = [*wanted.row(i).tolist(), *unwanted.row(i).tolist()]
            known = [f + 64 * compiled.half for f in facts if sensors.hidden[f]]
            assert rows.row(i).tolist() == [*wanted.row(i).tolist(), *known]
