"""Anytime planning: a plan soon, then cheaper ones, until the time is up or no plan is cheaper.

First greedy search. Then parts take turns, next the one that has evaluated the fewest states, so that equal numbers of
evaluated states give equal plans, whatever the clock says.

- The best plan's windows are planned again (``windows``); they grow where none of a size got cheaper. Where no size
  helps any more, A* with LM-cut has a turn, which is longer each time.
- Weighted A* looks for a cheaper plan, with the weights of LAMA one after the other, each until there is one (Richter,
  Thayer and Ruml 2010).
- Other searches with these weights give up soon, and begin again with ties broken in other ways: many short ones find
  what a long one does not.
- The latest of all those plans has its windows planned again: it may end up cheaper than one that was cheaper at first.

The best plan is a cheapest one when A* ends, or when weighted A* runs out of states.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.delete_relaxation import ff_of_cost_and_length
from commonsense_planning.heuristics.landmarks import priced
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.action_elimination import without_redundant
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report, SearchResult
from commonsense_planning.search.classical.lazy import WeightedAStar, alternating_search, turns_from
from commonsense_planning.search.classical.windows import PlanWindows, states_of
from commonsense_planning.state import State

WEIGHTS = ((1, 5), (1, 3), (1, 2), (1, 1))  # of g and h, one search after the other
_STEPS, _EVALUATIONS = 8, 200  # of the first windows
_TURN = 1000  # evaluated states of a search, in one turn
_PATIENCE = 4000  # evaluated states of a search that gives up soon; in each round as many more
_LM_CUT = 5  # LM-cut of a state takes so much longer than its h_FF
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
    plan, and those before it; ``proven``: none is cheaper; ``ended``: the reason as text."""

    result: SearchResult
    improvements: tuple[Improvement, ...] = ()
    proven: bool = False
    ended: str = ""


@dataclass
class _Descent:
    """A plan that windows of so many ``steps`` are to make cheaper, with so many ``evaluations`` of states each."""

    plan: tuple[int, ...]
    evaluations: int = _EVALUATIONS
    steps: int = _STEPS


@dataclass
class _Series:
    """Searches by weighted A*, one after the other, each with a lower weight. With ``patience``, evaluated states, one
    gives up after so many, in each round of weights as many more; after the lowest weight comes the highest again, and
    ties are broken in another way. Without, the lowest weight stays. ``left``: what this one may evaluate."""

    search: WeightedAStar
    patience: int | None = None
    begun: int = 0

    def __post_init__(self) -> None:
        self.left = self.patience or sys.maxsize

    def next(self, state: State) -> None:
        """Begin the next one."""
        self.begun += 1
        rounds, which = divmod(self.begun, len(WEIGHTS))
        if self.patience is None:
            rounds, which = 0, min(self.begun, len(WEIGHTS) - 1)
        else:
            self.left = self.patience * (1 + rounds)
        self.search.restart(state, *WEIGHTS[which], rounds)


