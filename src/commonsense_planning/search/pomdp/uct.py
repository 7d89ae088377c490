"""UCT (Kocsis and Szepesvári 2006): the tree search of Algorithm 1 without a policy. UCB1 selects, roll-outs are random
and compiled, and no model is asked in the tree."""

from __future__ import annotations

import math

import numpy as np

from commonsense_planning.elicitation.policies import Probabilities
from commonsense_planning.kernels.engine import random_below
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.mcts import Choose, Counts, Mcts, Node


def ucb1(values: Floats, counts: Counts, c: float) -> Floats:
    """UCB1: Q(h,a) + c·sqrt(ln N(h) / N(h,a)), float64 (operators,); infinite for actions that were never tried."""
    scores = np.full(len(values), np.inf)
    tried = counts > 0
    if tried.any():
        scores[tried] = values[tried] + c * np.sqrt(math.log(counts.sum()) / counts[tried])
    return scores


class Uct(Mcts):
    """Algorithm 1 with UCB1 in place of PUCT; ties are broken at random."""

    rule, usual_exploration = "UCB1", 1.414  # √2, which goes with rewards in [0, 1]

    def scores(self, values: Floats, counts: Counts, policy: Probabilities) -> Floats:
        return ucb1(values, counts, self.exploration)

    def pick(self, scores: Floats) -> int:
        ties = np.flatnonzero(scores == scores.max())
        return int(ties[random_below(self.rollout.rng, len(ties))])

    def best(self, node: Node) -> int:
        """argmax Q(h,a) or N(h,a) among the actions that were tried."""
        measure = node.values if self.config.choose is Choose.VALUE else node.counts
        highest = measure[node.counts > 0].max()
        return int(self.rng.choice(np.flatnonzero((node.counts > 0) & (measure == highest))))
