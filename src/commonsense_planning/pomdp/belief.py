"""The belief b(s) over the hidden facts, and its update by Bayes' rule (LLM-MCTS paper, section 2.2, appendix C.2):

    b'(s') ∝ O(o | s', a) · Σ_s T(s' | s, a) · b(s)

The belief is a product: a categorical distribution per exactly-one group, and a probability per hidden fact outside of
all groups, initially one half unless the task's files give another. It is exact if operators and sensing rules are as
in a household: no hidden fact fires a rule or a conditional effect; only an operator that requires a fact of a group to
be known changes that fact; and at most one uncertain fact decides whether an operator can be carried out. Otherwise
only the marginals are kept, without their correlations, and the firing of a rule is no evidence about a hidden fact in
its condition. Facts that a contingent ``:init`` correlates are not part of the product: their worlds are listed
(``correlated``).

With certain sensing this is the paper's update. A place where the thing is seen gets probability one; a place without
it gets zero, and the rest is normalised again. If every place with any weight is ruled out, the places not looked at
share the mass evenly, with a note; if there are none, the thing is in none of its places, with another note.

A thing may move without the agent: with probability ``move_rate`` before each observation it is anywhere, as in the
prior; a hidden fact outside of all groups likewise. Then nothing about it stays certain, whoever put it there. The
worlds of a contingent ``:init`` do not move: their correlations are about the initial state.

The knowledge on which an agent acts is in ``knowledge.py``.
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
from commonsense_planning.pomdp.knowledge import THRESHOLD, Knowledge
from commonsense_planning.pomdp.observation_model import (
    OVERLOOKED,
    Bits,
    Floats,
    Observation,
    ObservationModel,
    Readings,
    observation_model,
)
from commonsense_planning.state import State, make_state

FLOOR = 1e-3  # probability of a place that was never sampled, before normalising (appendix C.2)
EPSILON = np.finfo(np.float64).eps


class Belief:
    """The agent's belief: a function of the prior, T, O, and the actions and observations since.

    ``prior[g]``: float64 (members of group g,), not negative. ``name(g)`` is the subject of group g in English.
    ``transition`` is T, and ``sensing`` O: the agent's model of its sensors' errors, none by default. It acts on
    ``knowledge``, which has ``truth``, ``known`` and ``certain``. Before the first ``update`` only facts that are not
    hidden are known, all false. ``move_rate``: the probability, in [0, 1), that a hidden thing has moved before an
    observation. Raises ValueError for a ``threshold`` that Knowledge does not accept.
    """

    def __init__(
        self,
        task: Compiled,
        prior: Sequence[Floats],
        name: Callable[[int], str] = str,
        sensing: ObservationModel | None = None,
        threshold: float = THRESHOLD,
        move_rate: float = 0.0,
    ) -> None:
        self.task = task
        self.move_rate = move_rate
        self.knowledge = Knowledge(task, threshold)
        self.transition = self.knowledge.transition
        self.sensing = sensing or observation_model(task.sensors)
        self.groups = task.sensors.groups
        self.name = name
        self.revisions = 0  # how often a prior came later, or observations were discarded
        self.correlated = correlated_beliefs(task)
        hidden, shape = task.sensors.hidden, self.knowledge.members.shape
        true = np.full(len(hidden), 0.5) if task.sensors.prior is None else task.sensors.prior
        self._first_chances = np.stack((1 - true, true))
        self._chances = self._first_chances.copy()  # probabilities that facts outside of all groups are false, and true
        self._prior = np.zeros(shape)  # of the members, not normalised
        for g in range(len(self.groups)):
            self._prior[g, : len(self.groups.row(g))] = prior[g]
        self._weights = self._prior.copy()  # of the members, in proportion to their probabilities
        self._evidence = np.ones(shape)  # likelihood of what erring sensors showed, by member
        self._noted: set[tuple[int, str]] = set()

    @property
    def truth(self) -> Bits:
        """Which facts count as known to be true: bool (facts,)."""
        return self.knowledge.truth

    @property
    def known(self) -> Bits:
        """Which facts count as known: bool (facts,)."""
        return self.knowledge.known

    @property
    def certain(self) -> Bits:
        """Which facts are certain: bool (facts,)."""
        return self.knowledge.certain

    @property
    def knows_goal(self) -> bool:
        """Whether the goal holds by what counts as known."""
        return self.knowledge.knows_goal

    def state(self, world: Bits | None = None) -> State:
        """The kernels' state: what counts as known, in a world, bool (facts,); by default all else is false in it."""
        return self.knowledge.state(world)

    def update(self, operator: int | None, observation: Observation) -> None:
        """Updates the belief by Bayes' rule with the observation after an operator; None for the initial observation.

        Raises CplanError for an impossible observation: a reading that has probability 0 either way; an operator that
        could not be carried out, or a goal that is not reached, though all its conditions are certain. From a
        ``surprising`` observation nothing is concluded about the failure of an operator.
        """
        if self.move_rate:
            self._move()
        if operator is not None and (observation.applied or not observation.surprising):
            self._weigh_outcome(operator, observation.applied, observation.slip)
            if observation.applied:
                for part in self.correlated:
                    before = part.values
                    part.progress(operator if observation.outcome is None else observation.outcome, self.truth)
                    self.knowledge.shown[part.facts[(part.values != before).any(axis=0)]] = False
        facts, values = _columns(observation.facts)
        self.knowledge.settle(facts, values)
        self.knowledge.found |= self.knowledge.with_any(facts)
        facts, shown = _columns(observation.readings)
        self._weigh(facts, *self.sensing.likelihood(operator, facts, shown))
        unsaid = np.array([fact for fact in observation.unsaid if not self.certain[fact]], np.int32)
        self._weigh(unsaid, np.ones(len(unsaid)), np.full(len(unsaid), OVERLOOKED))
        self._count_as_known()
        if not observation.goal_reached and self.knows_goal:
            # elsewhere the reward is no evidence: it would be a sensor for places not looked at
            for facts, values in self.knowledge.reached_goals():
                self._weigh_failure(facts, values)
                self._count_as_known()

    def revise(self, group: int, prior: Floats) -> None:
        """Replaces the prior of a group, float64 (members of the group,), as if it had been there from the start: all
        observations since then count for it."""
        size = len(self.groups.row(group))
        self._prior[group, :size] = prior
        self._weights[group, :size] = prior * self._evidence[group, :size]
        self._count_as_known()
        self.revisions += 1

    def revise_correlated(self, part: int, prior: Floats) -> None:
        """Replaces the prior of the worlds of a correlated part, float64 (worlds,), positive, in the same way."""
        self.correlated[part].revise(prior)
        self._count_as_known()
        self.revisions += 1

    def contradicted(self, operator: int | None, observation: Observation) -> Int32:
        """The certain hidden facts, int32, that an observation contradicts: by another reading, by an operator that was
        carried out although it requires the opposite, or by readings of correlated facts that no possible world allows.
        Raises InputError if no initial world allows these readings."""
        facts, shown = _columns(observation.readings)
        if_false, if_true = self.sensing.likelihood(operator, facts, shown)
        lasting = self.certain[facts]  # what is correlated may have changed unseen
        for part in self.correlated:
            lasting &= ~np.isin(facts, part.facts)
        wrong = [facts[lasting & (np.where(self.knowledge.true[facts], if_true, if_false) == 0)]]
        sure = (if_false == 0) | (if_true == 0)
        for part in self.correlated:
            now, first = copy(part), copy(part)
            first.forget()
            if operator is not None and observation.applied:
                for either in (now, first):
                    either.allow(*self.knowledge.preconditions(operator))
                    either.progress(operator, self.truth)
            if now.rules_out(facts[sure], shown[sure]):
                if first.rules_out(facts[sure], shown[sure]):
                    raise InputError("what was seen cannot be in any world that :init leaves open")
                wrong.append(part.facts)
        if operator is not None and observation.applied:
            facts, values = self.knowledge.preconditions(operator)
            otherwise = self.certain[facts] & (self.knowledge.true[facts] != values)
            wrong.append(facts[otherwise & self.task.sensors.hidden[facts]])
        return np.unique(np.concatenate(wrong))

    def forget(self, facts: Int32) -> None:
        """Discards all observations of hidden facts and of their groups: the world has changed without the agent.
        Earlier observations no longer count; the priors are unchanged."""
        groups = self.knowledge.with_any(facts)
        members = self.knowledge.members[groups]
        gone = np.union1d(facts, members[members >= 0])
        for part in self.correlated:
            if np.isin(part.facts, facts).any():
                part.forget()
                gone = np.union1d(gone, part.facts)
        self.knowledge.forget(gone, groups)
        self._chances[:, gone] = self._first_chances[:, gone]
        self._weights[groups], self._evidence[groups] = self._prior[groups], 1.0
        self._noted = {(group, what) for group, what in self._noted if not groups[group]}
        self._count_as_known()
        self.revisions += 1

    def weight_left(self) -> Floats:
        """The share of each group's prior on members that are not known, float64 (groups,), in [0, 1]; 0 if the prior
        has no weight at all."""
        left, total = np.where(self.knowledge.open(self.known), self._prior, 0.0).sum(axis=1), self._prior.sum(axis=1)
        return np.asarray(np.divide(left, total, out=np.zeros(len(total)), where=total > 0))

    def _move(self) -> None:
        """Mixes the belief with the prior, in proportion to ``move_rate``: what was certain is so no longer. What is in
        none of its places, being held, stays there."""
        rate, knowledge = self.move_rate, self.knowledge
        real, prior = knowledge.members >= 0, self._prior / np.maximum(self._prior.sum(axis=1, keepdims=True), TINY)
        now = np.where(real, self.probabilities()[knowledge.members], 0.0)
        total = now.sum(axis=1, keepdims=True)
        moving = (total[:, 0] > 0) & (prior.sum(axis=1) > 0)
        now = (1 - rate) * now[moving] / total[moving] + rate * prior[moving]
        self._weights[moving] = now
        self._evidence[moving] = np.divide(now, prior[moving], out=np.ones_like(now), where=prior[moving] > 0)
        alone = knowledge.independent
        settled = alone[self.certain[alone]]
        self._chances[1, settled] = knowledge.true[settled]
        self._chances[0, settled] = ~knowledge.true[settled]
        self._chances[:, alone] = (1 - rate) * self._chances[:, alone] + rate * self._first_chances[:, alone]
        knowledge.doubt(np.concatenate((knowledge.members[moving][real[moving]], alone)))

    def _weigh_outcome(self, operator: int, applied: bool, slip: float) -> None:
        """Condition on whether an operator could be carried out: all its preconditions held, or one did not."""
        facts, values = self.knowledge.preconditions(operator)
        if applied:
            for part in self.correlated:
                part.allow(facts, values)
            doubtful = ~self.certain[facts]
            self.knowledge.find(facts[doubtful], values[doubtful])
        else:
            self._weigh_failure(facts, values, slip)

    def _weigh_failure(self, facts: Int32, values: Bits, slip: float = 0.0) -> None:
        """Condition on the facts not all being as in ``values``, or on a failure with probability ``slip`` though they
        are."""
        doubtful, chances = ~self.certain[facts], self.probabilities()[facts]
        chances = np.where(values, chances, 1 - chances)
        if not doubtful.any() and chances.all() and not slip:
            raise CplanError("a fact that is certain for the agent was false in the world")
        others = np.array([np.delete(chances, i).prod() for i in range(len(facts))])
        others[doubtful.sum() - doubtful > 0] *= 1 - EPSILON  # a rounded 1 is not certain
        failing = 1 - (1 - slip) * others  # if fact i is as in values
        if_false, if_true = np.where(values, 1.0, failing), np.where(values, failing, 1.0)
        self._weigh(facts[doubtful], if_false[doubtful], if_true[doubtful])

    def _weigh(self, facts: Int32, if_false: Floats, if_true: Floats) -> None:
        """Condition on evidence about facts: its probability if each is false, and if it is true, float64 (facts,)."""
        if ((if_false == 0) & (if_true == 0)).any():
            raise CplanError("the observation has probability 0 under the observation model")
        self.knowledge.shown[facts] = True
        for part in self.correlated:
            part.weigh(facts, if_false, if_true)
        leaves_doubt = (if_false > 0) & (if_true > 0)
        if leaves_doubt.any():
            likelihood = np.ones((2, len(self.truth) + 1))  # the last is for the padding of groups
            likelihood[:, facts[leaves_doubt]] = if_false[leaves_doubt], if_true[leaves_doubt]
            ratio = (likelihood[1] / likelihood[0])[self.knowledge.members]
            self._weights = _weighed(self.distributions(self.certain), ratio)
            self._evidence = _weighed(self._evidence, ratio)
            self._evidence /= self._evidence.max(axis=1, keepdims=True, initial=TINY)
            self._chances = _weighed(self._chances, likelihood[:, :-1])
            self._chances /= self._chances.sum(axis=0)
        self.knowledge.find(facts[~leaves_doubt], if_true[~leaves_doubt] > 0)

    def _count_as_known(self) -> None:
        """Counts as known what is certain, and what sensors have shown and is probable enough."""
        for part in self.correlated:
            self.certain[part.facts] = part.settled
            self.knowledge.true[part.facts] = part.values[0] & part.settled
        self.knowledge.count(self.probabilities)

    def distributions(self, known: Bits | None = None) -> Floats:
        """Probabilities, float64 (groups, widest group): zero for padding and for known values; a row is all zero if
        nothing in it is open. ``known`` bool (facts,) replaces the agent's knowledge in a simulation."""
        still_open = self.knowledge.open(self.known if known is None else known)
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
        """The marginals of the belief: float64 (facts,), the probability of each fact after all observations."""
        chances = self._chances[1].copy()
        rows = self.knowledge.open(self.certain)
        chances[self.knowledge.members[rows]] = self.distributions(self.certain)[rows]
        for part in self.correlated:
            chances[part.facts] = part.shares @ part.values
        return np.asarray(np.where(self.certain, self.knowledge.true, chances))

    def sample(self, rng: np.random.Generator) -> State:
        """s ~ b(s): a state that holds the knowledge and a world. ``sampler`` draws many of them."""
        return self.sampler().draw(rng)

    def sampler(
        self, truth: Bits | None = None, known: Bits | None = None, distributions: Floats | None = None
    ) -> Sampler:
        """Returns a sampler of worlds from the belief. ``truth`` and ``known`` replace what counts as known, at a node
        of a search; ``distributions`` replaces the probabilities, by default those that follow from it."""
        truth, known = self.truth if truth is None else truth, self.known if known is None else known
        distributions = self.distributions(known) if distributions is None else distributions
        independent = self.knowledge.independent[~known[self.knowledge.independent]]
        state = make_state(self.task, truth, known)
        chances, members = self._chances[1, independent], self.knowledge.members
        correlated = [(part, part.agreeing(truth, known)) for part in self.correlated]
        return Sampler(state, members, distributions, independent, chances, correlated)

    def most_likely(self, rank: int = 0) -> State:
        """The state of the most likely world, with what counts as known; ties go to the first member of a group. With
        ``rank`` r, each group's member is the r-th after the most likely, or the last possible one."""
        world, distributions = self.truth.copy(), self.distributions()
        rows = np.flatnonzero(distributions.any(axis=1))
        if len(rows):
            order = np.argsort(-distributions[rows], axis=1, kind="stable")
            places = np.minimum(rank, (distributions[rows] > 0).sum(axis=1) - 1)
            world[self.knowledge.members[rows, order[np.arange(len(rows)), places]]] = True
        independent = self.knowledge.independent[~self.known[self.knowledge.independent]]
        world[independent] = self._chances[1, independent] > 0.5
        for part in self.correlated:
            world[part.facts] = part.most_likely(rank)
        return self.state(world)

    def take_notes(self) -> list[str]:
        """Returns notes on the effects of the last observation on the belief; each is given once."""
        still_open = self.knowledge.open(self.certain)
        likely = np.where(still_open, self._weights, 0.0).sum(axis=1) > 0
        touched = ((self.knowledge.members >= 0) & self.certain[self.knowledge.members]).any(axis=1)
        notes = []
        for group in np.flatnonzero(touched & ~self.knowledge.found & ~likely).tolist():
            what = "all likely places are ruled out; those not looked at share the belief"
            if not still_open[group].any():
                what = "is in none of the places where it could be"
            if (group, what) not in self._noted:
                self._noted.add((group, what))
                notes.append(f"{self.name(group)}: {what}")
        return notes


