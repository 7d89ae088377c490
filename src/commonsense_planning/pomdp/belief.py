"""The belief b(s) over what is hidden, and its update (LLM-MCTS paper, section 2.2 and appendix C.2), which is Bayes:

    b'(s') ∝ O(o | s', a) · Σ_s T(s' | s, a) · b(s)

The belief is a product: a categorical distribution per exactly-one group, and a probability per hidden fact outside
of all groups, one half at first where the task's files do not say it. It is exact where this holds for operators and
sensing rules, as in a household: what fires a rule or a conditional effect is not hidden; a fact of a group is changed
only by an operator that wants to know it; and at most one fact that is not certain decides whether an operator can be
carried out. Elsewhere the marginals are kept and what ties them together is forgotten, and that a rule fired tells
nothing of a hidden fact that fires it.
What a contingent ``:init`` ties together is no part of the product: its worlds are listed (``correlated``).

With certain sensing this is the paper's update. Seen there: one. Looked and not there: zero, and the rest is
normalised again. If all that had any weight is ruled out, the places not looked at share the mass evenly, and a note
says so; if there is none of these either, the object is nowhere to be found, and a note says that.

What an agent may act on are the facts that it counts as known. Those are certain that are not hidden, that an action
has changed or needed, that sensors which do not err have shown, and that follow from these and an exactly-one group:
nothing follows from what only counts as known, so that later evidence can refute it.
A fact that erring sensors have shown counts as known, true or false, once its probability is above ``threshold``; above
one half, where nothing but preconditions wants it: who errs about it loses a step. A member of a group counts only as
true (the others then as false), since of many places each is unlikely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import CplanError, InputError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import set_bit
from commonsense_planning.kernels.sampling import Draws, draw_world
from commonsense_planning.pomdp.correlated import TINY, CorrelatedBelief, correlated_beliefs
from commonsense_planning.pomdp.observation_model import (
    OVERLOOKED,
    Bits,
    Floats,
    Observation,
    ObservationModel,
    Readings,
    observation_model,
)
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, make_state

FLOOR = 1e-3  # probability of a place that was never sampled, before normalising (appendix C.2)
THRESHOLD = 0.95  # probability above which an agent acts on what sensors that may err have shown
ENOUGH = 0.5  # the same of what preconditions alone want: an action in vain changes nothing
NEGLIGIBLE = 1e-3  # probability of a place below which it does not look there again, once they have shown it
EPSILON = np.finfo(np.float64).eps


class Belief:
    """What the agent believes and knows.

    ``prior[g]``: float64 (members of group g,), not negative. ``name(g)`` says in words what group g is about.
    ``transition`` is T, and ``sensing`` O: how the agent takes its sensors to err, not at all by default. ``truth`` and
    ``known``: bool (facts,), what counts as known, ``truth`` false where nothing is known. ``certain``: bool (facts,),
    those of the known facts that are so by all that was observed, and not only probable above ``threshold``, in
    [0.5, 1]. Before the first ``update`` only facts that are not hidden are known, all false. Raises ValueError for
    another ``threshold``.
    """

    def __init__(
        self,
        task: Compiled,
        prior: Sequence[Floats],
        name: Callable[[int], str] = str,
        sensing: ObservationModel | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        if not ENOUGH <= threshold <= 1:
            raise ValueError(f"a threshold from {ENOUGH} to 1 is wanted, not {threshold}")
        self.task = task
        self.transition = TransitionModel(task)
        self.groups = task.sensors.groups
        hidden = task.sensors.hidden
        self.truth = np.zeros(len(hidden), np.bool_)
        self.known = ~hidden
        self.certain = self.known.copy()
        self._true = self.truth.copy()  # of the facts that are certain
        self.correlated = correlated_beliefs(task)
        self._shown = np.zeros(len(hidden), np.bool_)  # by sensors, once at least
        true = np.full(len(hidden), 0.5) if task.sensors.prior is None else task.sensors.prior
        self._first_chances = np.stack((1 - true, true))
        self._chances = self._first_chances.copy()  # of facts outside of all groups to be false, and to be true
        self.name = name
        self.sensing = sensing or observation_model(task.sensors)
        self._noted: set[tuple[int, str]] = set()
        count = len(self.groups)
        self._found = np.zeros(count, np.bool_)  # groups of which a member was ever found, or changed by an action
        widest = max((len(p) for p in prior), default=0)
        self._members = np.full((count, widest), -1, np.int32)  # padded with -1
        self._prior = np.zeros((count, widest))  # of the members, not normalised
        self._group_of = np.full(len(hidden), -1, np.int32)
        for g in range(count):
            members = self.groups.row(g)
            self._members[g, : len(members)] = members
            self._group_of[members] = g
            self._prior[g, : len(members)] = prior[g]
        self._threshold = self._thresholds(threshold)
        self._weights = self._prior.copy()  # of the members, in proportion to their probabilities
        self._evidence = np.ones((count, widest))  # how likely what erring sensors showed is, member by member
        self.revisions = 0  # how often a prior came later, or what was observed was let go
        grouped = np.zeros(len(hidden), np.bool_)
        grouped[self.groups.items] = True
        for part in self.correlated:
            grouped[part.facts] = True
        self._independent = np.flatnonzero(hidden & ~grouped).astype(np.int32)

    def update(self, operator: int | None, observation: Observation) -> None:
        """Bayes: take in what was observed after an operator; None for the initial observation.

        Raises CplanError for what cannot be: a reading that has probability 0 either way; an operator that could not be
        carried out, or a goal that is not reached, though all that it wants is certain. Of a ``surprising`` observation
        nothing is concluded from the failure of an operator.
        """
        if operator is not None and (observation.applied or not observation.surprising):
            self._weigh_outcome(operator, observation.applied, observation.slip)
            if observation.applied:
                for part in self.correlated:
                    part.progress(operator if observation.outcome is None else observation.outcome, self.truth)
        facts, values = _columns(observation.facts)
        self._settle(facts, values)
        self._found |= self._with_any(facts)
        facts, shown = _columns(observation.readings)
        self._weigh(facts, *self.sensing.likelihood(operator, facts, shown))
        unsaid = np.array([fact for fact in observation.unsaid if not self.certain[fact]], np.int32)
        self._weigh(unsaid, np.ones(len(unsaid)), np.full(len(unsaid), OVERLOOKED))
        self._count_as_known()
        if not observation.goal_reached and self.knows_goal:
            self._weigh_reward()

    def revise(self, group: int, prior: Floats) -> None:
        """Take another prior for a group, float64 (members of the group,), as if it had been there from the start: all
        that was observed since then counts for it."""
        size = len(self.groups.row(group))
        self._prior[group, :size] = prior
        self._weights[group, :size] = prior * self._evidence[group, :size]
        self._count_as_known()
        self.revisions += 1

    def revise_correlated(self, part: int, prior: Floats) -> None:
        """Take another prior for the worlds of a correlated part, float64 (worlds,), positive, likewise."""
        self.correlated[part].revise(prior)
        self._count_as_known()
        self.revisions += 1

    def contradicted(self, operator: int | None, observation: Observation) -> Int32:
        """The hidden facts, int32, that are certain and cannot be so, after what is observed: those that are read
        otherwise, those that an operator which was carried out wanted otherwise, and those that hang together and
        cannot all be as they are read. Raises InputError where these never could."""
        facts, shown = _columns(observation.readings)
        if_false, if_true = self.sensing.likelihood(operator, facts, shown)
        lasting = self.certain[facts]  # what is correlated may have changed unseen
        for part in self.correlated:
            lasting &= ~np.isin(facts, part.facts)
        wrong = [facts[lasting & (np.where(self._true[facts], if_true, if_false) == 0)]]
        sure = (if_false == 0) | (if_true == 0)
        for part in self.correlated:
            now, first = copy(part), copy(part)
            first.forget()
            if operator is not None and observation.applied:
                for either in (now, first):
                    either.allow(*self._preconditions(operator))
                    either.progress(operator, self.truth)
            if now.rules_out(facts[sure], shown[sure]):
                if first.rules_out(facts[sure], shown[sure]):
                    raise InputError("what was seen cannot be in any world that :init leaves open")
                wrong.append(part.facts)
        if operator is not None and observation.applied:
            facts, values = self._preconditions(operator)
            wrong.append(facts[self.certain[facts] & (self._true[facts] != values) & self.task.sensors.hidden[facts]])
        return np.unique(np.concatenate(wrong))

    def explains_failure(self, operator: int) -> bool:
        """Whether something that an operator wants is not certain, or is certainly not so."""
        facts, values = self._preconditions(operator)
        return bool((~self.certain[facts] | (self._true[facts] != values)).any())

    def nowhere(self) -> Int32:
        """The groups, int32, that are in none of their places: all members are certainly false, and none was ever
        certainly true, nor changed by an action."""
        somewhere = self._open(self.certain).any(axis=1) | self._found
        return np.flatnonzero((self._members >= 0).any(axis=1) & ~somewhere).astype(np.int32)

    def forget(self, facts: Int32) -> None:
        """Let go of all that was observed of hidden facts, and of the groups that they are in: the world has changed
        without the agent's doing. What was observed before tells nothing any more; the priors are what they were."""
        groups = self._with_any(facts)
        members = self._members[groups]
        gone = np.union1d(facts, members[members >= 0])
        for part in self.correlated:
            if np.isin(part.facts, facts).any():
                part.forget()
                gone = np.union1d(gone, part.facts)
        self._true[gone] = self.certain[gone] = self._shown[gone] = False
        self._chances[:, gone] = self._first_chances[:, gone]
        self._weights[groups], self._evidence[groups] = self._prior[groups], 1.0
        self._found[groups] = False
        self._noted = {(group, what) for group, what in self._noted if not groups[group]}
        self._count_as_known()
        self.revisions += 1

    def weight_left(self) -> Floats:
        """How much of each group's prior is on members that are not known, float64 (groups,), in [0, 1]; 0 where the
        prior has no weight at all."""
        left, total = np.where(self._open(self.known), self._prior, 0.0).sum(axis=1), self._prior.sum(axis=1)
        return np.asarray(np.divide(left, total, out=np.zeros(len(total)), where=total > 0))

    def _weigh_outcome(self, operator: int, applied: bool, slip: float) -> None:
        """Condition on whether an operator could be carried out: all that it wants was so, or something was not."""
        facts, values = self._preconditions(operator)
        if applied:
            for part in self.correlated:
                part.allow(facts, values)
            doubtful = ~self.certain[facts]
            self._find(facts[doubtful], values[doubtful])
        else:
            self._weigh_failure(facts, values, slip)

    def _weigh_reward(self) -> None:
        """Condition on the goal not being reached, where what counts as known says that it is. Elsewhere the reward
        tells an agent nothing: it would be a sensor for what nobody has looked at."""
        goal = self.task.goal
        for d in range(len(goal.pos)):
            facts, values = self._literals(goal.pos.row(d), goal.neg.row(d))
            if self.known[facts].all() and (self.truth[facts] == values).all():
                self._weigh_failure(facts, values)
                self._count_as_known()

    def _preconditions(self, operator: int) -> tuple[Int32, Bits]:
        return self._literals(self.task.operators.pre.row(operator), self.task.operators.npre.row(operator))

    def _literals(self, wanted: Int32, unwanted: Int32) -> tuple[Int32, Bits]:
        """Facts and how they are wanted, without the bits that say what is known."""
        wanted = wanted[wanted < len(self.truth)]
        return np.concatenate((wanted, unwanted)), np.arange(len(wanted) + len(unwanted)) < len(wanted)

    def _weigh_failure(self, facts: Int32, values: Bits, slip: float = 0.0) -> None:
        """Condition on the facts not all being as in ``values``, or on what has a chance of ``slip`` though they
        are."""
        doubtful, chances = ~self.certain[facts], self.probabilities()[facts]
        chances = np.where(values, chances, 1 - chances)
        if not doubtful.any() and chances.all() and not slip:
            raise CplanError("what is certainly so for the agent was not so in the world")
        others = np.array([np.delete(chances, i).prod() for i in range(len(facts))])
        others[doubtful.sum() - doubtful > 0] *= 1 - EPSILON  # a rounded 1 is not certain
        failing = 1 - (1 - slip) * others  # if fact i is as in values
        if_false, if_true = np.where(values, 1.0, failing), np.where(values, failing, 1.0)
        self._weigh(facts[doubtful], if_false[doubtful], if_true[doubtful])

    def _weigh(self, facts: Int32, if_false: Floats, if_true: Floats) -> None:
        """Condition on evidence about facts: how probable it is where each is false and where it is true, float64
        (facts,)."""
        if ((if_false == 0) & (if_true == 0)).any():
            raise CplanError("what was observed has no chance of being observed under the observation model")
        self._shown[facts] = True
        for part in self.correlated:
            part.weigh(facts, if_false, if_true)
        leaves_doubt = (if_false > 0) & (if_true > 0)
        if leaves_doubt.any():
            likelihood = np.ones((2, len(self.truth) + 1))  # the last is for what pads the groups
            likelihood[:, facts[leaves_doubt]] = if_false[leaves_doubt], if_true[leaves_doubt]
            ratio = (likelihood[1] / likelihood[0])[self._members]
            self._weights = _weighed(self.distributions(self.certain), ratio)
            self._evidence = _weighed(self._evidence, ratio)
            self._evidence /= self._evidence.max(axis=1, keepdims=True, initial=TINY)
            self._chances = _weighed(self._chances, likelihood[:, :-1])
            self._chances /= self._chances.sum(axis=0)
        self._find(facts[~leaves_doubt], if_true[~leaves_doubt] > 0)

    def _find(self, facts: Int32, values: Bits) -> None:
        """Make facts certain that were found to be so. Where a member of a group is found to be true, others that were
        true before, and are not found together with it, are false: the newer evidence counts."""
        found = facts[values & ~self._true[facts]]
        if len(found):
            members = self._members[self._with_any(found)]
            self._true[np.setdiff1d(members[members >= 0], facts[values])] = False
        self._settle(facts, values)

    def _settle(self, facts: Int32, values: Bits) -> None:
        """Make facts certain, and what follows from them and the exactly-one groups: the members that were not certain
        are false."""
        self._true[facts] = values
        self.certain[facts] = True
        groups = self._with_any(facts[values])
        members = self._members[groups]
        self.certain[members[members >= 0]] = True
        self._found |= groups

    def _with_any(self, facts: Int32) -> Bits:
        """The groups with any of the facts, bool (groups,)."""
        wanted = np.zeros(len(self.groups) + 1, np.bool_)  # the last is for facts outside of all groups
        wanted[self._group_of[facts]] = True
        return wanted[:-1]

    def _count_as_known(self) -> None:
        """Besides what is certain, what sensors have shown and is probable enough."""
        for part in self.correlated:
            self.certain[part.facts] = part.settled
            self._true[part.facts] = part.values[0] & part.settled
        self.truth[:] = self._true
        self.known = self.certain.copy()
        probable = self._shown & ~self.certain
        if not probable.any():
            return
        chances = self.probabilities()
        self.truth |= probable & (chances > self._threshold)
        known = self.certain | self.truth
        independent = self._independent[probable[self._independent]]
        known[independent[chances[independent] < 1 - self._threshold[independent]]] = True
        known[self._members[(self._members >= 0) & (probable & (chances < NEGLIGIBLE))[self._members]]] = True
        self.known = self._inferred(known)

    def _thresholds(self, threshold: float) -> Floats:
        """Above which probability a fact that was shown counts as known, float64 (facts,). A goal wants its own facts
        known. Where a fact may also count by being false, so do all of its group, from which that follows."""
        task, members = self.task, self._members
        either = (task.goal.neg, *task.failure, task.operators.cond_pre, task.operators.cond_npre, *task.monitors[:2])
        facts = np.arange(len(self.truth))
        careful: Bits = np.isin(facts, np.concatenate([rows.items for rows in either]))
        groups = ((members >= 0) & careful[members]).any(axis=1)
        careful |= np.isin(facts, members[groups]) | np.isin(facts, task.goal.pos.items)
        return np.where(careful, threshold, ENOUGH)

    def _inferred(self, known: Bits) -> Bits:
        """``known``, bool (facts,), and what follows: where a member of a group is known to be true, all are known."""
        state = make_state(self.task, self.truth, known)
        self.transition.conclude(state)
        return StateView(self.task, state).knowledge

    def state(self, world: Bits | None = None) -> State:
        """The kernels' state: what counts as known, in a world, bool (facts,); by default all else is false in it."""
        return make_state(self.task, self.truth if world is None else world, self.known)

    @property
    def knows_goal(self) -> bool:
        """Whether the goal holds by what counts as known."""
        return self.transition.reached(self.state())

    def open_independent(self, facts: Bits) -> Int32:
        """Those of ``facts``, bool (facts,), that are not known, in no group and independent of others."""
        return self._independent[~self.known[self._independent] & facts[self._independent]]

    def distributions(self, known: Bits | None = None) -> Floats:
        """Probabilities, float64 (groups, widest group): zero for padding and where the value is known; a row
        is all zero if nothing in it is open. ``known`` bool (facts,) stands in for what the agent knows in a
        simulation."""
        still_open = self._open(self.known if known is None else known)
        weights = np.where(still_open, self._weights, 0.0)
        total = weights.sum(axis=1, keepdims=True)
        spent = (total[:, 0] <= 0) & still_open.any(axis=1)
        if spent.any():
            weights[spent] = still_open[spent]
            total = weights.sum(axis=1, keepdims=True)
        np.divide(weights, total, out=weights, where=total > 0)
        return weights

    def distribution(self, group: int) -> Floats:
        """The agent's probabilities of one group's members, float64 (members,)."""
        return np.asarray(self.distributions()[group, : len(self.groups.row(group))])

    def probabilities(self) -> Floats:
        """The marginals of the belief: float64 (facts,), how probable each fact is after all that was observed."""
        chances = self._chances[1].copy()
        rows = self._open(self.certain)
        chances[self._members[rows]] = self.distributions(self.certain)[rows]
        for part in self.correlated:
            chances[part.facts] = part.shares @ part.values
        return np.asarray(np.where(self.certain, self._true, chances))

    def sample(self, rng: np.random.Generator) -> State:
        """s ~ b(s): what counts as known, as a state in a world. For many of them, see ``sampler``."""
        return self.sampler().draw(rng)

    def sampler(
        self, truth: Bits | None = None, known: Bits | None = None, distributions: Floats | None = None
    ) -> Sampler:
        """Draws worlds from the belief. ``truth`` and ``known`` stand in for what counts as known, at a node of a
        search; ``distributions`` for the probabilities, by default those that follow from that."""
        truth, known = self.truth if truth is None else truth, self.known if known is None else known
        distributions = self.distributions(known) if distributions is None else distributions
        independent = self._independent[~known[self._independent]]
        state = make_state(self.task, truth, known)
        correlated = [(part, part.agreeing(truth, known)) for part in self.correlated]
        return Sampler(state, self._members, distributions, independent, self._chances[1, independent], correlated)

    def most_likely(self, rank: int = 0) -> State:
        """What counts as known, as a state in the likeliest world; ties go to the first member of a group. With
        ``rank`` r, each group's member is the r-th after the likeliest, or the last that is possible."""
        world, distributions = self.truth.copy(), self.distributions()
        rows = np.flatnonzero(distributions.any(axis=1))
        if len(rows):
            order = np.argsort(-distributions[rows], axis=1, kind="stable")
            places = np.minimum(rank, (distributions[rows] > 0).sum(axis=1) - 1)
            world[self._members[rows, order[np.arange(len(rows)), places]]] = True
        independent = self._independent[~self.known[self._independent]]
        world[independent] = self._chances[1, independent] > 0.5
        for part in self.correlated:
            world[part.facts] = part.most_likely(rank)
        return self.state(world)

    def take_notes(self) -> list[str]:
        """Notes on what the last observation did to the belief; each is given once."""
        still_open = self._open(self.certain)
        likely = np.where(still_open, self._weights, 0.0).sum(axis=1) > 0
        touched = ((self._members >= 0) & self.certain[self._members]).any(axis=1)
        notes = []
        for group in np.flatnonzero(touched & ~self._found & ~likely).tolist():
            what = "all likely places are ruled out; those not looked at share the belief"
            if not still_open[group].any():
                what = "is in none of the places where it could be"
            if (group, what) not in self._noted:
                self._noted.add((group, what))
                notes.append(f"{self.name(group)}: {what}")
        return notes

    def _open(self, known: Bits) -> Bits:
        """Which members of groups are not known: bool (groups, widest group)."""
        return np.asarray((self._members >= 0) & ~known[self._members])


