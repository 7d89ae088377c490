"""A* that adds up costs of any size, for tasks whose costs the kernels round: one that is not compiled, and so slower.

The heuristic counts costs rounded down, in units of the compiled task; this number of units is still no more than a
plan costs, and what is said of A* by an admissible heuristic holds. A state that is reached more cheaply is opened
again.
"""

from __future__ import annotations

import math
import time
from heapq import heappop, heappush

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.heuristic import Heuristic
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.compiled_search import Limits, Report, SearchResult
from commonsense_planning.state import State

_NOW_AND_THEN = 1000  # states between two reports
_OVERHEAD = 1000  # bytes that a state takes besides its bits


def exact_astar(
    task: GroundTask, compiled: Compiled, heuristic: Heuristic, state: State, limits: Limits, report: Report
) -> SearchResult:
    """A* from ``state`` by costs as ``task`` has them; ``report`` gets ("h", latest f, evaluated states)."""
    started, transition, costs = time.perf_counter(), TransitionModel(compiled), task.operators.cost.tolist()
    dead = transition.failure(state) is not None or heuristic(state) == math.inf
    h = None if dead else int(heuristic(state)) * compiled.unit
    came: dict[bytes, tuple[bytes, int]] = {}  # state → the one before it, and the operator between
    reached, values = {state.tobytes(): 0}, {state.tobytes(): h}
    waiting = [] if h is None else [(h, 0, 0, state)]
    expanded = inserted = 0

    def ended(status: Status, operators: tuple[int, ...] | None = None) -> SearchResult:
        return SearchResult(status, operators, expanded, len(values), time.perf_counter() - started)

    while waiting:
        f, _, g, state = heappop(waiting)
        key = state.tobytes()
        if g > reached[key]:
            continue  # reached more cheaply since
        if transition.reached(state):
            operators: list[int] = []
            while key in came:
                key, operator = came[key]
                operators.append(operator)
            return ended(Status.SOLVED, tuple(reversed(operators)))
        if expanded % _NOW_AND_THEN == 0:
            report("h", f, len(values))
        if _over(limits, started, len(values), len(key)):
            report("h", f, len(values))
            return ended(Status.BUDGET)
        expanded += 1
        actions = transition.applicable(state).tolist()
        for operator in (o for action in actions for _, o in transition.outcome_operators(action)):
            successor = transition.successor(state, operator)
            after, through = successor.tobytes(), g + costs[operator]
            if through >= reached.get(after, math.inf) or transition.failure(successor) is not None:
                continue
            if after not in values:
                estimate = heuristic(successor)
                values[after] = None if estimate == math.inf else int(estimate) * compiled.unit
            if (rest := values[after]) is not None:
                reached[after], came[after], inserted = through, (key, operator), inserted + 1
                heappush(waiting, (through + rest, inserted, through, successor))
    return ended(Status.UNSOLVABLE)


def _over(limits: Limits, started: float, evaluated: int, size: int) -> bool:
    if limits.seconds is not None and time.perf_counter() - started > limits.seconds:
        return True
    full = evaluated * (_OVERHEAD + 4 * size) > limits.megabytes * 1_000_000
    return full or (limits.evaluations is not None and evaluated >= limits.evaluations)
