"""A model's advice as evidence about hidden facts.

A model that says "open the fridge" may know something about the milk's place that the prior does not contain. So the
advice a at the root is an observation, and the belief over worlds s is updated by Bayes' rule,

    b(s | a) ∝ b(s) · P(a | s),
    P(a | s) = q · [a leads to something that is wanted in s] / k(s) + (1 - q) · max(1 / n, π(a))

with n branches, of which k(s) lead to something in s. With probability q the advice is to the point. Otherwise it is
drawn uniformly, as the paper's λ mixes its policy, or repeats what the search would try by itself, with its own π (gain
per cost), and says nothing about s. q is learned in the episode from the success of earlier advice, by the rule of
succession: an answer that hit counts as far as it was more than luck or repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from commonsense_planning.elicitation.policies import Probabilities
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.sensing_rollout import Worlds
from commonsense_planning.pomdp.observation_model import Bits, Floats
from commonsense_planning.search.pomdp.macro_mcts import Branch
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros


@dataclass
class AdviceAsEvidence:
    """The reliability of advice in an episode. ``mixing``: λ, the share of the uniform policy that is mixed in.
    ``hits``, ``misses``: of advice with a known result, in addition to two prior answers of which λ missed."""

    sensing: SensingMacros
    mixing: float
    hits: float = 0.0
    misses: float = 0.0
    _pending: list[tuple[frozenset[int], int, float]] = field(default_factory=list)

    @property
    def reliability(self) -> float:
        """The probability q that advice is to the point."""
        return (2 * (1 - self.mixing) + self.hits) / (2 + self.hits + self.misses)

    def condition_on_advice(
        self, worlds: Worlds, found: int, branches: Sequence[Branch], own: Probabilities, policy: Probabilities
    ) -> Worlds:
        """The worlds given the model's ``policy`` over the branches, float64 (branches,); unchanged if its advice is
        for branches that lead to nothing hidden. ``own``: the search's policy. ``found``: the groups that are settled,
        as bits."""
        count = len(branches)
        shares = np.maximum(policy - self.mixing / count, 0.0)
        leads = np.zeros((worlds.mass.shape[1], count), np.bool_)  # observation class → branches that lead there
        for b, branch in enumerate(branches):
            leads[list(branch.toward), b] = True
        telling = np.asarray(leads.any(axis=0))
        if not shares[telling].any():
            return worlds
        best, anyway = int(np.argmax(np.where(telling, shares, 0.0))), np.maximum(1 / count, own)
        luck = (1 - self.reliability) * float(anyway[best])
        self._pending.append((branches[best].toward, found, self.reliability / (self.reliability + luck)))
        shares /= shares.sum()
        of_class = self._likelihood(leads, shares, telling, anyway)
        wanted = [g for g in range(worlds.observed.shape[1]) if not found >> g & 1]
        there = [np.where(worlds.observed[:, [g]] >= 0, leads[worlds.observed[:, g]], False) for g in wanted]
        of_world = self._likelihood(np.max(there, axis=0), shares, telling, anyway)
        return worlds._replace(weight=worlds.weight * of_world, mass=worlds.mass * of_class)

    def _likelihood(self, leads: Bits, shares: Probabilities, telling: Bits, anyway: Probabilities) -> Floats:
        """P(a | s), float64 (rows,). Row s of ``leads`` has the branches that lead to something in s; ``anyway``: the
        probability that each is advised although it leads to nothing."""
        to_the_point = leads / np.maximum(1.0, leads.sum(axis=1, keepdims=True))
        chance = self.reliability * to_the_point + (1 - self.reliability) * anyway
        return np.asarray(np.where(telling, chance, anyway) @ shares)

    def review(self) -> None:
        """Counts the results of advice that are known by now: a hit if something wanted was found where it led, a miss
        if all of that was seen, or nothing is wanted any more."""
        if not self._pending:
            return
        sensing, belief = self.sensing, self.sensing.belief
        state = sensing.here()
        unseen, found = sensing.unseen(state), sensing.settled(state)
        where = [sensing.class_of[m[belief.known[m] & belief.truth[m]]] for m in map(self._members, sensing.relevant)]
        pending, self._pending = self._pending, []
        for toward, before, merit in pending:
            new = [g for g in range(len(where)) if (found & ~before) >> g & 1]
            if any(toward.intersection(where[g].tolist()) for g in new):
                self.hits += merit
                self.misses += 1 - merit
            elif toward & unseen and found != (1 << len(where)) - 1:
                self._pending.append((toward, before, merit))
            else:
                self.misses += 1

    def _members(self, group: int) -> Int32:
        return self.sensing.compiled.sensors.groups.row(group)