class Sampler:
    """Draws worlds from one belief: what stays the same from world to world is computed once.

    ``state``: what is known, as a state. ``members`` int32 (groups, widest group), padded with -1, and
    ``distributions`` of that shape: how probable each is, all zero where nothing is open. ``independent``: the open
    facts outside of all groups, which are true with probabilities ``chances``. ``correlated``: the parts that hang
    together, each with the worlds of it that are possible.
    """

    def __init__(
        self,
        state: State,
        members: Int32,
        distributions: Floats,
        independent: Int32,
        chances: Floats,
        correlated: Sequence[tuple[CorrelatedBelief, npt.NDArray[np.intp]]] = (),
    ) -> None:
        rows = np.flatnonzero(distributions.any(axis=1))
        groups = len(distributions)
        self.state = state
        self.correlated = correlated
        self.draws = Draws(
            groups + len(independent),
            rows.astype(np.int32),
            members[rows],
            np.cumsum(distributions[rows], axis=1),
            groups,
            independent,
            chances,
        )

    def draw(self, rng: np.random.Generator) -> State:
        """What is known, as a state in a world."""
        state = self.state.copy()
        draw_world(self.draws, rng.random(self.draws.size), state)
        for part, rows in self.correlated:
            shares = np.cumsum(part.weights[rows])
            row = rows[min(int(np.searchsorted(shares, rng.random() * shares[-1], side="right")), len(rows) - 1)]
            for fact in part.facts[part.values[row]].tolist():
                set_bit(state, fact)
        return state


def _weighed(weights: Floats, likelihood: Floats) -> Floats:
    """Weights times how likely the evidence is, both float64 of one shape; what had any has some left."""
    return np.asarray(np.where(weights > 0, np.maximum(weights * likelihood, TINY), 0.0))


def _columns(readings: Readings) -> tuple[Int32, Bits]:
    """Facts and values, int32 and bool (readings,)."""
    facts, values = np.array(readings, np.int32).reshape(-1, 2).T
    return facts, values.astype(np.bool_)
