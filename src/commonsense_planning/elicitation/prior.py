"""The prior of the belief: uniform, or sampled from a language model (section 2.2 and appendix C.2), which is asked
when something becomes relevant, and again if it was not found where it is likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import numpy as np

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, Int32, owners_of
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.pomdp.belief import FLOOR, Belief
from commonsense_planning.pomdp.observation_model import Bits, Floats, ObservationModel
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.wording.questions import Alternatives, Placement, PlacementAgain, Question, Trait
from commonsense_planning.wording.verbalise import Verbaliser

LEAST_LEFT = 0.1  # share of a thing's weight on places not looked at, below which the model is asked again


def uniform_prior(sensors: GroundSensors) -> list[Floats]:
    """The same weight for every member of a group."""
    return [np.full(len(sensors.groups.row(g)), 1.0) for g in range(len(sensors.groups))]


def stated_prior(sensors: GroundSensors) -> list[Floats] | None:
    """The weight of every member of a group by the task's files; None without such weights."""
    prior = sensors.prior
    return None if prior is None else [prior[sensors.groups.row(g)] for g in range(len(sensors.groups))]


def already_there(task: GroundTask, sensors: GroundSensors, say: Verbaliser) -> Bits:
    """The members of groups that the goal wants true, bool (facts,); but for those of things of which the same disjunct
    wants something else that is not seen to hold: a cup to be heated and put into the cabinet may be in it."""
    group = dict(zip(*(column.tolist() for column in reversed(owners_of(sensors.groups))), strict=True))
    true, found = task.init & ~sensors.hidden, np.zeros(task.fact_count, np.bool_)
    for d in range(len(task.goal.pos)):
        pos, neg = task.goal.pos.row(d), task.goal.neg.row(d)
        lacking = [*pos[~true[pos]].tolist(), *neg[(true | sensors.hidden)[neg]].tolist()]
        for fact in set(pos.tolist()) & group.keys():
            thing = set(say.subject(sensors.groups.row(group[fact])))
            others = (f for f in lacking if group.get(f) != group[fact])
            found[fact] |= not any(thing & set(task.facts[f][1]) for f in others)
    return found


def not_yet(sensors: GroundSensors, prior: Sequence[Floats], there: Bits, most: float) -> list[Floats]:
    """A prior in which the members ``there`` of a group have at most the share ``most`` of its weight."""
    return [_not_yet(weights, there[sensors.groups.row(g)], most) for g, weights in enumerate(prior)]


def _not_yet(weights: Floats, there: Bits, most: float) -> Floats:
    reached, rest = weights[there].sum(), weights[~there].sum()
    if reached > most * (reached + rest) and rest > 0:
        return np.where(there, weights * (most * rest / ((1 - most) * reached)), weights)
    return weights


def first_belief(
    compiled: Compiled,
    prior: Sequence[Floats] | None = None,
    name: Callable[[int], str] = str,
    sensing: ObservationModel | None = None,
    move_rate: float = 0.0,
) -> Belief:
    """The initial belief before any observation, which every agent updates. ``prior[g]``: float64 (members of group
    g,), uniform where None; ``name(g)``: the subject of group g; ``sensing``: how its sensors err; ``move_rate``: see
    ``Belief``."""
    given = uniform_prior(compiled.sensors) if prior is None else prior
    return Belief(compiled, given, name, sensing, move_rate=move_rate)


def placement_questions(sensors: GroundSensors, verbaliser: Verbaliser, groups: Sequence[int]) -> list[Placement]:
    """One question per group: where may its subject be? Things of the same name share a question."""
    return list(dict.fromkeys(_placement(verbaliser, sensors.groups.row(group))[0] for group in groups))


def model_prior(
    sensors: GroundSensors,
    verbaliser: Verbaliser,
    model: LanguageModel,
    samples: int,
    note: Callable[[str], None] = lambda text: None,
    groups: Sequence[int] | None = None,
) -> list[Floats]:
    """The model's weight for each place, from ``samples`` (the paper's M) answers if it is sampled; FLOOR for a place
    never named. Only for ``groups`` if they are given, in that order.

    All questions are sent together. The weight of a name with several places ("kitchen cabinet") is shared among them;
    an answer that fits no place is dropped. ``note`` gets a message about a thing for which nothing is left.
    """
    chosen = range(len(sensors.groups)) if groups is None else groups
    return _weighed([_placement(verbaliser, sensors.groups.row(g)) for g in chosen], model, samples, note)