class Anytime:
    """One run from ``state``. ``improved`` gets each improvement; ``report`` gets ("h", latest h, evaluated states),
    and ("cost", that of the best plan, evaluated states) once there is a plan."""

    def __init__(
        self,
        task: GroundTask,
        compiled: Compiled,
        state: State,
        limits: Limits,
        report: Report = lambda what, best, evaluated: None,
        improved: Callable[[Improvement], None] = lambda improvement: None,
    ) -> None:
        self._task, self._compiled, self._state, self._limits = task, compiled, state, limits
        self._report, self._improved = report, improved
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
            proven = self._improve() and self._compiled.unit == 1
            ended = "no plan is cheaper, which is proven" if proven else ended
        except KeyboardInterrupt:
            ended = str(Status.INTERRUPTED)
        except BudgetError as error:
            ended = str(error)
        except MemoryError:
            ended = "out of memory"
        seconds = time.perf_counter() - self._started
        found = replace(found, operators=self._cheapest_plan, evaluated=self._evaluated, seconds=seconds)
        return AnytimeResult(found, tuple(self._improvements), proven, ended)

    def _improve(self) -> bool:
        """Improve the plan; whether it is proven that none is cheaper."""
        h = ff_of_cost_and_length(self._compiled)
        turns = turns_from(h, self._state)
        turns = turns._replace(landmarks=priced(h.relaxation, turns.landmarks))
        patient, hasty = _Series(WeightedAStar(h, turns)), _Series(WeightedAStar(h, turns), _PATIENCE)
        for series in (patient, hasty):
            series.search.restart(self._state, *WEIGHTS[0])
        self._first = int(self._cost)
        best, other = _Descent(self._best), None
        spent = {"best": 0, "patient": 0, "hasty": 0, "other": 0}
        while self._cost > 0 and not self._over():
            before = self._evaluated
            turn = min((part for part in spent if part != "other" or other is not None), key=spent.__getitem__)
            if turn in ("patient", "hasty"):
                series = patient if turn == "patient" else hasty
                found = self._searched(series)
                if series.search.exhausted:
                    return True
                other = other if found is None else _Descent(found)
            elif turn == "other" and other is not None:
                other = other if self._descended(other) else None
            else:
                best = best if best.plan == self._best else _Descent(self._best, best.evaluations)
                if not self._descended(best):
                    evaluations = best.evaluations * _OPERATORS // max(1, self._compiled.operator_count)
                    if self._cheapest(evaluations):
                        return True
                    spent[turn] += _LM_CUT * evaluations
                    best = _Descent(self._best, 4 * best.evaluations)
            spent[turn] += self._evaluated - before
        return self._cost == 0

    def _searched(self, series: _Series) -> tuple[int, ...] | None:
        """Go on with weighted A* for a while; its plan, if it has one, without what it does not need. It has to be
        cheaper than the best one; with a higher weight and little patience than the first one, so that there are many.
        A search that has its plan, or no patience left, gives way to the next one."""
        hasty, search = series.patience is not None, series.search
        bound = self._first if hasty and (series.begun + 1) % len(WEIGHTS) else int(self._cost)
        found = search.cheaper(bound, min(_TURN, series.left), self._over)
        spent = search.take_evaluated()
        self._count(spent)
        series.left -= spent
        if search.exhausted:
            return None
        if found is not None or series.left <= 0 or search.full:
            series.next(self._state)
        return None if found is None else self._keep(found)

    def _descended(self, descent: _Descent) -> bool:
        """Let windows pass over a plan once; whether there is more to try."""
        states = states_of(self._compiled, self._state, descent.plan)
        assert states is not None
        windows = PlanWindows(self._task, self._compiled, descent.plan, states)
        found = self._keep(windows.passed_through(descent.steps, descent.evaluations, self._count))
        if found is not None and self._cost_of(found) < self._cost_of(descent.plan):
            descent.plan = found
        else:
            descent.steps *= 2
        return descent.steps <= 2 * len(descent.plan)

    def _cheapest(self, evaluations: int) -> bool:
        """Let A* with LM-cut evaluate so many states; whether it has found a cheapest plan."""
        left = self._limits.seconds and max(0.0, self._limits.seconds + self._started - time.perf_counter())
        astar = BestFirst(self._compiled, LMCut(self._compiled))
        found = astar.astar(self._state, limits=Limits(left, evaluations))
        self._count(found.evaluated)
        if found.operators is not None:
            self._keep(found.operators)
        return found.operators is not None

    def _cost_of(self, operators: Sequence[int]) -> float:
        """As the kernels count it."""
        return float(sum(self._compiled.operators.cost[o] for o in operators))

    def _keep(self, operators: Sequence[int]) -> tuple[int, ...] | None:
        """The plan without what it does not need; it is kept if it is the cheapest so far. None if it is no plan: what
        follows on a window that was planned again may violate a constraint then."""
        needed = without_redundant(self._compiled.table, self._state, np.array(operators, np.int32))
        plan = tuple(needed.tolist())
        if states_of(self._compiled, self._state, plan) is None:
            return None
        cost = self._cost_of(plan)
        if cost < self._cost:
            self._best, self._cost = plan, cost
        exact = self._task.cost(plan)
        if not self._improvements or exact < self._improvements[-1].cost:
            self._cheapest_plan = plan
            self._improvements.append(Improvement(time.perf_counter() - self._started, self._evaluated, exact))
            self._improved(self._improvements[-1])
        return plan

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
