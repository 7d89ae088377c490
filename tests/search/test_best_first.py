"""Best-first search: plans are valid, A* is optimal, exhaustion is proof, memory grows, limits hold."""

from __future__ import annotations

import heapq
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.replay import run
from commonsense_planning.pddl.verdict import Verdict
from commonsense_planning.search.best_first import BestFirst, Limits, SearchResult
from commonsense_planning.search.result import Status
from commonsense_planning.task.engine import compile_task, make_state, sense_all
from commonsense_planning.task.ground_task import Goal, GroundTask, Operators, lists_of
from commonsense_planning.task.grounding import ground
from commonsense_planning.task.observing import Observing
from commonsense_planning.task.reference import Reference, Situation
from tests.data import REPOSITORY, ipc_tasks
from tests.random_tasks import no_problem, observed_tasks, tasks


def least_cost(task: GroundTask, observing: Observing | None = None) -> int | None:
    """Dijkstra's, with the slow twin; None if there is no plan."""
    twin = Reference(task, observing)
    start = twin.start(frozenset(np.flatnonzero(task.init).tolist()))
    best = {start: 0}
    queue = [(0, 0, start)]
    for ticket in itertools.count(1):
        if not queue:
            return None
        cost, _, situation = heapq.heappop(queue)
        if cost > best[situation]:
            continue
        if twin.goal_reached(situation):
            return cost
        for o in twin.applicable(situation):
            after = twin.progress(situation, o)
            through = cost + int(task.operators.cost[o])
            if through < best.get(after, 2**60):
                best[after] = through
                heapq.heappush(queue, (through, ticket, after))
    return None


def carried_out(task: GroundTask, result: SearchResult) -> int | None:
    """The plan's cost, or None if it is no plan."""
    assert result.operators is not None
    twin = Reference(task)
    situation = Situation(frozenset(np.flatnonzero(task.init).tolist()), frozenset(range(task.fact_count)))
    for o in result.operators:
        if o not in twin.applicable(situation):
            return None
        situation = twin.progress(situation, o)
    return (
        sum(int(task.operators.cost[o]) for o in result.operators) if twin.goal_reached(situation) else None
    )


@settings(max_examples=80)
@given(tasks())
def test_astar_is_optimal_and_exhaustion_is_proof(task: GroundTask) -> None:
    expected = least_cost(task)
    compiled = compile_task(task)
    planner = BestFirst(compiled, unit_cost=False)
    state = make_state(compiled, task.init)
    for blind in (False, True):
        result = planner.astar(state, blind)
        assert result.status == (Status.UNSOLVABLE if expected is None else Status.SOLVED)
        if expected is not None:
            assert carried_out(task, result) == expected
    result = BestFirst(compiled).gbfs(state)
    assert result.status == (Status.UNSOLVABLE if expected is None else Status.SOLVED)
    if expected is not None:
        assert carried_out(task, result) is not None
    assert state.tolist() == make_state(compiled, task.init).tolist()


@settings(max_examples=150)
@given(observed_tasks())
def test_exhaustion_is_proof_where_things_are_hidden(case: tuple[GroundTask, Observing]) -> None:
    task, observing = case
    expected = least_cost(task, observing)
    compiled = compile_task(task, observing)
    state = make_state(compiled, task.init)
    sense_all(compiled.table, state)
    for result in (
        BestFirst(compiled).gbfs(state),
        BestFirst(compiled, unit_cost=False).astar(state),
    ):
        assert result.status == (Status.UNSOLVABLE if expected is None else Status.SOLVED)
    if expected is not None:
        assert result.operators is not None
        assert sum(int(task.operators.cost[o]) for o in result.operators) == expected


Plain = tuple[list[int], list[int], list[int], list[int], int]  # pre, npre, add, delete, cost


def plain(facts: int, moves: list[Plain], goal: list[int]) -> GroundTask:
    """A task without conditional effects in which no fact is true at first."""
    zero, empty = np.zeros(len(moves), np.int64), lists_of([])
    pre, npre, add, delete = (lists_of(m[k] for m in moves) for k in range(4))  # type: ignore[misc]
    cost = np.array([m[4] for m in moves], np.int64)
    return GroundTask(
        problem=no_problem(),
        objects=(),
        facts=tuple((f"f{i}", ()) for i in range(facts)),
        init=np.zeros(facts, np.bool_),
        operators=Operators(pre, npre, add, delete, zero, zero, empty, empty, empty, empty, cost),
        goal=Goal(lists_of([goal]), lists_of([[]])),
        schemas=("a",),
        arities=(0,),
        schema=np.zeros(len(moves), np.int32),
        arguments=np.zeros((len(moves), 0), np.int32),
    )


