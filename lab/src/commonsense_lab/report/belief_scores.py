"""Scores a belief against the truth: proper scores and ranks, next to those of the uniform belief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from commonsense_planning.pomdp.observation_model import Floats

BINS = (-1.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # bounds of believed probabilities
TEMPERATURES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0)


class Score(NamedTuple):
    """The score of a distribution p over n members, of which member t is true; or the means over several.

    ``log_loss``: -ln p_t, in nats; 0 is perfect, ln n is uniform, infinite where p_t = 0.
    ``brier``: the sum over members i of (p_i - [i = t])² (Brier 1950); 0 is perfect, 1 - 1/n is uniform, 2 is worst.
    ``rank``: of member t by falling probability, from 1; members of equal probability share their mean rank.
    ``first_guess``: the chance that a likeliest member, drawn evenly if there are several, is t.
    """

    log_loss: float
    brier: float
    rank: float
    first_guess: float


@dataclass(frozen=True)
class BeliefScores:
    """``each`` group's score, in order; one group at least."""

    each: tuple[Score, ...]

    @property
    def mean(self) -> Score:
        """The mean over the groups, each of equal weight."""
        return Score(*(fmean(column) for column in zip(*self.each, strict=True)))


class Comparison(NamedTuple):
    """The scores of a prior, and those of the uniform prior on the same groups."""

    model: BeliefScores
    uniform: BeliefScores


def judge(prior: Sequence[Floats], truth: Sequence[int]) -> BeliefScores:
    """Scores a prior. ``prior[g]``: float64 (members of group g,), not negative, not all zero; normalised here.
    ``truth[g]``: the index of group g's true member."""
    return BeliefScores(tuple(_score(weights, t) for weights, t in zip(prior, truth, strict=True)))


def compare(prior: Sequence[Floats], truth: Sequence[int]) -> Comparison:
    """Scores a prior, as ``judge`` does, and the uniform prior over the same members."""
    return Comparison(judge(prior, truth), judge([np.ones(len(weights)) for weights in prior], truth))


class Bin(NamedTuple):
    """The members believed with a probability above ``low`` and at most ``high``: their number, their mean believed
    probability, and the share that is true. The last two are equal in a calibrated belief."""

    low: float
    high: float
    members: int
    believed: float
    true: float


def reliability(prior: Sequence[Floats], truth: Sequence[int]) -> tuple[Bin, ...]:
    """Returns how often believed members are true, by probability, for all groups together; without empty bins.
    Arguments as for :func:`judge`."""
    believed = np.concatenate([weights / weights.sum() for weights in prior])
    true = np.concatenate([np.arange(len(weights)) == t for weights, t in zip(prior, truth, strict=True)])
    bins = []
    for low, high in pairwise(BINS):
        inside = (believed > low) & (believed <= high)
        if inside.any():
            bins.append(Bin(low, high, int(inside.sum()), float(believed[inside].mean()), float(true[inside].mean())))
    return tuple(bins)


def fitted_temperature(prior: Sequence[Floats], truth: Sequence[int]) -> tuple[float, float]:
    """Returns the temperature T of ``TEMPERATURES`` for which the weights to the power of 1/T have the least log loss,
    and that loss. Use it for other homes than those that it was fitted on."""
    losses = [(judge([weights ** (1 / t) for weights in prior], truth).mean.log_loss, t) for t in TEMPERATURES]
    loss, temperature = min(losses)
    return temperature, loss


def _score(weights: Floats, truth: int) -> Score:
    p = weights / weights.sum()
    hit = np.zeros(len(p))
    hit[truth] = 1
    above, level = int((p > p[truth]).sum()), int((p == p[truth]).sum())
    return Score(
        log_loss=float(0 - np.log(p[truth])) if p[truth] > 0 else float("inf"),
        brier=float(((p - hit) ** 2).sum()),
        rank=above + (level + 1) / 2,
        first_guess=0.0 if above else 1 / level,
    )
