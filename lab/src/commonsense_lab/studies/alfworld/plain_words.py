"""The words of plain sentences: what separates their parts, stands before and after them, and is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable

from commonsense_planning.embedded.plain_sentences import MOST, NUMBERS, NotUnderstood
from commonsense_planning.wording.naming import ARTICLES, KINDRED

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
_BACK = re.compile(r"\s+(?:back|down|up)$")
AND = re.compile(
    r"\s*(?:[,;]|\.(?=\s))\s*(?:(?:and|then|also|finally)\b[\s,]*)*"
    r"|\s+(?:and|&|then|as well as)(?:\s+(?:then|also))*\s+"
)


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
