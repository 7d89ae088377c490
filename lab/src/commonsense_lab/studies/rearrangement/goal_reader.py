"""From an instruction in English to a goal in PDDL (LLM-MCTS paper, section 2.2 "Goal", Listing 3), with ``--prompts
paper``.

A model translates the instruction into a formal goal, ``(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table, 1)``,
whose names are matched to the relations and objects of the problem. ``instructions.translate`` asks the model; the
embedded model answers by the few forms of ``embedded.plain_sentences``."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from commonsense_lab.studies.homes.household import joined
from commonsense_planning.embedded.answers import answer
from commonsense_planning.embedded.plain_sentences import plain_sentence
from commonsense_planning.errors import FormalGoalError, InputError, Place
from commonsense_planning.grounding.instantiate import MOST_DISJUNCTS
from commonsense_planning.grounding.lifted import Lifted, lift
from commonsense_planning.instructions.goal_english import GoalEnglish
from commonsense_planning.instructions.goal_formula import (
    MOST_BINDINGS,
    BinaryPredicate,
    kind_fact,
    relations_of,
    spelled,
)
from commonsense_planning.instructions.goal_notation import kinds_of
from commonsense_planning.instructions.translated_goal import TranslatedGoal, cut
from commonsense_planning.matching.answers import text_of
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.naming import Match, ObjectNames, relation_named
from commonsense_planning.wording.questions import Translation
from commonsense_planning.wording.verbalise import Wording

if TYPE_CHECKING:
    from lark import Lark

FORM = "(RELATION, thing, place, count)"
SOURCE = Path("formal goal")  # what located errors call the text
_WORDS = {"OPEN": "'('", "CLOSE": "')'", "COMMA": "','", "DASH": "'-'", "NAME": "a name"}
_WORDS |= {"COUNT": "a count from 1", "$END": "the end"}
_LEAD = re.compile(r"formal\s+goal\s*:", re.IGNORECASE)
_NEXT_QUESTION = re.compile(r"^\s*(?:goal|question)\s*:", re.IGNORECASE | re.MULTILINE)
_TUPLE = re.compile(r"\([^()]*,[^()]*\)")


@dataclass(frozen=True)
class GoalTerm:
    """``count`` things called ``thing`` must have the ``relation``, in upper case, to a ``place``."""

    relation: str
    thing: str
    place: str
    count: int = 1

    def __str__(self) -> str:
        return f"({self.relation}, {self.thing}, {self.place}, {self.count})"


def render_formal_goal(terms: Iterable[GoalTerm]) -> str:
    """Returns the terms as text, the inverse of parsing."""
    return "-".join(map(str, terms))


def parse_formal_goal(text: str) -> tuple[GoalTerm, ...]:
    """Reads a formal goal: relations in any case, a count that is left out as 1, "Formal goal:" before it or not.
    Raises FormalGoalError, with its place in the text, for anything else."""
    from lark import Token, UnexpectedCharacters, UnexpectedToken

    try:
        tree = _parser().parse(text)
    except UnexpectedToken as error:
        at = len(text.rstrip()) if error.token.type == "$END" else error.token.start_pos or 0
        found = "the end" if error.token.type == "$END" else f"'{cut(str(error.token), 30)}'"
        raise _error(text, at, f"unexpected {found}", error.accepts or error.expected) from error
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise _error(text, at, f"unexpected '{cut(text[at:], 30)}'", error.allowed or ()) from error
    terms = []
    for term in tree.find_data("term"):
        named = [" ".join(t.split()) for t in term.children if isinstance(t, Token) and t.type == "NAME"]
        counts = [int(t) for t in term.children if isinstance(t, Token) and t.type == "COUNT"]
        terms.append((term.meta.start_pos, GoalTerm(named[0].upper(), named[1], named[2], *counts)))
    return tuple(term for _, term in sorted(terms, key=lambda t: t[0]))


def terms_of_answer(answer: str) -> tuple[GoalTerm, ...]:
    """The formal goal in a model's answer, around which there may be other words, or which may be a list. Raises
    FormalGoalError if there is none, or if some of it cannot be read: no part of a goal is passed over."""
    text = text_of(answer)
    lead = _LEAD.search(text)
    rest = text[lead.end() :] if lead else text
    following = _NEXT_QUESTION.search(rest)  # models that continue a text go on with the next question
    if lead and following:
        rest = rest[: following.start()]
    tuples = _TUPLE.findall(rest)
    if not tuples or "(" in _TUPLE.sub("", rest):
        return parse_formal_goal(rest)
    return parse_formal_goal("-".join(tuples))


def _error(text: str, at: int, problem: str, expected: Iterable[str]) -> FormalGoalError:
    before = text[:at].split("\n")
    source = text.split("\n")[len(before) - 1]
    place = Place(SOURCE, len(before), len(before[-1]) + 1, re.sub(r"[\x00-\x1f\x7f-\x9f]", "\ufffd", source))
    words = [word for kind, word in _WORDS.items() if kind in set(expected)]
    return FormalGoalError(place, problem, f"{' or '.join(words)} in {FORM}")


@cache
def _parser() -> Lark:
    """Made once, and only when a goal is read, since Lark takes a while to import."""
    from lark import Lark

    return Lark.open("formal_goal.lark", rel_to=__file__, parser="lalr", propagate_positions=True)


@dataclass(frozen=True)
class CountedGoal:
    """At least ``count`` different things must have the ``relation`` to one and the same place; ``pairs``: place → the
    things that can."""

    relation: BinaryPredicate
    pairs: Mapping[int, tuple[int, ...]]
    count: int

    @property
    def most(self) -> int:
        """The largest possible count."""
        return max(map(len, self.pairs.values()))

    @property
    def choices(self) -> int:
        """The number of ways to meet it."""
        return sum(math.comb(len(things), self.count) for things in self.pairs.values())


def formula(wish: CountedGoal, lifted: Lifted) -> str:
    """The wish as PDDL, in the user's spelling.

    ``exists``, with the fact that tells just these things from others, such as ``(instance-of ?x1 apple)``; where there
    is none, or a count leaves no choice or very much of it, a disjunction of ground atoms."""
    pairs = {place: things for place, things in wish.pairs.items() if len(things) >= wish.count}
    same = set(pairs.values())
    first = next(iter(same))
    few = len(first) > wish.count and math.perm(len(first), wish.count) <= MOST_BINDINGS
    variable = lifted.problem.normaliser.vocabulary.predicates[wish.relation.predicate.lower()].parameters[0]
    kind = kind_fact(variable, first, lifted) if few and len(same) == 1 else None

    def hold(names: Sequence[str], place: int) -> list[str]:
        return [f"({wish.relation.predicate} {name} {spelled(place, lifted)})" for name in names]

    if kind is None:
        ways = [
            joined("and", hold([spelled(thing, lifted) for thing in chosen], place))
            for place, things in pairs.items()
            for chosen in itertools.combinations(things, wish.count)
        ]
        return joined("or", ways)
    variables = [f"?x{i}" for i in range(1, wish.count + 1)]
    parts = [kind.format(v) for v in variables]
    parts += [f"(not (= {v} {w}))" for v, w in itertools.combinations(variables, 2)]
    at = [hold(variables, place) for place in pairs]
    parts += at[0] if len(at) == 1 else [joined("or", [joined("and", atoms) for atoms in at])]
    declared = [] if variable.types[0].key == "object" else ["-", variable.types[0].text]
    return f"(exists ({' '.join([*variables, *declared])}) {joined('and', parts)})"


EXAMPLE = "(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table, 1)"


@dataclass(frozen=True)
class CountedTerms(TranslatedGoal):
    """``terms``: the formal goal as the model wrote it."""

    terms: tuple[GoalTerm, ...] = ()


class GoalReader:
    """Reads formal goals (the paper's tuples) in terms of one problem, or of any other with the same objects and static
    facts. Raises InputError if it has nothing that an instruction can ask for."""

    tries = 2

    def __init__(self, problem: Problem, lexicon: Lexicon) -> None:
        self.lifted = lifted = lift(problem)
        self.wording = Wording(problem, lexicon)
        self.relations = {relation.predicate.upper(): relation for relation in relations_of(lifted)}
        if not self.relations:
            raise InputError(
                f"an instruction says where things shall be, but no action of the domain {lifted.problem.domain_name} "
                "brings two objects into a relation; write the goal in PDDL"
            )
        self.numbers = {spelled(o, lifted): o for o in range(len(lifted.objects))}
        self.kinds = kinds_of(lifted)
        self.english = GoalEnglish(lifted, lexicon)
        self.things = self.names({thing for r in self.relations.values() for thing in r.things})
        self.places = self.names({place for r in self.relations.values() for place in r.pairs})

    def names(self, objects: set[int]) -> ObjectNames:
        """Returns the names of some objects, in the order of the problem."""
        declared = (o.symbol.text for o in self.lifted.problem.normaliser.vocabulary.objects.values())
        named = [name for name in declared if self.numbers[name] in objects]
        kinds = {kind: [n for n in named if self.numbers[n] in members] for kind, members in self.kinds.items()}
        return ObjectNames(named, self.wording, kinds)

    def question(self, instruction: str) -> Translation:
        """Makes the model's question."""
        fitting = tuple(self.names(set(relation.pairs)).listed for relation in self.relations.values())
        return Translation(instruction, tuple(self.relations), self.things.listed, self.places.listed, fitting)

    def again(self, question: Translation, answer: str, error: InputError) -> Translation:
        """Asks the same again."""
        return question

    def read(self, answer: str, model: str, matcher: Matcher) -> CountedTerms:
        """Reads the goal in the answer of ``model``. Raises InputError, with what was understood, if there is none."""
        if not text_of(answer):
            raise InputError(f"the model {model} gives no answer; say it in other words, or ask another model")
        try:
            terms = terms_of_answer(answer)
        except FormalGoalError as error:
            where, said = f"\n{error}" if "(" in answer else "", cut(answer.strip(), 400)
            raise InputError(
                f"the model {model} answers '{said}'; expected a formal goal such as {EXAMPLE}{where}"
            ) from error
        return self.goal(terms, matcher)

    def goal(self, terms: Sequence[GoalTerm], matcher: Matcher) -> CountedTerms:
        """Returns the goal in PDDL. Raises InputError for a term without meaning in this problem."""
        counts: dict[tuple[str, tuple[str, ...], tuple[str, ...]], int] = {}
        said: dict[tuple[str, tuple[str, ...], tuple[str, ...]], GoalTerm] = {}
        matched: dict[Match, None] = {}
        for term in terms:
            relation, thing, place = self.relation(term), self.thing(term, matcher), self.place(term, matcher)
            matched |= dict.fromkeys((thing, place))
            key = (relation, thing.objects, place.objects)
            alike = key in counts and len(thing.objects) > 1  # "an apple, and another apple"
            counts[key] = term.count + counts[key] if alike else max(term.count, counts.get(key, 0))
            said.setdefault(key, term)
        wishes = [self.wish(said[key], *key, count) for key, count in counts.items()]
        ways = math.prod(wish.choices for wish in wishes)
        if ways > MOST_DISJUNCTS:
            raise InputError(
                f"there are {ways} ways to choose the things that it counts, and at most {MOST_DISJUNCTS} can be "
                "planned for; ask for fewer at once, or name single objects"
            )
        pddl = joined("and", [formula(wish, self.lifted) for wish in wishes])
        return CountedTerms(pddl, tuple(matched), tuple(map(self.in_english, wishes)), terms=tuple(terms))

    def in_english(self, wish: CountedGoal) -> str:
        """Says the wish in the user's names."""
        things = frozenset(spelled(thing, self.lifted) for things in wish.pairs.values() for thing in things)
        places = frozenset(spelled(place, self.lifted) for place in wish.pairs)
        return self.english.counted(wish.relation.predicate, wish.count, things, places)

    def relation(self, term: GoalTerm) -> str:
        """Returns the relation that the term names."""
        found = relation_named(term.relation, tuple(self.relations))
        if found is None:
            raise InputError(f"{term}: there is no relation {term.relation}; there are {', '.join(self.relations)}")
        return found

    def thing(self, term: GoalTerm, matcher: Matcher) -> Match:
        """Returns the term's thing."""
        found = self.things.match(term.thing, matcher)
        if found is None:
            nearest = ", ".join(self.things.nearest(term.thing, matcher))
            raise InputError(
                f"{term}: nothing that can be moved is called '{term.thing}'; the nearest names: {nearest}"
            )
        return found

    def place(self, term: GoalTerm, matcher: Matcher) -> Match:
        """Returns the term's place: "on the fridge" is on the "top of the fridge" where that is a separate place."""
        fitting = self.names(set(self.relations[self.relation(term)].pairs))
        found = fitting.exactly(term.place) or fitting.exactly(f"top of the {term.place}")
        found = found or self.places.match(term.place, matcher)
        if found is None:
            nearest = ", ".join(fitting.nearest(term.place, matcher))
            raise InputError(f"{term}: no place is called '{term.place}'; the nearest names: {nearest}")
        return Match(term.place, found.name, found.objects)

    def wish(
        self, term: GoalTerm, relation: str, things: tuple[str, ...], places: tuple[str, ...], count: int
    ) -> CountedGoal:
        """Returns the wish of the term about objects of that relation, named as the user does."""
        wanted = {self.numbers[thing] for thing in things}
        held = self.relations[relation].pairs
        pairs = {
            place: tuple(t for t in held[place] if t in wanted)
            for place in sorted(self.numbers[p] for p in places)
            if place in held and wanted.intersection(held[place])
        }
        if not pairs:
            raise InputError(f"{term}: {self.misfit(term, wanted, {self.numbers[p] for p in places})}")
        wish = CountedGoal(self.relations[relation], pairs, count)
        if count > wish.most:
            there = "1 object is" if wish.most == 1 else f"{wish.most} objects are"
            raise InputError(f"{term}: it asks for {count}, but only {there} called '{term.thing}'; ask for no more")
        return wish

    def misfit(self, term: GoalTerm, things: set[int], places: set[int]) -> str:
        """Says why none of these can have the term's relation, and which they can have."""
        fits = [
            name
            for name, relation in self.relations.items()
            if any(things.intersection(relation.pairs.get(place, ())) for place in places)
        ]
        if fits:
            return f"{term.place} has no {term.relation}; with {term.thing} it has {' and '.join(fits)}"
        held = self.names({p for p, of in self.relations[self.relation(term)].pairs.items() if things.intersection(of)})
        able = f"it can be {term.relation} with {', '.join(held.listed[:8])}" if held.listed else "no place can have it"
        return f"nothing can bring {term.thing} to be {term.relation} with {term.place}; {able}"


@answer.register
def _(question: Translation, n: int, rng: np.random.Generator) -> list[str]:
    """Gives the formal goal of a plain sentence, or a text that says why there is none and what is understood."""
    return [plain_sentence(question, lambda terms: render_formal_goal(GoalTerm(*term) for term in terms))] * n
