"""A* with costs of any size, for tasks whose costs the kernels round. It is not compiled, and so slower.

The heuristic counts costs rounded down, in units of the compiled task. That number of units never exceeds the cost of a
plan, so the guarantees of A* with an admissible heuristic hold. A state that is reached more cheaply is reopened.
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
_OVERHEAD = 1000  # bytes of a state besides its bits


def exact_astar(
    task: GroundTask, compiled: Compiled, heuristic: Heuristic, state: State, limits: Limits, report: Report
) -> SearchResult:
    """A* from ``state`` with the exact costs of ``task``; ``report`` gets ("h", latest f, evaluated states)."""
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
        full = len(values) * (_OVERHEAD + 4 * len(key)) > limits.megabytes * 1_000_000
        if full or limits.reached(started, len(values)):
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
