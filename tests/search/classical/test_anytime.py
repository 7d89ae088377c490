"""Anytime planning: every plan is one, costs fall, and where nothing is left to search, the last one is a cheapest."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import Goal, GroundTask, lists_of
from commonsense_planning.kernels.compiled import State, compile_task, make_state
from commonsense_planning.search.classical.anytime import Anytime, Improvement, _Descent, _Series
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import WeightedAStar
from tests.random_tasks import derived_tasks, task_of, tasks
from tests.search.classical.test_best_first import carried_out, least_cost


@given(tasks() | derived_tasks())
def test_without_a_limit_it_ends_with_a_cheapest_plan(task: GroundTask) -> None:
    compiled = compile_task(task)
    found = Anytime(task, compiled, make_state(compiled, task.init), Limits()).run()
    expected = least_cost(task)
    assert found.proven == (expected is not None)
    assert (found.result.status is Status.SOLVED) == (expected is not None)
    if expected is not None:
        assert carried_out(task, found.result) == expected
    costs = [improvement.cost for improvement in found.improvements]
    assert costs == sorted(set(costs), reverse=True)


def _interrupt(better: Improvement) -> None:
    raise KeyboardInterrupt


def test_an_interrupt_keeps_the_best_plan() -> None:
    task = task_of(2, [([], [], [0], [], 3), ([0], [], [1], [], 1), ([], [], [1], [], 5)], [1])
    compiled = compile_task(task)
    found = Anytime(task, compiled, make_state(compiled, task.init), Limits(), improved=_interrupt).run()
    assert (found.ended, found.proven) == ("interrupted", False)
    assert carried_out(task, found.result) == found.improvements[-1].cost


def test_equal_numbers_of_states_give_equal_plans() -> None:
    steps = [([f], [], [f + 1], [f], 1 + f % 3) for f in range(30)]
    leaps = [([f], [], [f + 3], [f], 2 + f % 5) for f in range(27)]
    task = task_of(31, [*steps, *leaps], [30], [0])
    compiled = compile_task(task)
    runs = [Anytime(task, compiled, make_state(compiled, task.init), Limits(evaluations=40)).run() for _ in range(2)]
    assert runs[0].result.operators == runs[1].result.operators
    assert [replace(i, seconds=0.0) for i in runs[0].improvements] == [
        replace(i, seconds=0.0) for i in runs[1].improvements
    ]
    assert sum(task.operators.cost[o] for o in runs[0].result.operators or ()) == runs[0].improvements[-1].cost


def test_a_window_that_spoils_what_follows_is_not_taken() -> None:
    """Twenty steps in a line. The first may be taken cheaply, on a bad road; who came by it may not pass the 15th
    place, which windows at the start do not see. So no size of them helps."""
    bad = 21
    steps = [([f], [], [f + 1], [f], 3) for f in range(20)]
    task = task_of(22, [*steps, ([0], [], [1, bad], [0], 1)], [20], [0])
    task = replace(task, failure=Goal(lists_of([[15, bad]]), lists_of([[]])), violates=(0,))
    compiled = compile_task(task)
    search = Anytime(task, compiled, make_state(compiled, task.init), Limits())
    assert search._keep(range(20)) == tuple(range(20))
    descent = _Descent(tuple(range(20)))
    assert [search._descended(descent) for _ in range(3)] == [True, True, False]
    assert descent.plan == tuple(range(20))


class Begun(WeightedAStar):
    """Only notes with what it is begun."""

    def __init__(self) -> None:
        self.weights: list[tuple[int, int, int]] = []

    def restart(self, state: State, g_weight: int, h_weight: int, ties: int = 0) -> None:
        self.weights.append((g_weight, h_weight, ties))


@pytest.mark.parametrize(("patience", "fifth", "left"), [(None, (1, 1, 0), sys.maxsize), (100, (1, 5, 1), 200)])
def test_after_the_lowest_weight_it_stays_or_who_gives_up_soon_begins_again_with_more_patience_and_other_ties(
    patience: int | None, fifth: tuple[int, int, int], left: int
) -> None:
    search = Begun()
    series = _Series(search, patience)
    for _ in range(4):
        assert series.left == (patience or sys.maxsize)
        series.next(np.zeros(1, np.uint64))
    assert search.weights == [(1, 3, 0), (1, 2, 0), (1, 1, 0), fifth]
    assert series.left == left
