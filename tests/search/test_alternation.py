"""Greedy search with several open lists: plans are valid, exhaustion is proof, memory grows, limits hold."""

from __future__ import annotations

import pytest
from hypothesis import given

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.alternation import alternating_search
from commonsense_planning.search.best_first import Limits, SearchResult
from commonsense_planning.validation.replay import run
from commonsense_planning.validation.verdict import Verdict
from tests.data import ipc_task
from tests.random_tasks import blocks, derived_tasks, task_of, tasks
from tests.search.test_best_first import SMALL_IPC, carried_out, flips, least_cost


def search(task: GroundTask, limits: Limits | None = None) -> SearchResult:
    compiled = compile_task(task)
    return alternating_search(compiled, make_state(compiled, task.init), limits)


@given(tasks() | derived_tasks())
def test_exhaustion_is_proof(task: GroundTask) -> None:
    result = search(task)
    expected = least_cost(task)
    assert result.status == (Status.UNSOLVABLE if expected is None else Status.SOLVED)
    if expected is not None:
        assert carried_out(task, result) is not None


def test_it_exhausts_a_space_larger_than_its_first_memory() -> None:
    here, there = 11, 12  # one or the other, never both: no estimate sees it
    moves = [([], [], [here], [there], 1), ([], [], [there], [here], 1)]
    result = search(task_of(13, [*flips(11), *moves], [here, there]))
    assert result.status == Status.UNSOLVABLE
    assert result.expanded == 3 * 2**11


def test_more_successors_than_its_first_lists_have_room_for() -> None:
    """The goal wants what is never so together; on the way, 5000 operators are applicable in every state."""
    here, there = 0, 1
    moves = [([], [], [here], [there], 1), ([], [], [there], [here], 1)]
    idle = [([], [], [2 + i], [2 + i], 1) for i in range(5000)]
    result = search(task_of(5002, [*moves, *idle], [here, there]), Limits(evaluations=10))
    assert result.status == Status.BUDGET
    assert result.evaluated < 500


def test_limits_end_the_search_without_a_verdict() -> None:
    here, there = 18, 19
    moves = [([], [], [here], [there], 1), ([], [], [there], [here], 1)]
    task = task_of(20, [*flips(18), *moves], [here, there])
    for limits, reason in (
        (Limits(seconds=0.0), "the time is up"),
        (Limits(evaluations=50), " states are evaluated"),
        (Limits(megabytes=1), "the search may take no more than 1 MB"),
    ):
        result = search(task, limits)
        assert result.status == Status.BUDGET
        assert result.operators is None
        assert result.reason.endswith(reason)


def test_what_is_at_its_place_but_in_the_way_is_taken_off_at_once() -> None:
    """1 stands on 2, as is wanted; 2 has to be put on 0. With natural orders alone, five states are evaluated."""
    result = search(blocks([3, 2, 3], [3, 2, 0]))
    assert result.operators is not None
    assert len(result.operators) == result.evaluated == 3


def test_what_stands_in_the_way_counts() -> None:
    """A robot that drives onto an obstacle's place would be idle in nothing else: the estimates see the detour, so that
    no state beside it is looked at."""
    at, blocked = list(range(5)), [5, 6, 7, 8, 9]
    drive = [([at[i]], [blocked[i + 1]], [at[i + 1], blocked[i + 1]], [at[i]], 1) for i in range(4)]
    clear = [([], [], [], [blocked[i]], 1) for i in range(1, 5)]
    result = search(task_of(10, [*drive, *clear], [at[4]], true=[at[0], *blocked[1:]]))
    assert result.status == Status.SOLVED
    assert result.operators is not None
    assert len(result.operators) == 8
    assert result.evaluated == 8


@pytest.mark.data
@pytest.mark.parametrize("name", SMALL_IPC)
def test_it_solves_small_ipc_tasks(name: str) -> None:
    read = read_problem(*ipc_task(name))
    task = ground(read)
    result, again = search(task), search(task)
    assert result.status == Status.SOLVED
    assert (result.operators, result.expanded) == (again.operators, again.expanded)
    assert result.operators is not None
    assert run(read, Plan(tuple(task.step(o) for o in result.operators))).report.verdict is Verdict.VALID
