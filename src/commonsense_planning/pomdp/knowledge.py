"""An agent's knowledge of hidden facts, on which it acts.

Facts are certain if they are not hidden, if an action has changed or needed them, if sensors that do not err have shown
them, or if they follow from these and an exactly-one group: nothing follows from what only counts as known, so that
later evidence can refute it. A fact that erring sensors have shown counts as known, true or false, once its probability
is above ``threshold``; above one half if only preconditions mention it, since an error then costs one step. A member of
a group counts only as true (the others then as false), since each of many places is unlikely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.observation_model import Bits, Floats
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, make_state

THRESHOLD = 0.95  # probability above which an agent acts on what sensors that may err have shown
ENOUGH = 0.5  # the same for facts that only preconditions mention: an inapplicable action changes nothing
NEGLIGIBLE = 1e-3  # probability below which it does not look at a place again, once sensors have shown it


class Knowledge:
    """``truth`` and ``known``: bool (facts,), what counts as known, ``truth`` false where nothing is known.
    ``certain``: bool (facts,), the known facts that follow from the observations, and are not only probable above
    ``threshold``, in [0.5, 1]; ``true``: their values. ``shown``: bool (facts,), by sensors, once at least. ``found``:
    bool (groups,), those of which a member was ever found, or changed by an action. ``members``: int32 (groups, widest
    group), the facts of each group, padded with -1. ``independent``: int32, the hidden facts that are in no group and
    not correlated.

    Initially only facts that are not hidden are known, all false. Raises ValueError for another ``threshold``.
    """

    def __init__(self, task: Compiled, threshold: float = THRESHOLD) -> None:
        if not ENOUGH <= threshold <= 1:
            raise ValueError(f"threshold must be from {ENOUGH} to 1, not {threshold}")
        self.task = task
        self.transition = TransitionModel(task)
        hidden, groups = task.sensors.hidden, task.sensors.groups
        self.truth = np.zeros(len(hidden), np.bool_)
        self.known = ~hidden
        self.certain = self.known.copy()
        self.true = self.truth.copy()
        self.shown = np.zeros(len(hidden), np.bool_)
        self.found = np.zeros(len(groups), np.bool_)
        rows = [groups.row(g) for g in range(len(groups))]
        self.members = np.full((len(rows), max(map(len, rows), default=0)), -1, np.int32)
        self._group_of = np.full(len(hidden), -1, np.int32)
        for g, row in enumerate(rows):
            self.members[g, : len(row)] = row
            self._group_of[row] = g
        correlated = [part.facts for part in task.sensors.correlated]
        grouped = np.isin(np.arange(len(hidden)), np.concatenate([groups.items, *correlated]))
        self.independent = np.flatnonzero(hidden & ~grouped).astype(np.int32)
        self._threshold = self._thresholds(threshold)

    def find(self, facts: Int32, values: Bits) -> None:
        """Makes observed facts certain. Where a member of a group is found to be true, others that were true before,
        and are not found together with it, are false: the newer evidence counts."""
        found = facts[values & ~self.true[facts]]
        if len(found):
            members = self.members[self.with_any(found)]
            self.true[np.setdiff1d(members[members >= 0], facts[values])] = False
        self.settle(facts, values)

    def settle(self, facts: Int32, values: Bits) -> None:
        """Makes facts certain, and what follows from them and the exactly-one groups: the members that were not certain
        are false, and the last that may be true is, where ``:init`` says that one is."""
        self.true[facts] = values
        self.certain[facts] = True
        groups = self.with_any(facts[values])
        members = self.members[groups]
        self.certain[members[members >= 0]] = True
        self.found |= groups
        left = self.open(self.certain)[: self.task.sensors.exact]
        last = self.members[: len(left)][left & (left.sum(axis=1, keepdims=True) == 1)]
        if len(last):
            self.settle(last, np.ones(len(last), np.bool_))

    def doubt(self, facts: Int32) -> None:
        """Makes certain facts as doubtful as facts that erring sensors have shown."""
        self.shown[facts] |= self.certain[facts]
        self.true[facts] = self.certain[facts] = False

    def forget(self, facts: Int32, groups: Bits) -> None:
        """Discards all observations of hidden facts and of their ``groups``, bool (groups,)."""
        self.true[facts] = self.certain[facts] = self.shown[facts] = False
        self.found[groups] = False

    def count(self, probabilities: Callable[[], Floats]) -> None:
        """Counts as known what is certain, and what sensors have shown and is probable enough by ``probabilities``,
        float64 (facts,)."""
        self.truth[:] = self.true
        self.known = self.certain.copy()
        probable = self.shown & ~self.certain
        if not probable.any():
            return
        chances = probabilities()
        self.truth |= probable & (chances > self._threshold)
        known = self.certain | self.truth
        independent = self.independent[probable[self.independent]]
        known[independent[chances[independent] < 1 - self._threshold[independent]]] = True
        known[self.members[(self.members >= 0) & (probable & (chances < NEGLIGIBLE))[self.members]]] = True
        state = make_state(self.task, self.truth, known)
        self.transition.conclude(state)  # where a member of a group is known to be true, all are known
        self.known = StateView(self.task, state).knowledge

    def state(self, world: Bits | None = None) -> State:
        """The kernels' state: what counts as known, in a world, bool (facts,); by default all else is false in it."""
        return make_state(self.task, self.truth if world is None else world, self.known)

    def open(self, known: Bits) -> Bits:
        """Which members of groups are not ``known``, bool (facts,): bool (groups, widest group)."""
        return np.asarray((self.members >= 0) & ~known[self.members])

    def with_any(self, facts: Int32) -> Bits:
        """The groups with any of the facts, bool (groups,)."""
        wanted = np.zeros(len(self.members) + 1, np.bool_)  # the last is for facts outside of all groups
        wanted[self._group_of[facts]] = True
        return wanted[:-1]

    def nowhere(self) -> Int32:
        """The groups, int32, that are in none of their places: all members are certainly false, and none was ever
        certainly true, nor changed by an action."""
        somewhere = self.open(self.certain).any(axis=1) | self.found
        return np.flatnonzero((self.members >= 0).any(axis=1) & ~somewhere).astype(np.int32)

    def open_independent(self, facts: Bits) -> Int32:
        """The facts among ``facts``, bool (facts,), that are not known, in no group and independent of others."""
        return self.independent[~self.known[self.independent] & facts[self.independent]]

    def preconditions(self, operator: int) -> tuple[Int32, Bits]:
        """The preconditions of an operator: facts and values, int32 and bool (facts wanted,)."""
        return self._literals(self.task.operators.pre.row(operator), self.task.operators.npre.row(operator))

    def explains_failure(self, operator: int) -> bool:
        """Whether a precondition of an operator is not certain, or is certainly violated."""
        facts, values = self.preconditions(operator)
        return bool((~self.certain[facts] | (self.true[facts] != values)).any())

    @property
    def knows_goal(self) -> bool:
        """Whether the goal holds by what counts as known."""
        return self.transition.reached(self.state())

    def reached_goals(self) -> Iterator[tuple[Int32, Bits]]:
        """Of each disjunct of the goal that holds by what counts as known: its facts and how it wants them, int32 and
        bool (facts wanted,)."""
        goal = self.task.goal
        for d in range(len(goal.pos)):
            facts, values = self._literals(goal.pos.row(d), goal.neg.row(d))
            if self.known[facts].all() and (self.truth[facts] == values).all():
                yield facts, values

    def _literals(self, wanted: Int32, unwanted: Int32) -> tuple[Int32, Bits]:
        """Facts and how they are wanted, without the bits of the agent's knowledge."""
        wanted = wanted[wanted < len(self.truth)]
        return np.concatenate((wanted, unwanted)), np.arange(len(wanted) + len(unwanted)) < len(wanted)

    def _thresholds(self, threshold: float) -> Floats:
        """Above which probability a fact that was shown counts as known, float64 (facts,). A goal wants its own facts
        known. Where a fact may also count by being false, so do all of its group, from which that follows."""
        task, members = self.task, self.members
        either = (task.goal.neg, *task.failure, task.operators.cond_pre, task.operators.cond_npre, *task.monitors[:2])
        facts = np.arange(len(self.truth))
        careful: Bits = np.isin(facts, np.concatenate([rows.items for rows in either]))
        groups = ((members >= 0) & careful[members]).any(axis=1)
        careful |= np.isin(facts, members[groups]) | np.isin(facts, task.goal.pos.items)
        return np.where(careful, threshold, ENOUGH)
