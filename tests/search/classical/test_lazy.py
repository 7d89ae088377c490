"""Lazy search: plans are valid, exhaustion is proof, memory grows, limits hold; below the bound of weighted A* there is
a plan, or the proof that there is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.heuristics.delete_relaxation import ff_of_cost_and_length
from commonsense_planning.heuristics.landmarks import priced
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state
from commonsense_planning.kernels.engine import failed, goal_reached
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, SearchResult
from commonsense_planning.search.classical.lazy import WeightedAStar, alternating_search, turns_from
from commonsense_planning.validation.replay import run
from commonsense_planning.validation.verdict import Verdict
from tests.data import ipc_task
from tests.kernels.test_action_elimination import reaches
from tests.random_tasks import blocks, compiled_at, derived_tasks, task_of, tasks
from tests.search.classical.test_best_first import SMALL_IPC, carried_out, flips, least_cost


def search(task: GroundTask, limits: Limits | None = None, by_turns: bool = True) -> SearchResult:
    compiled, state = compiled_at(task)
    return alternating_search(compiled, state, limits) if by_turns else BestFirst(compiled).gbfs(state, limits)


EITHER = pytest.mark.parametrize("by_turns", [True, False])


@given(tasks() | derived_tasks())
def test_exhaustion_is_proof(task: GroundTask) -> None:
    result = search(task)
    expected = least_cost(task)
    assert result.status == (Status.UNSOLVABLE if expected is None else Status.SOLVED)
    if expected is not None:
        assert carried_out(task, result) is not None


@EITHER
def test_it_exhausts_a_space_larger_than_its_first_memory(by_turns: bool) -> None:
    here, there = 11, 12  # one or the other, never both: no estimate sees it
    moves = [([], [], [here], [there], 1), ([], [], [there], [here], 1)]
    result = search(task_of(13, [*flips(11), *moves], [here, there]), by_turns=by_turns)
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


@pytest.mark.parametrize("facts", [11, 2], ids=["more states", "no more"])
def test_a_search_begins_again_after_its_lists_have_grown(facts: int) -> None:
    """In the memory that it began with, whatever it grew to."""
    here, there = facts, facts + 1
    moves = [([], [], [here], [there], 1), ([], [], [there], [here], 1)]
    idle = [([], [], [facts + 2 + i], [facts + 2 + i], 1) for i in range(5000)]
    task = task_of(facts + 5002, [*flips(facts), *moves, *idle], [here, there])
    search, state = BestFirst(compiled := compile_task(task)), make_state(compiled, task.init)
    first, second = (search.gbfs(state, Limits(evaluations=20)) for _ in range(2))
    assert (first.status, first.evaluated, first.expanded) == (second.status, second.evaluated, second.expanded)


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
    """1 is on 2, as it must be; 2 has to be put on 0. With natural orders alone, five states are evaluated."""
    result = search(blocks([3, 2, 3], [3, 2, 0]))
    assert len(result.operators) == result.evaluated == 3


def test_obstacles_count() -> None:
    """A robot that drives onto an obstacle's place would be idle in nothing else: the estimates see the detour, so that
    no state next to it is looked at."""
    at, blocked = list(range(5)), [5, 6, 7, 8, 9]
    drive = [([at[i]], [blocked[i + 1]], [at[i + 1], blocked[i + 1]], [at[i]], 1) for i in range(4)]
    clear = [([], [], [], [blocked[i]], 1) for i in range(1, 5)]
    result = search(task_of(10, [*drive, *clear], [at[4]], true=[at[0], *blocked[1:]]))
    assert result.status == Status.SOLVED
    assert len(result.operators) == 8
    assert result.evaluated == 8


@pytest.mark.data
@EITHER
@pytest.mark.parametrize("name", SMALL_IPC)
def test_it_solves_small_ipc_tasks(name: str, by_turns: bool) -> None:
    read = read_problem(*ipc_task(name))
    task = ground(read)
    result, again = (search(task, by_turns=by_turns) for _ in range(2))
    assert result.status == Status.SOLVED
    assert (result.operators, result.expanded) == (again.operators, again.expanded)
    assert run(read, Plan(tuple(task.step(o) for o in result.operators))).report.verdict is Verdict.VALID


def weighted(compiled: Compiled, state: State | None = None) -> WeightedAStar:
    """Weighted A* by h_FF, and from a ``state`` by landmarks and novelty as well."""
    h = ff_of_cost_and_length(compiled)
    if state is None:
        return WeightedAStar(h)
    turns = turns_from(h, state)
    return WeightedAStar(h, turns._replace(landmarks=priced(h.relaxation, turns.landmarks)))


WEIGHTS = st.sampled_from([(1, 1), (1, 2), (1, 5)])


@given(tasks() | derived_tasks(), WEIGHTS, st.integers(-1, 3))
def test_a_plan_below_the_bound_is_found_if_there_is_one(task: GroundTask, weights: tuple[int, int], ties: int) -> None:
    compiled, state = compiled_at(task)
    if goal_reached(compiled.table, state) or failed(compiled.table, state) >= 0:
        return
    search = weighted(compiled) if ties < 0 else weighted(compiled, state)
    least = least_cost(task)
    bound = 1000
    while least is not None and bound > least:
        search.restart(state, *weights, max(0, ties))
        found = search.cheaper(bound, 10**6)
        assert reaches(compiled.table, state, list(found))
        bound, before = int(sum(task.operators.cost[o] for o in found)), bound
        assert bound < before
    search.restart(state, *weights, max(0, ties))
    assert search.cheaper(bound, 10**6) is None
    assert search.exhausted


def test_a_state_that_is_reached_more_cheaply_is_opened_again() -> None:
    """The estimates like the shortcut to (3); only by the way round, in three steps, the goal is below the bound."""
    way = [([0], [], [1], [0], 0), ([1], [], [2], [1], 0), ([2], [], [3], [2], 0), ([3], [], [4], [3], 5)]
    task = task_of(5, [([0], [], [3], [0], 1), *way], [4], true=[0])
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    for search in (weighted(compiled), weighted(compiled, state)):
        search.restart(state, 1, 1)
        assert search.cheaper(6, 1000) == (1, 2, 3, 4)


@pytest.mark.parametrize("ties", [0, 1, 2])
def test_a_search_continues_where_it_stopped(ties: int) -> None:
    """Twelve switches have to be on, and any may be switched: in small parts as in one go."""
    switches = [([], [f], [f], [], 1) for f in range(12)] + [([f], [], [], [f], 1) for f in range(12)]
    task = task_of(12, switches, list(range(12)))
    (compiled, state), plans = compiled_at(task), []
    for part in (3, 10**6):
        search = weighted(compiled, state)
        search.restart(state, 1, 1, ties)
        found, evaluated = None, 0
        while found is None:
            found = search.cheaper(100, part)
            evaluated += search.take_evaluated()
        plans.append((found, evaluated))
    assert plans[0] == plans[1]


def test_a_landmark_counts_what_its_cheapest_achiever_does() -> None:
    """By either of two doors (3 or 7 to open) and a corridor (5)."""
    task = task_of(2, [([], [], [0], [], 3), ([], [], [0], [], 7), ([0], [], [1], [], 5)], [1])
    compiled = compile_task(task)
    h = ff_of_cost_and_length(compiled)
    marks = priced(h.relaxation, turns_from(h, make_state(compiled, task.init)).landmarks)
    assert dict(zip(marks.propositions.tolist(), marks.price.tolist(), strict=True)) == {0: 4, 1: 6}
