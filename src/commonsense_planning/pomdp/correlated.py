"""The belief over correlated hidden facts: a weight for each of the worlds that are listed (``CorrelatedFacts``).

It is exact: an operator changes each world as it changes the true one, unobserved effects too, and Bayes' rule weights
the worlds by observations. A fact that is true in all remaining worlds is known, seen or not: without a stench, there
is no wumpus in the next room.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import CplanError
from commonsense_planning.grounding.ground_task import CorrelatedFacts, Int32, Lists
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.observation_model import Bits, Floats

TINY = np.finfo(np.float64).tiny  # the least weight of a world that the evidence does not rule out


class CorrelatedBelief:
    """The belief over one part. ``facts`` int32 (n,); ``values`` bool (worlds, n), how they are now; ``weights``
    float64 (worlds,), positive. Worlds that are ruled out are dropped. ``origin`` int64 (worlds,): the row of ``part``
    that each world is initially."""

    def __init__(self, task: Compiled, part: CorrelatedFacts) -> None:
        self.part = part
        self.facts = part.facts
        self.values = part.worlds.copy()
        self.weights = np.ones(len(part.worlds))
        self.origin = np.arange(len(part.worlds))
        self._prior = np.ones(len(part.worlds))
        self._task = task
        self._column = np.full(len(task.sensors.hidden), -1)
        self._column[part.facts] = np.arange(len(part.facts))

    def revise(self, prior: Floats) -> None:
        """Takes another prior, float64 (worlds of the part,), positive, as if it had been there from the start."""
        self.weights = self.weights * (prior / self._prior)[self.origin]
        self._prior = prior

    def forget(self) -> None:
        """Starts again with the worlds that are possible initially."""
        self.values, self.weights = self.part.worlds.copy(), self._prior.copy()
        self.origin = np.arange(len(self.values))

    def rules_out(self, facts: Int32, shown: Bits) -> bool:
        """Whether the facts are as ``shown``, bool (facts,), in no world."""
        mine = self._column[facts] >= 0
        return not (self.values[:, self._column[facts[mine]]] == shown[mine]).all(axis=1).any()

    def progress(self, operator: int, truth: Bits) -> None:
        """Applies an operator in each world. ``truth`` bool (facts,): how all other facts were before."""
        ops = self._task.operators
        added, deleted = np.zeros_like(self.values), np.zeros_like(self.values)
        self._mark(deleted, slice(None), ops.delete, operator)
        self._mark(added, slice(None), ops.add, operator)
        for e in range(ops.effect_start[operator], ops.effect_end[operator]):
            fires = self._all(ops.cond_pre.row(e), True, truth) & self._all(ops.cond_npre.row(e), False, truth)
            self._mark(deleted, fires, ops.cond_delete, e)
            self._mark(added, fires, ops.cond_add, e)
        self.values = self.values & ~deleted | added

    def _all(self, facts: Int32, value: bool, truth: Bits) -> Bits:
        """In which worlds all of these facts have the value: bool (worlds,)."""
        columns = self._column[facts]
        elsewhere = bool((truth[facts[columns < 0]] == value).all())
        return np.asarray((self.values[:, columns[columns >= 0]] == value).all(axis=1) & elsewhere)

    def _mark(self, marks: Bits, worlds: Bits | slice, rows: Lists, row: int) -> None:
        columns = self._column[rows.row(row)]
        for column in columns[columns >= 0].tolist():
            marks[worlds, column] = True

    def allow(self, facts: Int32, values: Bits) -> None:
        """Drops the worlds in which a fact is not as in ``values``, bool (facts,), unless that leaves none."""
        if not self.rules_out(facts, values):
            self.weigh(facts, (~values).astype(np.float64), values.astype(np.float64))

    def weigh(self, facts: Int32, if_false: Floats, if_true: Floats) -> None:
        """Condition on evidence: its probability if each of the facts is false, and if it is true. Raises CplanError if
        it has probability 0 in every world."""
        mine = np.flatnonzero(self._column[facts] >= 0)
        if not len(mine):
            return
        values = self.values[:, self._column[facts[mine]]]
        likelihood = np.where(values, if_true[mine], if_false[mine])
        left = (likelihood > 0).all(axis=1)
        if not left.any():
            raise CplanError("the observation has probability 0 in every world that :init leaves open")
        weights = self.weights[left] * likelihood[left].prod(axis=1)
        weights = np.maximum(weights / max(weights.max(), TINY), TINY)
        self.values, self.weights, self.origin = self.values[left], weights, self.origin[left]

    @property
    def shares(self) -> Floats:
        """The probabilities of the worlds."""
        return np.asarray(self.weights / self.weights.sum())

    @property
    def settled(self) -> Bits:
        """Which facts are the same in all worlds: bool (n,)."""
        return np.asarray((self.values == self.values[0]).all(axis=0))

    def agreeing(self, truth: Bits, known: Bits) -> npt.NDArray[np.intp]:
        """The worlds in which the known facts are as in ``truth``, both bool (facts,); all where none is like that."""
        facts = known[self.facts]
        rows = np.flatnonzero((self.values[:, facts] == truth[self.facts[facts]]).all(axis=1))
        return rows if len(rows) else np.arange(len(self.values))

    def most_likely(self, rank: int = 0) -> Bits:
        """The facts' values in the world that is the ``rank``-th after the likeliest, or in the last."""
        order = np.argsort(-self.weights, kind="stable")
        return np.asarray(self.values[order[min(rank, len(order) - 1)]])


def correlated_beliefs(task: Compiled) -> Sequence[CorrelatedBelief]:
    """The initial beliefs over a task's correlated parts: uniform over the worlds."""
    return [CorrelatedBelief(task, part) for part in task.sensors.correlated]
