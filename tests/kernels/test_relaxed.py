"""Relaxed exploration and relaxed plans against the slow twin."""

import math

import numpy as np
import pytest
from hypothesis import given

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, Lists
from commonsense_planning.heuristics.delete_relaxation import FirstAchievers
from commonsense_planning.heuristics.relaxation import compile_relaxation
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state
from commonsense_planning.kernels.engine import goal_reached, sense_all
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import explore, relaxed_plan, scratch_for
from tests.kernels.reference import Reference
from tests.random_tasks import compiled_at, derived_tasks, observed_tasks, task_of, tasks


def h_ff(compiled: Compiled, state: State, unit_cost: bool = True) -> tuple[int, list[int]]:
    relaxation = compile_relaxation(compiled, unit_cost)
    plan = np.empty(max(1, compiled.operator_count), np.int32)
    value, length = relaxed_plan(relaxation, state, scratch_for(relaxation), plan)
    return value, plan[:length].tolist()


def relaxed_goal(task: GroundTask, sensors: GroundSensors | None, start: State, chosen: list[int]) -> bool:
    """Whether the chosen operators alone reach the goal when nothing that was reached is ever lost, sensing
    included. Propositions are (fact, what): "true", "false", "known"."""
    ops, compiled = task.operators, compile_task(task, sensors)
    compiled_sensors = compiled.sensors
    size = 64 * compiled.half
    have: set[tuple[int, str]] = set()
    for f in range(task.fact_count):
        true = bool(start[f >> 6] >> np.uint64(f & 63) & np.uint64(1))
        have.add((f, "true" if true else "false"))
        k = f + size
        if compiled.words == compiled.half or start[k >> 6] >> np.uint64(k & 63) & np.uint64(1):
            have.add((f, "known"))

    def met(positive: set[int], negative: set[int], exempt: set[int]) -> bool:
        wanted = {(f, "true") for f in positive}
        wanted |= {(f, "false") for f in (negative - exempt if len(exempt) == 1 else negative)}
        return wanted | {(f, "known") for f in positive if compiled_sensors.hidden[f]} <= have

    def plain(positive: set[int]) -> set[int]:
        return {f for f in positive if not compiled_sensors.hidden[f]}

    def row(rows: Lists, i: int) -> set[int]:
        return set(rows.row(i).tolist())

    while True:
        before = len(have)
        for o in chosen:
            if not met(row(ops.pre, o), row(ops.npre, o), row(ops.add, o)):
                continue
            parts = [(row(ops.add, o), row(ops.delete, o))]
            parts += [
                (row(ops.cond_add, e), row(ops.cond_delete, e))
                for e in range(ops.effect_start[o], ops.effect_end[o])
                if met(plain(row(ops.cond_pre, e)), row(ops.cond_npre, e), row(ops.cond_add, e))
            ]
            for added, deleted in parts:
                have |= {(f, "true") for f in added} | {(f, "false") for f in deleted}
                have |= {(f, "known") for f in added}
        for r in range(len(compiled_sensors.when)):
            if met(plain(row(compiled_sensors.when, r)), set(), set()):
                have |= {(f, "known") for f in row(compiled_sensors.seen, r)}
        if any(met(row(task.goal.pos, d), row(task.goal.neg, d), set()) for d in range(len(task.goal.pos))):
            return True
        if len(have) == before:
            return False


@given(observed_tasks())
def test_relaxed_plans_reach_the_goal_in_the_relaxation(case: tuple[GroundTask, GroundSensors]) -> None:
    task, sensors = case
    compiled, state = compiled_at(task, sensors)
    sense_all(compiled.table, state)
    value, plan = h_ff(compiled, state)
    everything = list(range(task.operator_count))
    assert (value < FAR) == relaxed_goal(task, sensors, state, everything)
    if value < FAR:
        assert len(set(plan)) == len(plan) == value
        assert relaxed_goal(task, sensors, state, plan)
    if goal_reached(compiled.table, state):
        assert value == 0


