"""Anytime planning: a plan soon, then cheaper ones, until the time is up or no plan is cheaper.

First greedy search. Then two searches take turns, each with as many evaluated states as the other, so that equal
numbers of evaluated states give equal plans, whatever the clock says. One is weighted A* below the cost of the best
plan, which begins anew with a lower weight after every plan that it finds (Richter, Thayer and Ruml 2010; so does
LAMA). The other plans windows of the best plan again (``windows``); they grow where none of a size got cheaper. Where
no size helps any more, A* with LM-cut has a turn, which grows from time to time. The best plan is a cheapest one when
A* ends, or when weighted A* runs out of states.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from commonsense_planning.errors import BudgetError
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.action_elimination import without_needless
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.facades import LMCut
from commonsense_planning.search.alternation import alternating_search
from commonsense_planning.search.best_first import BestFirst, Limits, Report, SearchResult
from commonsense_planning.search.weighted import Weighted
from commonsense_planning.search.windows import Windows, states_of

WEIGHTS = ((1, 5), (1, 3), (1, 2), (1, 1))  # of g and h, one search after the other
_STEPS, _EVALUATIONS = 8, 200  # of the first windows
_TURN = 1000  # evaluated states, at least
_OPERATORS = 10_000  # LM-cut takes as long for a state of so many as windows do for one


@dataclass(frozen=True)
class Improvement:
    """A plan that was cheaper than all before it: ``seconds`` after the start, and after so many ``evaluated``
    states."""

    seconds: float
    evaluated: int
    cost: float


@dataclass(frozen=True)
class AnytimeResult:
    """``result``: the best plan, and how many states greedy search expanded and all evaluated; ``improvements``: that
    plan, and those before it; ``proven``: none is cheaper; ``ended``: why, in words."""

    result: SearchResult
    improvements: tuple[Improvement, ...] = ()
    proven: bool = False
    ended: str = ""


class Anytime:
    """One run from ``state``. ``told`` gets each improvement; ``report`` gets ("h", latest h, evaluated states), and
    ("cost", that of the best plan, evaluated states) once there is a plan."""

    def __init__(
        self,
        task: GroundTask,
        compiled: Compiled,
        state: State,
        limits: Limits,
        report: Report = lambda what, best, evaluated: None,
        told: Callable[[Improvement], None] = lambda improvement: None,
    ) -> None:
        self._task, self._compiled, self._state, self._limits = task, compiled, state, limits
        self._report, self._told = report, told
        self._started = time.perf_counter()
        self._evaluated = 0
        self._improvements: list[Improvement] = []
        self._cost = math.inf

    def run(self) -> AnytimeResult:
        """The best plan when the limits are reached, when it is interrupted (once there is a plan), or when there is
        nothing left to search."""
        found = alternating_search(self._compiled, self._state, self._limits, self._report)
        self._evaluated = found.evaluated
        if found.operators is None:
            return AnytimeResult(found)
        proven, ended = False, "the limit was reached"
        try:
            self._keep(found.operators)
            proven = self._improve()
            ended = "no plan is cheaper, which is proven" if proven else ended
        except KeyboardInterrupt:
            ended = "interrupted"
        except BudgetError as error:
            ended = str(error)
        except MemoryError:
            ended = "out of memory"
        seconds = time.perf_counter() - self._started
        found = replace(found, operators=self._best, evaluated=self._evaluated, seconds=seconds)
        return AnytimeResult(found, tuple(self._improvements), proven, ended)

    def _improve(self) -> bool:
        """Improve the plan; whether it is proven that none is cheaper."""
        weighted, weight = Weighted(self._compiled), 0
        weighted.begin(self._state, *WEIGHTS[weight])
        steps, evaluations = _STEPS, _EVALUATIONS
        while self._cost > 0 and not self._over():
            before, best = self._evaluated, self._cost
            windows = Windows(self._task, self._compiled, self._best, self._states)
            self._keep(windows.passed_through(steps, evaluations, self._count))
            if self._cost == best:
                steps *= 2
            if steps > 2 * len(self._best):
                if self._cheapest(evaluations * _OPERATORS // max(1, self._compiled.operator_count)):
                    return True
                steps, evaluations = _STEPS, 4 * evaluations
            left = max(_TURN, self._evaluated - before)
            while left > 0 and not self._over() and not weighted.full:
                found = weighted.cheaper(int(self._cost), left, self._over)
                spent = weighted.take_evaluated()
                self._count(spent)
                left -= spent
                if weighted.exhausted:
                    return True
                if found is not None:
                    self._keep(found)
                    weight = min(weight + 1, len(WEIGHTS) - 1)
                    weighted.begin(self._state, *WEIGHTS[weight])
        return self._cost == 0

    def _cheapest(self, evaluations: int) -> bool:
        """Let A* with LM-cut evaluate so many states; whether it has found a cheapest plan."""
        left = self._limits.seconds and max(0.0, self._limits.seconds + self._started - time.perf_counter())
        astar = BestFirst(self._compiled, LMCut(self._compiled))
        found = astar.astar(self._state, limits=Limits(left, evaluations))
        self._count(found.evaluated)
        if found.operators is not None:
            self._keep(found.operators)
        return found.operators is not None

    def _keep(self, operators: Sequence[int]) -> None:
        """Take a plan if it is the cheapest so far, without what it does not need."""
        needed = without_needless(self._compiled.table, self._state, np.array(operators, np.int32))
        plan = tuple(needed.tolist())
        cost = float(sum(self._task.operators.cost[o] for o in plan))
        states = states_of(self._compiled, self._state, plan)
        if states is None or cost >= self._cost:
            return
        self._best, self._states, self._cost = plan, states, cost
        self._improvements.append(Improvement(time.perf_counter() - self._started, self._evaluated, cost))
        self._told(self._improvements[-1])

    def _count(self, evaluated: int) -> bool:
        """Count states; whether to stop."""
        self._evaluated += evaluated
        self._report("cost", int(self._cost), self._evaluated)
        return self._over()

    def _over(self) -> bool:
        seconds, evaluations = self._limits.seconds, self._limits.evaluations
        if seconds is not None and time.perf_counter() - self._started > seconds:
            return True
        return evaluations is not None and self._evaluated >= evaluations
