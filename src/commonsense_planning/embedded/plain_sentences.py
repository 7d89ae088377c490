"""Plain sentences to goals without a language model: "put two apples in the fridge and the plate on the table".

The grammar is ``plain_sentences.lark``. A sentence that is not of its form is refused as a whole: a goal that leaves
out what was asked for would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count as numbers
from pathlib import Path
from typing import NamedTuple

from lark import Lark, Transformer, UnexpectedInput, UnexpectedToken, v_args

from commonsense_planning.wording.lexicon import split_name
from commonsense_planning.wording.naming import KINDRED, known_name, relation_named
from commonsense_planning.wording.questions import Translation, WriteGoal

MORE = "A language model, --model NAME, understands more."
_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {"some": 1, "any": 1, "another": 1} | {word: number for number, word in enumerate(_DIGITS, start=1)}
MOST = 999_999  # of one thing that may be asked for
_ORDER = re.compile(r"\b(?:first|then|finally)\b")


class Term(NamedTuple):
    """``number`` things called ``thing`` must be in ``relation`` to a ``place``."""

    relation: str
    thing: str
    place: str
    number: int


def plain_sentence(question: Translation, render: Callable[[Sequence[Term]], str]) -> str:
    """The goal of a plain sentence as ``render`` writes it, or a text that says why there is none and which
    sentences are understood."""
    sentence = " ".join(question.instruction.split()).strip(" \"'.!?")
    if sentence.startswith("("):  # a goal already
        return sentence
    try:
        return render(_terms(sentence, question))
    except NotUnderstood as refusal:
        return f"I do not understand {refusal}. {understood(examples(question))}. {MORE}"


def short_goal(question: WriteGoal) -> str:
    """The same in PDDL, with the counts and kinds that ``instructions.goal_notation`` reads."""
    return plain_sentence(question, partial(_in_pddl, question))


def _in_pddl(question: WriteGoal, terms: Sequence[Term]) -> str:
    """The terms as a formula; so many things of a kind, and more of them at the same place, are added up. Raises
    NotUnderstood for an order, which it would leave out."""
    if order := _ORDER.search(question.instruction.lower()):
        raise NotUnderstood(f"'{order[0]}' as an order of what is to be done")
    several = {name for name, objects in _objects(question).items() if len(objects) > 1}
    counts: dict[tuple[str, str, str], int] = {}
    for relation, thing, place, count in terms:
        key = relation, "-".join(thing.split()), "-".join(place.split())
        before = counts.get(key, 0)
        counts[key] = before + count if key[1] in several else max(before, count)
    number, parts = numbers(1), []
    for (relation, thing, place), count in counts.items():
        there, one = (f"?x{next(number)}" if name in several else name for name in (place, thing))
        if one == thing and count > 1:  # the reader says how many there are
            one = "?x"
        said = f"({relation} {one} {there})"
        if one != thing:
            said = f"(at-least {count} ({one} - {thing}) {said})" if count > 1 else f"(exists ({one} - {thing}) {said})"
        parts.append(said if there == place else f"(exists ({there} - {place}) {said})")
    return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"


def examples(question: Translation, prepositions: Mapping[str, str] | None = None) -> list[str]:
    """Sentences that are understood, of the question's own domain, one for each relation; ``prepositions``: how its
    words for the relations are."""
    found: list[str] = []
    held = dict(zip(question.relations, question.held, strict=False)) if isinstance(question, WriteGoal) else {}
    for relation, places in zip(question.relations, question.fitting, strict=False):
        things = [name for name in question.things if name in held[relation]] if relation in held else question.things
        things = [thing for thing in things if thing not in places] or things or question.things
        known = (word for word in ("in", "on", "at") if relation_named(word, [relation]))
        word = next(known, (prepositions or {}).get(relation, relation.lower()))
        if things and places:
            thing, place = called(things[len(found) % len(things)]), called(places[0])
            if not _is_preposition(word):  # "put r2 carrying the drill" is no English
                others = zip(question.relations, question.fitting, strict=False)
                word = next(("at" for r, of in others if relation_named("at", [r]) and places[0] in of), word)
            put = f"put {thing} {word} {place}"
            found.append(put if _is_preposition(word) else f"{thing} should be {split_name(word)} {place}")
    return found


def _is_preposition(word: str) -> bool:
    return any(word in group for group in KINDRED)


def called(name: str) -> str:
    """A name with its article; one with a number in it has none."""
    return name if re.search(r"\d", name) else f"the {name.replace('_', ' ').replace('-', ' ')}"


def understood(sentences: Iterable[str]) -> str:
    """The hint about the grammar when a sentence is rejected."""
    listed = ", ".join(f'"{sentence}"' for sentence in sentences)
    return f"It understands sentences such as {listed}"


class NotUnderstood(Exception):
    """The part of a sentence that is not understood."""


class _Placement(NamedTuple):
    """Things, each with their number, that must be at one place."""

    things: tuple[tuple[int, str], ...]
    preposition: str
    place: str


@v_args(inline=True)
class _Placements(Transformer[str, list[_Placement]]):
    """Parse trees to placements. Raises NotUnderstood for a number out of bounds."""

    def __init__(self, relations: Sequence[str]) -> None:
        super().__init__()
        self._relations = relations

    def start(self, *placements: _Placement) -> list[_Placement]:
        return list(placements)

    def placement(self, *parts: str | tuple[int, str]) -> _Placement:
        *things, where, place = parts
        preposition = next(relation for relation in self._relations if str(where).endswith(relation))
        counted = tuple((1, thing) if isinstance(thing, str) else thing for thing in things)
        return _Placement(counted, preposition, str(place))

    def counted(self, number: str, noun: str) -> tuple[int, str]:
        count = NUMBERS[number] if number in NUMBERS else int(number[: len(str(MOST)) + 1])
        if not 1 <= count <= MOST:
            raise NotUnderstood(f"'{number} {noun}'")
        return count, noun

    def bare(self, article: str, noun: str) -> str:
        return noun

    def noun(self, *words: str) -> str:
        return " ".join(words)


def _terms(sentence: str, question: Translation) -> list[Term]:
    return [
        Term(_relation(preposition, name, named, question), name, named, count)
        for things, preposition, place in _placements(sentence.lower(), question.relations)
        for named in [known_name(place, question.places)]
        for count, thing in things
        for name in [known_name(thing, question.things)]
    ]


def _placements(sentence: str, relations: tuple[str, ...]) -> list[_Placement]:
    """The parts of a sentence. Raises NotUnderstood if it has another form."""
    parser = _parser(relations)
    try:
        return parser.parse(sentence)  # type: ignore[return-value]  # the transformer's
    except UnexpectedInput as error:
        separators, places = (parser.get_terminal(name).pattern.to_regexp() for name in ("_AND", "WHERE"))
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        if ended or not re.search(rf"\s{places}", sentence):
            raise NotUnderstood(f"where things shall be in '{sentence}'") from error
        between = re.finditer(rf"\s?{separators}|\s{places}", sentence)
        ends = [0, *(end for found in between for end in found.span()), len(sentence)]
        at = error.pos_in_stream or 0
        part = sentence[max(end for end in ends if end <= at) : min(end for end in ends if end > at)]
        raise NotUnderstood(f"'{part.strip()}'") from error


@lru_cache(maxsize=8)
def _parser(relations: tuple[str, ...]) -> Lark:
    """The parser for a domain's relations: with their names and the common prepositions, the longest first, so that
    "on top of" is not read as "on"."""
    words = {word for group in KINDRED for word in group} | {split_name(relation) for relation in relations}
    longest = sorted(words, key=lambda word: (-len(word), word))
    pattern = "|".join(map(re.escape, longest)).replace("/", "\\/")
    grammar = Path(__file__).with_suffix(".lark").read_text(encoding="utf-8")
    return Lark(f"{grammar}RELATION: /({pattern})/\n", parser="lalr", transformer=_Placements(longest))


def _relation(preposition: str, thing: str, place: str, question: Translation) -> str:
    """The relation that a preposition means between these two. "At" and "to" mean the only one that both can have, if
    the question says which relations the thing can have."""
    if not isinstance(question, WriteGoal) or not question.held:
        return relation_before(preposition, place, question)
    objects = set(_objects(question).get("-".join(thing.split()), ()))
    known = zip(question.relations, question.fitting, question.held, strict=True)
    able = {relation: places for relation, places, held in known if not objects or objects.intersection(held)}
    here = [relation for relation, places in able.items() if place in places]
    found = here[0] if preposition in ("at", "to") and len(here) == 1 else relation_before(preposition, place, question)
    if found not in able:
        raise NotUnderstood(f"'{preposition} {place}' of '{thing}'")
    return found


def _objects(question: WriteGoal) -> dict[str, tuple[str, ...]]:
    """Kind, or an object's own name → the objects that are called so."""
    listed = [pair for _, kinds in question.kinds for pair in kinds]
    return {**dict(listed), **{name: (name,) for _, objects in listed for name in objects}}


def relation_before(preposition: str, place: str, question: Translation) -> str:
    """The relation that a preposition means; if there is none for it, the only one that the place can have."""
    found = relation_named(preposition, question.relations)
    if found is not None:
        return found
    able = [r for r, places in zip(question.relations, question.fitting, strict=False) if place in places]
    if len(able) == 1 and preposition in ("at", "to"):
        return able[0]
    raise NotUnderstood(f"'{preposition}' before '{place}', where there is {', '.join(able or question.relations)}")
