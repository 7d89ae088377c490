"""Plain sentences to goals without a language model: "put two apples in the fridge and the plate on the table".

A sentence is read as things, a preposition and a place, again and again, with commas, "and" or "then" between. What is
not of that form is refused as a whole: a goal that leaves out what was asked for would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count as numbers
from typing import NamedTuple

from commonsense_planning.wording.lexicon import split_name
from commonsense_planning.wording.naming import ARTICLES, KINDRED, known_name, relation_named
from commonsense_planning.wording.questions import Translation, WriteGoal

_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MORE = "A language model, --model NAME, understands more."
NUMBERS = {"some": 1, "any": 1, "another": 1} | {word: number for number, word in enumerate(_DIGITS, start=1)}
MOST = 999_999  # of one thing that may be asked for
# Words with which a sentence says more than such a goal can: any of them, and it is refused.
_REFUSED = re.compile(
    r"(?<!\S)(?:"
    r"not|no|never|don't|dont|nothing|but|without|except|rather|instead|"
    r"all|every|each|both|everything|everyone|it|them|they|these|those|this|that|either|or|"
    r"if|unless|before|after|until|while|when|is|are|was|were|do|does|did|can|where|what|which|who|how|why|"
    r"from|off|out|next|near|beside|besides|under|below|behind|above|over|between|among|around|close|front|away|"
    r"left|right|bottom|middle|center|centre|corner|switch|turn|"
    r"more|less|most|least|fewer|than|only|half|few|several|many|lots|couple|pair|dozen|rest|remaining|other|"
    r"thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|hundred"
    r")(?![^\s-])"
)
POLITE = re.compile(
    r"^(?:please|robot(?=,)|hey|okay|ok|now|first|then|and|also|finally|kindly|could you|can you|would you|will you"
    r"|you (?:should|must)|(?:i|we) (?:want|need|would like|wish) you to|(?:i|we)'d like you to"
    r"|your task is to|the goal is to)\b[\s,:]*"
)
LATER = re.compile(r"[\s,]*\b(?:please|now|thank you|thanks)$")
_START = re.compile(
    r"^(?:there (?:should|must|shall|ought to) be|there (?:is|are)"
    r"|(?:make sure|ensure|see to it)(?: that)?(?: there (?:is|are))?"
    r"|(?:i|we) (?:want|need|wish|would like)(?: to (?:have|see))?|(?:i|we)'d like(?: to (?:have|see))?"
    r"|put|place|move|bring|take|carry|clear|set|store|stow|lay|get|deliver|stack|load|transport|drop|keep|leave|return"
    r"|have|want|need|see|find|send|drive|fly)\s+"
)
_COPULA = re.compile(
    r"\s+(?:(?:should|must|shall|has to|have to|needs? to|to) be(?: put| placed)?|is|are|be|goes|go"
    r"|(?:has|have) (?:got|come|gone|been (?:put|brought|taken)))$"
)
_ORDER = re.compile(r"\b(?:first|then|finally)\b")
_BACK = re.compile(r"\s+(?:back|down|up)$")
AND = re.compile(
    r"\s*(?:[,;]|\.(?=\s))\s*(?:(?:and|then|also|finally)\b[\s,]*)*"
    r"|\s+(?:and|&|then|as well as)(?:\s+(?:then|also))*\s+"
)


class Term(NamedTuple):
    """``number`` things that are called ``thing`` must be in ``relation`` to a ``place``."""

    relation: str
    thing: str
    place: str
    number: int


def plain_sentence(question: Translation, render: Callable[[Sequence[Term]], str]) -> str:
    """The goal of a plain sentence as ``render`` writes it, or a text that says why there is none and what is
    understood."""
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
    """What of a sentence is not understood."""


def _terms(sentence: str, question: Translation) -> list[Term]:
    sentence = without(LATER, without(POLITE, sentence.lower()))
    return [
        term
        for things, preposition, place in things_and_places(sentence, question.relations)
        for term in _together(things, preposition, place, question)
    ]


def things_and_places(sentence: str, relations: Iterable[str]) -> list[tuple[str, str, str]]:
    """The parts of a sentence: things, preposition, place. Raises NotUnderstood if it has no such parts."""
    prepositions = _prepositions(relations)
    parts = re.split(rf"\s+({'|'.join(map(re.escape, prepositions))})\s+(?!(?:be|most|least)\b)", f"{sentence} ")
    if len(parts) < 3:
        raise NotUnderstood(f"where things shall be in '{sentence.strip()}'")
    found: list[tuple[str, str, str]] = []
    things = parts[0]
    for i in range(1, len(parts), 2):
        preposition, rest = parts[i], parts[i + 1]
        place, *following = AND.split(rest.strip(), maxsplit=0 if i + 2 == len(parts) else 1)
        if bool(following) == (i + 2 == len(parts)):
            raise NotUnderstood(f"'{rest.strip()}'")
        found.append((things, preposition, place))
        things = " ".join(following)
    return found


def _together(things: str, preposition: str, place: str, question: Translation) -> Iterable[Term]:
    """The terms of things that shall all be at one place."""
    place = known_name(noun_in(place), question.places)
    for phrase in AND.split(nouns_of(things)):
        count, noun = counted_noun(phrase)
        thing = known_name(noun, question.things)
        yield Term(_relation(preposition, thing, place, question), thing, place, count)


def _relation(preposition: str, thing: str, place: str, question: Translation) -> str:
    """The relation that a preposition means between these two: the only one that both can have, where it is
    known of the thing which it can have, and the word is one for being there."""
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


def nouns_of(things: str) -> str:
    """The things without the verb before them and the words after them, such as "should be"."""
    things = without(POLITE, things.strip())
    return without(_BACK, _COPULA.sub("", _START.sub("", f"{things} ").strip()))


def counted_noun(phrase: str) -> tuple[int, str]:
    """The number before a noun, and the noun."""
    words = phrase.split()
    while len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    count = 1
    if len(words) > 1 and (words[0] in NUMBERS or words[0].isdecimal()):
        count = NUMBERS[words[0]] if words[0] in NUMBERS else int(words[0][: len(str(MOST)) + 1])
        words = words[2:] if words[1] == "of" else words[1:]
    if not 1 <= count <= MOST:
        raise NotUnderstood(f"'{phrase}'")
    return count, noun_in(" ".join(words))


def noun_in(phrase: str) -> str:
    """A name without its article; nothing else may be in it."""
    words = phrase.split()
    while len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    strange = _REFUSED.search(phrase) or (len(words) > 1 and words[0] in NUMBERS)
    inner = any(word in ARTICLES and words[i] != "of" for i, word in enumerate(words[1:-1]))  # "throw the apple"
    if not words or strange or inner:
        raise NotUnderstood(f"'{phrase}'")
    return " ".join(words)


def relation_before(preposition: str, place: str, question: Translation) -> str:
    """The relation that a preposition means; if there is none for it, the only one that the place can have."""
    found = relation_named(preposition, question.relations)
    if found is not None:
        return found
    able = [r for r, places in zip(question.relations, question.fitting, strict=False) if place in places]
    if len(able) == 1 and preposition in ("at", "to"):
        return able[0]
    raise NotUnderstood(f"'{preposition}' before '{place}', where there is {', '.join(able or question.relations)}")


def _prepositions(relations: Iterable[str]) -> list[str]:
    """All words for relations, the longest first, so that "on top of" is not read as "on"."""
    words = {word for group in KINDRED for word in group}
    words |= {re.sub(r"[_-]+", " ", relation.lower()) for relation in relations}
    return sorted(words, key=lambda word: (-len(word), word))


def without(pattern: re.Pattern[str], text: str) -> str:
    """The text without what the pattern finds, as often as it finds something."""
    while True:
        shorter = pattern.sub("", text, count=1)
        if shorter == text:
            return text
        text = shorter
