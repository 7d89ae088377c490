"""Anytime planning: costs fall, and the last plan is a cheapest one; plans at the least cost, and windows of a plan."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import BestFirst, GroundTask, Status, TransitionModel, make_state, read_problem
from commonsense_planning.grounding.ground_task import Goal, lists_of
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.heuristics.registry import heuristic_named
from commonsense_planning.kernels.compiled import State, compile_task, unpack
from commonsense_planning.kernels.engine import failed
from commonsense_planning.search.classical.anytime import Anytime, Improvement, _Descent, _Series
from commonsense_planning.search.classical.cheapest import cheapest_plan
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import WeightedAStar
from commonsense_planning.search.classical.windows import PlanWindows, needs, states_of
from tests.data import HOUSEHOLD
from tests.random_tasks import compiled_at, derived_tasks, task_of, tasks
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
def test_after_the_lowest_weight_it_stays_there_or_restarts_with_more_patience_and_other_ties(
    patience: int | None, fifth: tuple[int, int, int], left: int
) -> None:
    search = Begun()
    series = _Series(search, patience)
    for _ in range(4):
        assert series.left == (patience or sys.maxsize)
        series.next(np.zeros(1, np.uint64))
    assert search.weights == [(1, 3, 0), (1, 2, 0), (1, 1, 0), fifth]
    assert series.left == left


@given(tasks() | derived_tasks())
def test_the_plan_is_one_of_the_whole_task_and_none_is_cheaper(task: GroundTask) -> None:
    expected, found = least_cost(task), cheapest_plan(task)
    assert found.cost == expected
    assert found.proven == (expected is not None)
    if expected is not None:
        assert carried_out(task, found.result) == expected


WAYS = (range(1, 80), range(81, 180))  # two ways from fact 0 to fact 200


def two_ways(cost: int) -> GroundTask:
    """A way of 81 steps, and one of 101, each step at the same cost."""
    steps = [([f], [], [f + 1], [], cost) for way in WAYS for f in way]
    steps += [([0], [], [way.start], [], cost) for way in WAYS] + [([way.stop], [], [200], [], cost) for way in WAYS]
    return task_of(201, steps, [200], [0])


@pytest.mark.parametrize("cost", [2**24 + 1, 2**31, 10**15])
@pytest.mark.parametrize("name", ["lmcut", "ff", "max", "blind"])
def test_sums_of_large_costs_are_exact(name: str, cost: int) -> None:
    found = cheapest_plan(two_ways(cost), kind=heuristic_named(name))
    assert found.result.status is Status.SOLVED
    assert found.cost == 81 * cost
    assert found.proven == (name != "ff")


@pytest.mark.parametrize("name", ["lmcut", "ff", "max", "blind"])
def test_where_sums_end_below_the_cost_there_is_a_plan_and_no_false_proof(name: str) -> None:
    found = cheapest_plan(two_ways(2 * 10**16), kind=heuristic_named(name))
    assert found.result.status is Status.SOLVED
    assert found.bound <= 162 * 10**16
    assert found.cost == 162 * 10**16 or not found.proven


@pytest.mark.parametrize("cheap", [65_533, 65_535, 10**12])
def test_a_step_that_costs_one_less_is_preferred(cheap: int) -> None:
    task = task_of(2, [([], [], [0], [], 0), ([0], [], [1], [], cheap), ([], [], [1], [], cheap + 1)], [1])
    assert cheapest_plan(task).cost == cheap


@given(tasks(), st.sampled_from([300_000_007, 10**11 + 3]))
def test_large_costs_are_added_up_exactly(task: GroundTask, by: int) -> None:
    cost = task.operators.cost * by + np.arange(task.operator_count)
    large = replace(task, operators=task.operators._replace(cost=cost))
    expected, found = least_cost(large), cheapest_plan(large)
    assert found.cost == expected
    assert found.proven == (expected is not None)
    if expected is not None:
        anytime = Anytime(large, compile_task(large), make_state(compile_task(large), large.init), Limits(0.05)).run()
        told = [better.cost for better in anytime.improvements]
        assert told[-1] >= expected and told == sorted(told, reverse=True)
        assert told[-1] == large.cost(anytime.result.operators or ())


def test_a_plan_in_a_whole_home_is_proven() -> None:
    task = ground(read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl"))
    found = cheapest_plan(task)
    assert found.proven
    assert found.cost == len(found.result.operators)


def test_where_the_limit_comes_first_the_gap_is_reported() -> None:
    chain = [([f], [], [f + 1], [], 1) for f in range(300)]
    branches = [([f], [], [301 + f], [f], 1) for f in range(300)]
    back = [([301 + f], [], [f], [], 1) for f in range(300)]
    task = task_of(602, [*chain, *branches, *back], [300, 450], [0])
    found = cheapest_plan(task, limits=Limits(evaluations=1))
    assert found.cost is not None
    assert found.bound <= found.cost
    assert found.proven == (found.result.status is Status.SOLVED)


@given(tasks() | derived_tasks())
def test_from_where_what_is_needed_holds_the_rest_is_a_plan(task: GroundTask) -> None:
    compiled, state = compiled_at(task)
    operators = BestFirst(compiled).gbfs(state).operators
    if operators is None:
        return
    states = states_of(compiled, state, operators)
    wanted = needs(task, [unpack(passed, task.fact_count) for passed in states], operators)
    reachable, new = {state.tobytes(): state}, [state]
    while new and len(reachable) < 100:
        for _, after in TransitionModel(compiled).successors(new.pop()):
            if after.tobytes() not in reachable:
                reachable[after.tobytes()] = after
                new.append(after)
    for place in range(len(operators) + 1):
        for other in reachable.values():
            truths = unpack(other, task.fact_count)
            if truths[wanted.pos.row(place)].all() and not truths[wanted.neg.row(place)].any():
                rest = states_of(compiled, other, operators[place:])
                assert rest is not None or _fails(task, other, operators[place:])


def _fails(task: GroundTask, state: object, operators: tuple[int, ...]) -> bool:
    """Whether a constraint is violated on the way; what is needed is silent about them."""
    compiled = compile_task(task)
    generator, here = TransitionModel(compiled), state
    for operator in operators:
        here = generator.successor(here, operator)
        if failed(compiled.table, here) >= 0:
            return True
    return False


def test_a_window_leaves_out_a_detour() -> None:
    """From 0 over 1, 2 and 3 to 4; straight on it is one step from 1 to 4."""
    around = [([f], [], [f + 1], [f], 1) for f in range(4)]
    task = task_of(6, [*around, ([1], [], [4], [1], 1), ([4], [], [5], [4], 1)], [5], [0])
    compiled = compile_task(task)
    operators = (0, 1, 2, 3, 5)
    states = states_of(compiled, make_state(compiled, task.init), operators)
    better = PlanWindows(task, compiled, operators, states).passed_through(4, 100, lambda evaluated: False)
    assert better == (0, 4, 5)
    assert states_of(compiled, states[0], (0, 4, 1)) is None