class AskedPrior:
    """The model's prior in one episode: the model is asked about a group when it becomes relevant, not before, with
    ``samples`` answers per question. Until then its prior is unchanged.

    With ``again``, it is asked again about a thing, and gets the observations, when the places that it named are ruled
    out, or when less than ``LEAST_LEFT`` of its weight is left on places not looked at. The members ``there``, bool
    (facts,), get at most the share ``most`` of a group's weight.
    """

    def __init__(
        self,
        relevance: Relevance,
        verbaliser: Verbaliser,
        model: LanguageModel,
        samples: int,
        again: bool,
        there: Bits,
        most: float,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._relevance = relevance
        self._say = verbaliser
        self._weigh = partial(_weighed, model=model, samples=samples, note=note)
        self._any_kind = model.answers(Alternatives)
        self._again, self._there, self._most = again, there, most
        self._note = note
        self._likely: dict[int, Bits] = {}  # group → bool (members,), the places named when it was asked about last
        self._weighed_parts: set[int] = set()  # correlated parts that were asked about

    def update(self, belief: Belief) -> None:
        """Asks about groups that have become relevant, and again about things not found in their likely places; revises
        the belief. Raises BudgetError like ``LanguageModel.ask``."""
        relevant = open_questions(self._relevance, belief, self._ends(belief))
        while self._ask(belief, relevant) or self._ask_again(belief, relevant):
            relevant = open_questions(self._relevance, belief, self._ends(belief))
        self._ask_about_correlated(belief)

    def _ask_about_correlated(self, belief: Belief) -> None:
        """Asks once about each relevant correlated part: a question for each ``oneof`` in it. A world's weight is the
        product of those of its alternatives."""
        if not belief.correlated:
            return
        correlated = self._relevance.of(belief.truth, belief.known).correlated
        new = [p for p in np.flatnonzero(correlated).tolist() if p not in self._weighed_parts]
        wanted: list[tuple[Question, list[str]]] = []
        about: list[tuple[int, tuple[int, ...]]] = []
        for p in new:
            part = belief.correlated[p].part
            for columns in part.choices if len(belief.correlated[p].values) > 1 else ():
                question, phrases = _choice(self._say, part.facts[list(columns)])
                if self._any_kind or isinstance(question, Placement):
                    wanted.append((question, phrases))
                    about.append((p, columns))
        priors = {p: np.ones(len(belief.correlated[p].part.worlds)) for p, _ in about}
        for (p, columns), weights in zip(about, self._weigh(wanted) if wanted else (), strict=True):
            priors[p] *= belief.correlated[p].part.worlds[:, list(columns)] @ weights
        for p, prior in priors.items():
            belief.revise_correlated(p, prior)
        self._weighed_parts.update(new)

    def _ask(self, belief: Belief, relevant: Sequence[int]) -> bool:
        new = [g for g in relevant if g not in self._likely]
        if new:
            asked = [_placement(self._say, belief.groups.row(g)) for g in new]
            for group, weights in zip(new, self._weigh(asked), strict=True):
                self._revise(belief, group, weights)
        return bool(new)

    def _ask_again(self, belief: Belief, relevant: Sequence[int]) -> bool:
        in_vain = [g for g in relevant if self._in_vain(belief, g)] if self._again else []
        if in_vain:
            seen = seen_where(belief, self._say)
            named = [self._may_name(belief, g) for g in in_vain]
            questions = [_placement_again(belief, self._say, g, m, *seen) for g, m in zip(in_vain, named, strict=True)]
            for question, _ in questions:
                self._note(f"{question.thing}: not found where it is likely; the model is asked again")
            for group, places, weights in zip(in_vain, named, self._weigh(questions), strict=True):
                everywhere = np.where(belief.known[belief.groups.row(group)], 0.0, 1.0)
                everywhere[places] = weights
                self._revise(belief, group, everywhere)
        return bool(in_vain)

    def _may_name(self, belief: Belief, group: int) -> Bits:
        """The open members that an answer may name when the model is asked again, bool (members,): those where the goal
        wants the thing only if no others are left."""
        members = belief.groups.row(group)
        unseen = ~belief.known[members]
        elsewhere = unseen & ~self._there[members]
        return elsewhere if elsewhere.any() else unseen

    def _ends(self, belief: Belief) -> Bits:
        """Facts beyond which nothing is asked, bool (facts,): the places of a thing that was not asked about yet, and
        those that the model did not name for it, unless all that it named are ruled out permanently."""
        ends = np.zeros(len(belief.known), np.bool_)
        for group in np.flatnonzero(belief.distributions().any(axis=1)).tolist():
            members = belief.groups.row(group)
            likely = self._likely.get(group)
            if likely is None:
                ends[members] = True
            elif likely.any() and (self._again or not belief.known[members[likely]].all()):
                ends[members[~likely]] = True
        return ends

    def _revise(self, belief: Belief, group: int, weights: Floats) -> None:
        there = self._there[belief.groups.row(group)]
        belief.revise(group, _not_yet(weights, there, self._most))
        named = weights > weights[weights > 0].min()  # the least weight is of places that were not named
        self._likely[group] = named & ~there

    def _in_vain(self, belief: Belief, group: int) -> bool:
        members = belief.groups.row(group)
        likely, known = self._likely[group], belief.known[members]
        return not isinstance(_placement(self._say, members)[0], Trait) and bool(
            belief.weight_left()[group] < LEAST_LEFT or (likely.any() and known[likely].all())
        )


def open_questions(relevance: Relevance, belief: Belief, ends: Bits | None = None) -> list[int]:
    """The groups that can change the plan and have several open members; not those relevant only beyond one of
    ``ends``, bool (facts,)."""
    several = (belief.distributions() > 0).sum(axis=1) > 1
    return np.flatnonzero(relevance.of(belief.truth, belief.known, ends).groups & several).tolist()


def _placement(verbaliser: Verbaliser, members: Int32) -> tuple[Placement, list[str]]:
    """A group's question, and the English phrase of each of its members about the thing."""
    subject = verbaliser.subject(members)
    phrases = [verbaliser.place(int(fact), subject) for fact in members]
    places, there = _offered(members, phrases, verbaliser, subject), Counter(phrases)
    kind = Placement if any(verbaliser.is_relation(int(fact), subject) for fact in members) else Trait
    return kind(_thing(verbaliser, subject), places, counts=tuple(there[place] for place in places)), phrases


def _choice(verbaliser: Verbaliser, members: Int32) -> tuple[Question, list[str]]:
    """The question about facts of which exactly one is true, and each in English: where a thing is, if all are about
    one thing."""
    if verbaliser.subject(members):
        return _placement(verbaliser, members)
    phrases = [verbaliser.fact(int(fact)) for fact in members]
    return Alternatives(tuple(dict.fromkeys(phrases))), phrases


def _offered(
    members: Int32, phrases: Sequence[str], verbaliser: Verbaliser, subject: tuple[int, ...]
) -> tuple[str, ...]:
    """The places that a model may name, each once: those that suit the thing, or all if none does."""
    suiting = [p for fact, p in zip(members.tolist(), phrases, strict=True) if verbaliser.suits(fact, subject)]
    return tuple(dict.fromkeys(suiting or phrases))


def seen_where(belief: Belief, verbaliser: Verbaliser) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """Place, such as "inside fridge" → the names of the things seen there, each once; and the places where there may be
    more."""
    things: dict[str, dict[str, None]] = {}
    unsure = set()
    for group in range(len(belief.groups)):
        members = belief.groups.row(group)
        subject = verbaliser.subject(members)
        for fact in members[~belief.known[members] | belief.truth[members]].tolist():
            place = verbaliser.place(fact, subject)
            if belief.known[fact]:
                things.setdefault(place, {})[_thing(verbaliser, subject)] = None
            else:
                unsure.add(place)
    return {place: tuple(names) for place, names in things.items()}, unsure


def _placement_again(
    belief: Belief,
    verbaliser: Verbaliser,
    group: int,
    named: Bits,
    things: Mapping[str, tuple[str, ...]],
    unsure: Collection[str],
) -> tuple[PlacementAgain, list[str]]:
    """A group's question after looking without success, and the phrase about the thing of each member that an answer
    may name: ``named``, bool (members,). ``things`` and ``unsure`` as ``seen_where`` returns them."""
    members = belief.groups.row(group)
    subject = verbaliser.subject(members)
    phrases = [verbaliser.place(int(fact), subject) for fact in members[named]]
    looked = dict.fromkeys(verbaliser.place(int(fact), subject) for fact in members[belief.known[members]])
    thing = _thing(verbaliser, subject)
    seen = tuple((place, tuple(sorted(things.get(place, ()), key=lambda other: other != thing))) for place in looked)
    places = _offered(members[named], phrases, verbaliser, subject)
    return PlacementAgain(thing, places, seen, tuple(place for place in looked if place in unsure)), phrases


def _thing(verbaliser: Verbaliser, subject: tuple[int, ...]) -> str:
    return " ".join(verbaliser.name(o) for o in subject) or "it"


def _weighed(
    wanted: Sequence[tuple[Question, Sequence[str]]], model: LanguageModel, samples: int, note: Callable[[str], None]
) -> list[Floats]:
    """For each question and the phrases of the members that it is about, their weights; see :func:`model_prior`."""
    questions = list(dict.fromkeys(question for question, _ in wanted))
    weighed = model.weigh(questions, samples)
    shares = {q: dict(zip(w.options, w.shares.tolist(), strict=True)) for q, w in zip(questions, weighed, strict=True)}
    for question in questions:
        if not any(shares[question].values()):
            what = "places" if isinstance(question, Placement) else "of them"
            note(f"no usable answer to {question.about}: all {what} are taken as equally likely")
    priors = []
    for question, phrases in wanted:
        instances = Counter(phrases)
        weights = np.array([max(FLOOR, shares[question].get(phrase, 0.0) / instances[phrase]) for phrase in phrases])
        priors.append(weights / weights.sum())
    return priors
