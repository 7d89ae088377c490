"""The initial belief: what an agent believes of a task when it has looked around once and not yet acted, beside what is
true; and how good that is: proper scores and ranks, against the uniform belief."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from commonsense_planning.config import ModelConfig
from commonsense_planning.elicitation.prior import first_belief, model_prior, open_questions, placement_questions
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.sensors import Sensors
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.task import Task
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Scene
from commonsense_planning.wording.verbalise import Verbaliser

BINS = (-1.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # bounds of believed probabilities
TEMPERATURES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0)


@dataclass(frozen=True)
class HiddenThing:
    """What one exactly-one group is about, and the members that the first look left open.

    ``name``: the thing in English; ``objects``: as the user spells it, empty for a group that is about no object.
    Member i is ``facts[i]``, in English ``places[i]``, and has the probability ``believed[i]``, float64 (members,);
    they sum to one. ``truth`` is the index of the true member.
    """

    name: str
    objects: tuple[str, ...]
    places: tuple[str, ...]
    facts: tuple[str, ...]
    believed: Floats
    truth: int


@dataclass(frozen=True)
class InitialBelief:
    """``things``: one per group that is open. Of the other groups, ``known`` were settled by the first look, and
    ``unplaced`` have no true member, or several. ``independent``: hidden facts that are in no group. ``notes``: what
    went wrong when the model was asked."""

    things: tuple[HiddenThing, ...]
    known: int
    unplaced: int
    independent: int
    notes: tuple[str, ...]


def initial_belief(
    problem: Problem,
    sensors: Sensors | None,
    contingent: ContingentInit,
    lexicon: Lexicon,
    open_model: Callable[[Scene], LanguageModel],
    samples: int,
    report: Callable[[str, int], None] = lambda what, count: None,
) -> InitialBelief:
    """Ground ``problem``, which is the true world, ask the model for the prior, ``samples`` answers per thing, and
    look around once. ``report`` is told what is being done.

    The belief is the one that an agent starts with: a place that is in sight, and where the thing is not, is ruled out.

    Raises InputError, MissingError, BudgetError, as grounding and the model do.
    """
    report("grounding", 0)
    task, seen = ground_pomdp(problem, sensors, contingent)
    groups = [seen.groups.row(g) for g in range(len(seen.groups))]
    independent = int(seen.hidden.sum()) - len(np.unique(seen.groups.items))
    if not groups:
        return InitialBelief((), 0, 0, independent, ())
    compiled = compile_task(task, seen)
    say = Verbaliser(task, lexicon)
    notes: list[str] = []
    report("asking the model", 0)
    model = open_model(say.scene())
    prior = model_prior(seen, say, model, samples, notes.append)
    belief = first_belief(compiled, prior)
    belief.update(None, Environment(compiled, task.init).look())
    things, known, unplaced = [], 0, 0
    for members, row in zip(groups, belief.distributions(), strict=True):
        true = members[task.init[members]]
        unseen = np.flatnonzero(~belief.known[members])
        if len(true) != 1:
            unplaced += 1
        elif belief.known[true[0]]:
            known += 1
        else:
            subject = say.subject(members)
            left = members[unseen]
            things.append(
                HiddenThing(
                    name=" ".join(say.name(o) for o in subject) or "it",
                    objects=tuple(problem.spell(task.objects[o]) for o in subject),
                    places=tuple(say.place(int(fact), subject) for fact in left),
                    facts=tuple(str(task.fact_step(int(fact))) for fact in left),
                    believed=row[unseen],
                    truth=int(np.flatnonzero(left == true[0])[0]),
                )
            )
    return InitialBelief(tuple(things), known, unplaced, independent, (*notes, *model.take_notes()))


def unknown_places(task: Task) -> tuple[list[str], bool]:
    """What the embedded model has to say of where things are that matter and are hidden, and whether it knows of none
    of them where it may be. Raises InputError, BudgetError as grounding does."""
    grounded, compiled = task.seen_in_part
    say, belief = Verbaliser(grounded, task.lexicon), first_belief(compiled)
    belief.update(None, Environment(compiled, grounded.init).look())
    groups = open_questions(Relevance(grounded, compiled), belief)
    questions = placement_questions(compiled.sensors, say, groups)
    models = Models(ModelConfig())
    model = models.open(say.scene(), task.prompts, LexicalMatcher(), np.random.default_rng(0))
    weighed = model.weigh(questions, models.adapter.prior_samples) if questions else []
    return model.take_notes(), bool(weighed) and all(len(set(w.shares.tolist())) == 1 for w in weighed)


class Score(NamedTuple):
    """How good one distribution p over n members is, of which member t is true; or the means over several of them.

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
class Scores:
    """``each`` group's score, in order; one group at least."""

    each: tuple[Score, ...]

    @property
    def mean(self) -> Score:
        """The mean over the groups, each of equal weight."""
        return Score(*(fmean(column) for column in zip(*self.each, strict=True)))


class Comparison(NamedTuple):
    """The scores of a prior, and those of the uniform prior on the same groups."""

    model: Scores
    uniform: Scores


def judge(prior: Sequence[Floats], truth: Sequence[int]) -> Scores:
    """Score a prior. ``prior[g]``: float64 (members of group g,), not negative, not all zero; normalised here.
    ``truth[g]``: the index of group g's true member."""
    return Scores(tuple(_score(weights, t) for weights, t in zip(prior, truth, strict=True)))


def compare(prior: Sequence[Floats], truth: Sequence[int]) -> Comparison:
    """Score a prior, as ``judge`` does, and the uniform prior over the same members."""
    return Comparison(judge(prior, truth), judge([np.ones(len(weights)) for weights in prior], truth))


class Bin(NamedTuple):
    """The members that are believed with a probability above ``low`` and at most ``high``: how many there are, what is
    believed on average, and which share of them is true. Equal in a calibrated belief."""

    low: float
    high: float
    members: int
    believed: float
    true: float


def reliability(prior: Sequence[Floats], truth: Sequence[int]) -> tuple[Bin, ...]:
    """How often what is believed with some probability is so, for members of all groups together; empty bins are left
    out. Arguments as for :func:`judge`."""
    believed = np.concatenate([weights / weights.sum() for weights in prior])
    true = np.concatenate([np.arange(len(weights)) == t for weights, t in zip(prior, truth, strict=True)])
    bins = []
    for low, high in pairwise(BINS):
        inside = (believed > low) & (believed <= high)
        if inside.any():
            bins.append(Bin(low, high, int(inside.sum()), float(believed[inside].mean()), float(true[inside].mean())))
    return tuple(bins)


def fitted_temperature(prior: Sequence[Floats], truth: Sequence[int]) -> tuple[float, float]:
    """The temperature T of ``TEMPERATURES`` for which the weights to the power of 1/T have the least log loss, and that
    loss. It is for other homes than those that it was fitted on."""
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
