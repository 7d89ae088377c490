"""Anytime planning: a first plan soon, then cheaper ones, until the time is up or none is cheaper.

Greedy search comes first. Then the parts below take turns. The part with the fewest evaluated states is next, so plans
depend on the number of evaluated states, not on the clock.

- The windows of the best plan are replanned (``windows``). They grow if no window of a size became cheaper. If no size
  helps any more, A* with LM-cut has a turn, each time a longer one.
- Weighted A* searches for a cheaper plan, with the weights of LAMA in order (Richter, Thayer and Ruml 2010).
- Other searches with these weights give up early, and restart with other tie-breaking: many short searches find plans
  that a long one does not.
- The windows of the latest plan of all these are replanned: it may become cheaper than the best one.

The best plan is proven to be a cheapest one when A* ends, or when weighted A* has exhausted the states.
"""

from __future__ import annotations

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
from commonsense_planning.kernels.compiled import UNREACHABLE, Compiled
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report, SearchResult
from commonsense_planning.search.classical.lazy import WeightedAStar, alternating_search, turns_from
from commonsense_planning.search.classical.windows import PlanWindows, states_of
from commonsense_planning.state import State

WEIGHTS = ((1, 5), (1, 3), (1, 2), (1, 1))  # of g and h, in the order of the searches
_STEPS, _EVALUATIONS = 8, 200  # of the first windows
_TURN = 1000  # evaluated states of a search, in one turn
_PATIENCE = 4000  # evaluated states of a search that gives up early; in each round as many more
_LM_CUT = 5  # the time of LM-cut in a state, over that of h_FF
_OPERATORS = 10_000  # with so many operators, LM-cut of a state takes as long as windows do per state


@dataclass(frozen=True)
class Improvement:
    """A plan that is cheaper than all before it: ``seconds`` after the start, after ``evaluated`` states."""

    seconds: float
    evaluated: int
    cost: float


@dataclass(frozen=True)
class AnytimeResult:
    """``result``: the best plan, the states that greedy search expanded, and all states evaluated; ``improvements``:
    the successive best plans; ``proven``: whether none is cheaper; ``ended``: the reason for the end, as text."""

    result: SearchResult
    improvements: tuple[Improvement, ...] = ()
    proven: bool = False
    ended: str = ""


@dataclass
class _Descent:
    """A plan that windows of ``steps`` steps are to make cheaper, each with ``evaluations`` evaluated states."""

    plan: tuple[int, ...]
    evaluations: int = _EVALUATIONS
    steps: int = _STEPS


@dataclass
class _Series:
    """Successive searches by weighted A*, with descending weights. Without ``patience``, the lowest weight remains.
    With it, a search ends after ``patience`` evaluated states, in each round of weights after as many more; the lowest
    weight is followed by the highest, with other tie-breaking. ``left``: the evaluations left to the current search."""

    search: WeightedAStar
    patience: int | None = None
    begun: int = 0

    def __post_init__(self) -> None:
        self.left = self.patience or sys.maxsize

    def next(self, state: State) -> None:
        """Begins the next search."""
        self.begun += 1
        rounds, which = divmod(self.begun, len(WEIGHTS))
        if self.patience is None:
            rounds, which = 0, min(self.begun, len(WEIGHTS) - 1)
        else:
            self.left = self.patience * (1 + rounds)
        self.search.restart(state, *WEIGHTS[which], rounds)


class Anytime:
    """One run from ``state``. ``improved`` gets each improvement. ``report`` gets ("h", latest h, evaluated states),
    and ("cost", cost of the best plan, evaluated states) once there is a plan."""

    def __init__(
        self,
        task: GroundTask,
        compiled: Compiled,
        state: State,
        limits: Limits,
        report: Report = lambda what, best, evaluated: None,
        improved: Callable[[Improvement], None] = lambda found: None,
    ) -> None:
        self._task, self._compiled, self._state, self._limits = task, compiled, state, limits
        self._report, self._improved = report, improved
        self._started = time.perf_counter()
        self._evaluated = 0
        self._improvements: list[Improvement] = []
        self._cost = sys.maxsize

    def run(self) -> AnytimeResult:
        """The best plan when a limit is reached, when the user interrupts (once there is a plan), or when the search is
        exhausted."""
        found = alternating_search(self._compiled, self._state, self._limits, self._report)
        self._evaluated = found.evaluated
        if found.operators is None:
            return AnytimeResult(found)
        proven, ended = False, "the limit was reached"
        try:
            self._keep(found.operators)
            proven = self._improve() and self._cost < UNREACHABLE
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
        """Improves the plan; whether it is proven that none is cheaper."""
        h = ff_of_cost_and_length(self._compiled)
        turns = turns_from(h, self._state)
        turns = turns._replace(landmarks=priced(h.relaxation, turns.landmarks))
        patient, hasty = _Series(WeightedAStar(h, turns)), _Series(WeightedAStar(h, turns), _PATIENCE)
        for series in (patient, hasty):
            series.search.restart(self._state, *WEIGHTS[0])
        self._first = self._cost
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
        """The plan that weighted A* finds in one turn, without redundant actions; None if it finds none. The plan has
        to be cheaper than the best one, or, with patience and not the lowest weight, than the first one, so that there
        are many. The next search follows a plan or the end of the patience."""
        hasty, search = series.patience is not None, series.search
        bound = self._first if hasty and (series.begun + 1) % len(WEIGHTS) else self._cost
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
        """Replans the windows of a plan once; whether larger ones remain."""
        states = states_of(self._compiled, self._state, descent.plan)
        assert states is not None
        windows = PlanWindows(self._task, self._compiled, descent.plan, states)
        found = self._keep(windows.passed_through(descent.steps, descent.evaluations, self._count))
        if found is not None and self._task.units(found) < self._task.units(descent.plan):
            descent.plan = found
        else:
            descent.steps *= 2
        return descent.steps <= 2 * len(descent.plan)

    def _cheapest(self, evaluations: int) -> bool:
        """Runs A* with LM-cut for ``evaluations`` states; whether it has found a cheapest plan."""
        left = self._limits.seconds and max(0.0, self._limits.seconds + self._started - time.perf_counter())
        astar = BestFirst(self._compiled, LMCut(self._compiled))
        found = astar.astar(self._state, limits=Limits(left, evaluations))
        self._count(found.evaluated)
        if found.operators is not None:
            self._keep(found.operators)
        return found.operators is not None

    def _keep(self, operators: Sequence[int]) -> tuple[int, ...] | None:
        """The plan without redundant actions, which becomes the best if it is the cheapest so far. None if it is no
        plan any more: a replanned window may violate a constraint later on."""
        needed = without_redundant(self._compiled.table, self._state, np.array(operators, np.int32))
        plan = tuple(needed.tolist())
        if states_of(self._compiled, self._state, plan) is None:
            return None
        cost = self._task.units(plan)
        if cost < self._cost:
            self._best, self._cost = plan, cost
        exact = self._task.cost(plan)
        if not self._improvements or exact < self._improvements[-1].cost:
            self._cheapest_plan = plan
            self._improvements.append(Improvement(time.perf_counter() - self._started, self._evaluated, exact))
            self._improved(self._improvements[-1])
        return plan

    def _count(self, evaluated: int) -> bool:
        """Adds to the evaluated states; whether to stop."""
        self._evaluated += evaluated
        self._report("cost", self._cost, self._evaluated)
        return self._over()

    def _over(self) -> bool:
        return bool(self._limits.reached(self._started, self._evaluated))