class Sampler:
    """Draws worlds from one belief: the common part of all worlds is computed once. ``state``: the knowledge, as a
    state. ``members`` int32 (groups, widest group), padded with -1, and ``distributions`` of that shape: their
    probabilities, all zero if nothing is open. ``independent``: the open facts outside of all groups, which are true
    with probabilities ``chances``. ``correlated``: the correlated parts, each with its possible worlds.
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
        self.open = bool(len(rows) or len(independent) or correlated)  # whether worlds differ
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
        """A state that holds the knowledge and a world drawn from the belief."""
        state = self.state.copy()
        draw_world(self.draws, rng.random(self.draws.size), state)
        for part, rows in self.correlated:
            shares = np.cumsum(part.weights[rows])
            row = rows[min(int(np.searchsorted(shares, rng.random() * shares[-1], side="right")), len(rows) - 1)]
            for fact in part.facts[part.values[row]].tolist():
                set_bit(state, fact)
        return state


def _weighed(weights: Floats, likelihood: Floats) -> Floats:
    """Weights times likelihoods, both float64 of one shape; a positive weight stays positive."""
    return np.asarray(np.where(weights > 0, np.maximum(weights * likelihood, TINY), 0.0))


def _columns(readings: Readings) -> tuple[Int32, Bits]:
    """Facts and values, int32 and bool (readings,)."""
    facts, values = np.array(readings, np.int32).reshape(-1, 2).T
    return facts, values.astype(np.bool_)
