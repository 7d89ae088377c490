"""The loop of lazy search reaches the same states, in the same order, as its slow twin, however ties are broken."""

from dataclasses import replace
from heapq import heappop, heappush

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import BestFirst, Blind, Compiled, GroundTask, TransitionModel, make_state
from commonsense_planning.heuristics.delete_relaxation import ff_of_cost_and_length
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import State, compile_task
from commonsense_planning.kernels.eager_search import KEPT, UNKNOWN, restore, save
from commonsense_planning.kernels.lazy_search import ALL, START
from commonsense_planning.kernels.lm_cut import spent
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.search_memory import COUNTS, SIZES, STATES
from commonsense_planning.search.classical.lazy import WeightedAStar
from tests.random_tasks import compiled_at, derived_tasks, task_of, tasks
from tests.search.classical.test_best_first import carried_out

WORD = 2**64 - 1


def mixed(number: int, ties: int) -> int:
    """The place of the state that is entered as this number."""
    if ties == 0:
        return number << 32
    place = (number + 1) * 0x9E3779B97F4A7C15 * (2 * ties + 1) & WORD
    return ((place ^ place >> 32) * 0xD6E8FEB86659FD93 & WORD) >> 33 << 32


def reached(compiled: Compiled, start: State, weights: tuple[int, int], bound: int, ties: int) -> list[bytes]:
    """The states that weighted A* by h_FF reaches until there is a plan below the bound, or none, in their order."""
    g_weight, h_weight = weights
    h, world, cost = ff_of_cost_and_length(compiled), TransitionModel(compiled), compiled.operators.cost.tolist()
    states, distance, dead, best, entered = [start], [0], set[int](), float(FAR), 0
    numbers = {start.tobytes(): 0}
    lists: list[list[tuple[int, int, int, int]]] = [[(0, 0, 0, START)], []]
    turns = [0, -1]
    while any(lists):
        which = min((q for q in (0, 1) if lists[q]), key=turns.__getitem__)
        key, order, origin, operator = heappop(lists[which])
        if operator == ALL:
            for i, o in enumerate(world.applicable(states[origin]).tolist()):
                if distance[origin] + cost[o] < bound:
                    heappush(lists[which], (key + g_weight * cost[o], order + i, origin, o))
            continue
        number, g = origin, 0
        if operator != START:
            g = distance[origin] + cost[operator]
            if g >= bound:
                continue
            state = world.successor(states[origin], operator)
            number = numbers.setdefault(state.tobytes(), len(states))
            if number == len(states):
                states.append(state)
                distance.append(g)
            elif distance[number] <= g or number in dead:
                turns[which] += 1
                continue
            distance[number] = g
            if world.failure(state) is not None:
                dead.add(number)
                turns[which] += 1
                continue
            if world.reached(state):
                break
        turns[which] += 1
        estimate = h(states[number])
        if estimate >= FAR:
            dead.add(number)
            continue
        if operator != START and estimate < best:
            turns[1] -= 1000
        best, entered = min(best, estimate), entered + 1
        key, order = g_weight * g + h_weight * int(estimate), mixed(entered, ties)
        heappush(lists[0], (key, order, number, ALL))
        for i, o in enumerate(h.relaxed_plan(states[number])):
            if o in world.applicable(states[number]):
                heappush(lists[1], (key + g_weight * cost[o], order + i, number, o))
    return [state.tobytes() for state in states]


def same(task: GroundTask, weights: tuple[int, int], bound: int, ties: int) -> None:
    compiled, start = compiled_at(task)
    search = WeightedAStar(ff_of_cost_and_length(compiled))
    search.restart(start, *weights, ties)
    search.cheaper(bound, 10**6)
    found = search.memory.states[: search.memory.counts[STATES]]
    assert [state.tobytes() for state in found] == reached(compiled, start, weights, bound, ties)


@given(tasks() | derived_tasks(), st.sampled_from([(1, 1), (1, 5)]), st.integers(1, 12), st.integers(0, 3))
def test_of_random_tasks(task: GroundTask, weights: tuple[int, int], bound: int, ties: int) -> None:
    same(task, weights, bound, ties)


@pytest.mark.parametrize("ties", [0, 1, 2])
def test_many_successors_keep_their_places(ties: int) -> None:
    """Nine switches have to be on, and any may be switched; none changes the estimate of the last one."""
    switches: list[tuple[list[int], list[int], list[int], list[int], int]]
    switches = [([], [f], [f], [], 1) for f in range(9)] + [([f], [], [], [f], 1) for f in range(9)]
    same(task_of(11, [*switches, ([*range(9), 9], [], [10], [], 1)], [10], true=[9]), (1, 1), 100, ties)


@given(tasks())
def test_what_an_operator_does_not_meet_is_still_to_be_met_after_it(task: GroundTask) -> None:
    compiled = compile_task(task)
    heuristic, blind = LMCut(compiled), BestFirst(compiled, Blind(compiled))
    state = make_state(compiled, task.init)
    cost = heuristic(state)
    bounds = [cost - spent(heuristic.costs, o) for o in range(task.operator_count)]
    for operator, after in TransitionModel(compiled).successors(state):
        operators = blind.astar(after).operators
        if operators is not None:
            assert bounds[operator] <= sum(task.operators.cost[o] for o in operators)


@pytest.mark.parametrize("dear", [1, UNKNOWN - 1, UNKNOWN, 10 * UNKNOWN])
def test_dear_operators_are_no_trouble(dear: int) -> None:
    """Two ways; the one that seems cheaper takes its first step twice."""
    twice = [([], [], [0], [], dear), ([0], [], [1], [0], dear), ([0], [], [2], [0], 1), ([1, 2], [], [3], [], dear)]
    once = [([], [], [4], [], 3 * dear), ([4], [], [3], [], dear)]
    task = task_of(5, [*twice, *once], [3])
    compiled = compile_task(task)
    result = BestFirst(compiled, LMCut(compiled)).astar(make_state(compiled, task.init))
    assert carried_out(task, result) == 4 * dear


@given(tasks())
def test_one_search_leaves_nothing_to_the_next(task: GroundTask) -> None:
    compiled = compile_task(task)
    planner, state = BestFirst(compiled, LMCut(compiled)), make_state(compiled, task.init)
    states = [state, *(after for _, after in TransitionModel(compiled).successors(state)), state]
    again = [replace(planner.astar(one), seconds=0.0) for one in states]
    assert again == [replace(BestFirst(compiled, LMCut(compiled)).astar(one), seconds=0.0) for one in states]


@given(st.lists(st.lists(st.integers(0, UNKNOWN), max_size=20), min_size=1, max_size=5))
def test_what_is_kept_comes_back(rows: list[list[int]]) -> None:
    second, counts = np.zeros((64, 4), np.int64), np.zeros(COUNTS, np.int64)
    kept = [save(second, counts, 7 + i, np.array(met, np.int64), len(met)) for i, met in enumerate(rows)]
    assert counts[SIZES + KEPT] <= len(second)
    for i, (row, met) in enumerate(zip(kept, rows, strict=True)):
        back = np.zeros(len(met), np.int64)
        assert restore(second, counts, row, back, len(met)) == 7 + i
        assert back.tolist() == met