def flips(count: int) -> list[Plain]:
    """Moves that set and clear each of the first ``count`` facts: 2 ** count states."""
    return [m for i in range(count) for m in (([], [i], [i], [], 1), ([i], [], [], [i], 1))]


def test_actions_that_cost_nothing_lead_astar_round_in_no_circle() -> None:
    task = plain(4, [*flips(4), ([], [], [], [], 0), ([], [], [0], [0], 0)], [1, 2, 3])
    compiled = compile_task(task)
    for blind in (False, True):
        result = BestFirst(compiled, unit_cost=False).astar(make_state(compiled, task.init), blind)
        assert carried_out(task, result) == 3


def test_memory_grows_with_the_search() -> None:
    task = plain(13, flips(13), list(range(13)))
    compiled = compile_task(task)
    result = BestFirst(compiled, unit_cost=False).astar(make_state(compiled, task.init), blind=True)
    assert result.status == Status.SOLVED
    assert carried_out(task, result) == 13
    assert result.expanded >= 2**13 - 2


def test_gbfs_exhausts_a_space_larger_than_its_first_memory() -> None:
    here, there = 11, 12  # one or the other, never both: h_FF does not see it
    task = plain(13, [*flips(11), ([], [], [here], [there], 1), ([], [], [there], [here], 1)], [here, there])
    compiled = compile_task(task)
    result = BestFirst(compiled).gbfs(make_state(compiled, task.init))
    assert result.status == Status.UNSOLVABLE
    assert result.expanded == 3 * 2**11


PUZZLE = plain(18, flips(18), list(range(18)))


def test_a_time_limit_ends_the_search_without_a_verdict() -> None:
    compiled = compile_task(PUZZLE)
    planner = BestFirst(compiled)
    state = make_state(compiled, PUZZLE.init)
    for limits in (Limits(seconds=0.0), Limits(megabytes=1)):
        result = planner.astar(state, True, limits)
        assert result.status == Status.BUDGET
        assert result.operators is None
        assert result.expanded < 2**18


def test_progress_is_reported() -> None:
    compiled = compile_task(PUZZLE)
    seen: list[tuple[str, int, int]] = []
    BestFirst(compiled).astar(
        make_state(compiled, PUZZLE.init), True, Limits(megabytes=1), lambda *values: seen.append(values)
    )
    assert seen
    assert {what for what, _, _ in seen} == {"h"}


SMALL_IPC = (
    *("gripper/prob01", "blocks/probBLOCKS-6-0", "miconic-fulladl/f1-0", "driverlog/pfile1", "storage/p01"),
    *("logistics00/problogistics-4-0", "rovers/p02", "satellite/p01-pfile1", "freecell/pfile1"),
    *("sokoban-opt08-strips/p03", "trucks/p01", "ged-opt14-strips/d-1-4"),
)


def shipped() -> list[Path]:
    return sorted((REPOSITORY / "pddl").glob("*/problems/*.pddl"))


def ipc(name: str) -> tuple[Path, Path]:
    for domain, problem in ipc_tasks():
        if f"{problem.parent.name}/{problem.stem}" == name:
            return domain, problem
    pytest.skip("no IPC sample")


def solve_and_check(domain: Path, problem: Path) -> SearchResult:
    read = read_problem(domain, problem)
    task = ground(read)
    compiled = compile_task(task)
    planner, state = BestFirst(compiled), make_state(compiled, task.init)
    result = planner.gbfs(state)
    again = planner.gbfs(state)
    assert (result.operators, result.expanded) == (again.operators, again.expanded)
    if result.operators is not None:
        plan = Plan(tuple(task.step(o) for o in result.operators))
        assert run(read, plan).report.verdict is Verdict.VALID
    return result


@pytest.mark.parametrize("problem", shipped(), ids=lambda p: f"{p.parents[1].name}-{p.stem}")
def test_gbfs_solves_the_shipped_problems(problem: Path) -> None:
    result = solve_and_check(problem.parents[1] / "domain.pddl", problem)
    assert result.status == (Status.UNSOLVABLE if problem.stem.startswith("missing") else Status.SOLVED)


@pytest.mark.parametrize("name", SMALL_IPC)
def test_gbfs_solves_small_ipc_tasks(name: str) -> None:
    assert solve_and_check(*ipc(name)).status == Status.SOLVED


@pytest.mark.parametrize(("name", "cost"), [("gripper/prob01", 11), ("blocks/probBLOCKS-4-0", 6)])
def test_astar_finds_the_known_optimum(name: str, cost: int) -> None:
    task = ground(read_problem(*ipc(name)))
    compiled = compile_task(task)
    for blind in (False, True):
        result = BestFirst(compiled, unit_cost=False).astar(make_state(compiled, task.init), blind)
        assert result.operators is not None
        assert len(result.operators) == cost