@given(tasks(least_cost=1) | derived_tasks(least_cost=1))
def test_h_ff_is_zero_at_goals_only_and_far_where_h_max_is_infinite(task: GroundTask) -> None:
    compiled, state = compiled_at(task)
    value, _ = h_ff(compiled, state, unit_cost=False)
    assert (value == 0) == goal_reached(compiled.table, state)
    h_max = Reference(task).h_max(frozenset(np.flatnonzero(task.init).tolist()))
    assert (value >= FAR) == math.isinf(h_max)
    if value < FAR:
        assert value >= h_max


def test_explorations_go_on_when_their_numbers_start_again() -> None:
    task = task_of(3, [([], [], [0], [], 1), ([0], [], [1], [], 1), ([1], [], [2], [], 1)], [2])
    compiled = compile_task(task)
    relaxation = compile_relaxation(compiled)
    scratch = scratch_for(relaxation)
    state = make_state(compiled, task.init)
    assert explore(relaxation, state, False, scratch) == 3
    scratch[0] = FAR
    assert explore(relaxation, state, False, scratch) == 3
    assert scratch[0] == 1


@pytest.mark.parametrize(("operators", "true", "expected"), [
    ([([0], [], [1], [], 1), ([1], [], [0], [], 1), ([], [], [0], [], 3)], [], 4),  # 0 has a way without 1
    ([([0], [], [1], [], 1), ([1], [], [0], [], 1)], [], FAR),  # each needs the other
    ([([0], [], [1], [], 1), ([1], [], [0], [], 1)], [0], 1),
    ([([0], [], [1], [], 1), ([], [], [1], [], 5)], [0], 1),  # more conditions, but cheaper
    ([([0], [], [1], [], 5), ([], [], [1], [], 1)], [0], 1),
])  # fmt: skip
def test_only_achievers_that_cannot_help_are_dropped(
    operators: list[tuple[list[int], list[int], list[int], list[int], int]], true: list[int], expected: int
) -> None:
    compiled = compile_task(task_of(2, operators, [1], true=true))
    relaxation = compile_relaxation(compiled, unit_cost=False)
    state = make_state(compiled, np.isin(np.arange(2), true))
    assert explore(relaxation, state, False, scratch_for(relaxation)) == expected


def relevant(task: GroundTask) -> tuple[set[int], set[int]]:
    """The operators and the facts that are relevant to the goal at first."""
    compiled = compile_task(task)
    found = FirstAchievers(compiled)(make_state(compiled, task.init))
    return set(np.flatnonzero(found.operators).tolist()), set(np.flatnonzero(found.facts).tolist())


@given(tasks())
def test_the_relevant_operators_are_enough_and_are_first_achievers(task: GroundTask) -> None:
    chosen, _ = relevant(task)
    assert chosen <= Reference(task).first_achievers(frozenset(np.flatnonzero(task.init).tolist()))
    state = make_state(compile_task(task), task.init)
    everything = list(range(task.operator_count))
    assert relaxed_goal(task, None, state, sorted(chosen)) == relaxed_goal(task, None, state, everything)


NEAR, HELD, KEPT, HAND = range(4)
GRAB = ([NEAR, HAND], [], [HELD], [HAND], 1)


def test_an_operator_that_needs_a_thing_is_not_relevant_to_getting_it() -> None:
    walk, walk_to_kept = ([], [], [NEAR], [], 1), ([KEPT], [], [NEAR], [], 1)
    assert relevant(task_of(4, [walk, walk_to_kept, GRAB], [HELD], [HAND])) == ({0, 2}, {NEAR, HELD, HAND})
    assert relevant(task_of(4, [walk_to_kept, GRAB], [HELD], [HAND])) == (set(), set())  # there is no way


def test_an_operator_that_needs_the_same_and_more_is_not_relevant() -> None:
    drop = ([HELD], [], [HAND], [HELD], 1)
    keep = ([HELD, NEAR], [], [KEPT, HAND], [HELD], 1)
    assert relevant(task_of(4, [keep, drop], [HAND], [HELD, NEAR]))[0] == {1}
