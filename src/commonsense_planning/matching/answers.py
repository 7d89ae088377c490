"""The parts of a model's free text: phrases, the lines of a guide, an index-action pair.

Only a bounded part of any text is read. For the pair, and the check that its two parts match, see "Large Language
Models as Common-Sense Heuristics", section 3.2, "Error correction".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from commonsense_planning.matching.plain_text import plain
from commonsense_planning.matching.words import begins_small

LONGEST = 2000  # characters of an answer that are looked at
LONGEST_READ = 20_000  # the same of one that may reason before it comes to the point
MOST = 8  # phrases of a list that are looked at
MOST_LINES = 50  # lines of a guide that are read
MARKER = "ANSWER:"  # comes before an index-action pair, where a model may think first
# what a language model likes to begin a line with: a number, a bullet, a word of the prompt and a colon
_LEAD = re.compile(r"^\s*(?:[-*•>]+|\(?\d{1,3}[.):]|[\w ]{1,24}:(?!\S))\s*")
_LINES = re.compile(r"[\r\n]+")
_COMMAS = re.compile(r"[,;]|[.!]\s|\s[—–]\s")
_ALTERNATIVES = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)
_EDGES = " \t\"'`*[](){}.!?<>"
_STEP = re.compile(r"^\s*(?:[-*•>]+\s*|\(?(?:step\s*)?\d{1,3}\s*[.):]\s*)+", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```")
_ID = re.compile(r">\s*\(\d+\)")  # the number of a thing: [GRAB]<salmon>(311)
_INDEX = re.compile(r"(?<![\w<.-])\d{1,9}(?!\w)")
_TWICE = re.compile(r"^\s*\d{1,3}[.):]\s+(?=\d{1,9}[.):]\s)", re.M)  # the number of a list before an index
_LABEL = re.compile(r"^[\W_]*(?:action\b)?[\W_]*", re.IGNORECASE)
_LINKS = "therefore|so|thus|hence|conclusion|result"
# "Answer:", "The best choice is:", "Therefore:"; of what is done next also "Action:", "Next step:"
_CONCLUSION, _NEXT = (
    re.compile(rf"^[\W_]*(?:(?:[\w']+ ){{0,3}}(?:{nouns})(?: is)?|{_LINKS})[\W_]{{0,3}}:[\W_]*", re.I | re.M)
    for nouns in ("answer|choice|decision", "answer|choice|decision|actions?|steps?|move|task")
)
_THOUGHT = re.compile(r"^[\W_]*thoughts?\s*\d*[\W_]*:.*", re.I | re.M)
# a model that goes on as the world: "Observation:", "Human: Observation:"
_GOES_ON = re.compile(r"^[\W_]*(?:(?:new |current )?observation|human|user|environment)\s*\d*[\W_]*:", re.I | re.M)
_WORD = re.compile(r"[^\W_]+")

Key = tuple[str, ...]


def text_of(answer: str, longest: int = LONGEST) -> str:
    """The answer as plain text, at most ``longest`` characters."""
    return plain(answer[: max(LONGEST_READ, 2 * longest)])[:longest]


def own_turn(answer: str) -> str:
    """An answer up to where the model goes on as the world: with an observation, or another's turn. What comes before
    is more than a thought."""
    marks = (mark.start() for mark in _GOES_ON.finditer(answer))
    return answer[: next((at for at in marks if _THOUGHT.sub("", answer[:at]).strip()), None)]


def listed(answer: str) -> list[str]:
    """The phrases of an answer that is a list, at most MOST: of lines, numbers, bullets or commas."""
    phrases = []
    for line in _LINES.split(text_of(answer)):
        if line.rstrip().endswith(":"):  # announces what follows
            continue
        for part in _COMMAS.split(bare(line)):
            phrase = bare(part).strip(_EDGES)
            if phrase:
                phrases.append(phrase)
                if len(phrases) == MOST:
                    return phrases
    return phrases


def places(answer: str) -> tuple[str, ...]:
    """The places that an answer names: a list, with "or" and "and" between them too."""
    return _places(text_of(answer, LONGEST_READ))


@lru_cache(maxsize=5000)  # many of a prior's answers are equal
def _places(text: str) -> tuple[str, ...]:
    phrases = listed(_behind(_CONCLUSION, text))
    split = [part.strip(_EDGES) for phrase in phrases for part in _ALTERNATIVES.split(phrase)]
    return tuple(part for part in split if part)[:MOST]


def next_phrases(answer: str) -> tuple[str, ...]:
    """The phrases of an answer that may name the next action, each once, the likeliest first: the text after the last
    label such as "Action:", the first phrase of each line, sentences such as "the apple may be there" after the others,
    the last line. Of an answer that is a plan this is its first action (the paper's α, section 2.3)."""
    text = own_turn(text_of(answer, LONGEST_READ))
    lines = [line for line in _LINES.split(text) if line.strip(_EDGES)]
    phrases = sorted((phrase for line in lines[:MOST_LINES] for phrase in listed(line)[:1]), key=begins_small)
    labelled = listed(_behind(_NEXT, text))[:1] if _NEXT.search(text) else []
    found = (*labelled, *phrases, *map(unlisted, lines[-1:]))
    return tuple(dict.fromkeys(filter(None, found)))


def _behind(label: re.Pattern[str], text: str) -> str:
    """The text after the last label; the whole text without a label, or with nothing after it."""
    *_, last = ("", *label.finditer(text)) if text else ("",)
    return (text[last.end() :].strip() if isinstance(last, re.Match) else "") or text


def unlisted(line: str) -> str:
    """A line without its number or bullet, and without marks around its words."""
    return _STEP.sub("", line).strip(_EDGES)


def bare(line: str) -> str:
    """A line without the number, bullet or label before its words."""
    while True:
        shorter = _LEAD.sub("", line, count=1)
        if shorter == line or not shorter.strip():
            return shorter
        line = shorter


def guide_lines(answer: str) -> tuple[str, ...]:
    """The steps of an answer, one a line, without numbers and bullets; a line that announces others is left out."""
    lines = (_STEP.sub("", line).strip() for line in text_of(answer).splitlines() if not _FENCE.match(line))
    return tuple(line for line in lines if line and not line.endswith(":"))[:MOST_LINES]


@dataclass(frozen=True)
class Pair:
    """An answer: the ``index`` in the list of applicable actions, and the words of the ``action``; None for a part that
    cannot be determined."""

    index: int | None
    action: Key | None


def key_of(action: str) -> Key:
    """The words of an action's text in lower case, without the things' numbers, by which texts are compared:
    "[WALK]<kitchen>", "[walk] <kitchen>(11)" and "walk kitchen" have the same key."""
    return tuple(_WORD.findall(_ID.sub(">", action).lower()))


def pair_in(answer: str, think: bool = False) -> Pair:
    """The pair that an answer gives: the first number, and what follows it on its line, else on the next one.

    Where the model was asked to ``think`` first, only what comes after the last marker counts.
    """
    answer = own_turn(answer)
    if think:
        _, marker, answer = answer.rpartition(MARKER)
        if not marker:
            return Pair(None, None)
    text = _TWICE.sub("", _behind(_CONCLUSION, _ID.sub(">", text_of(answer, LONGEST_READ))))
    index = _INDEX.search(text)
    if index is None:
        return Pair(None, key_of(text) or None)
    rest = text[index.end() :]
    lines = [line for line in rest.splitlines() if key_of(_unlabelled(line))]
    return Pair(int(index[0]), key_of(_unlabelled(lines[0])) if lines else None)


def fitting(pair: Pair, actions: Sequence[tuple[int, str]]) -> int | None:
    """The index of the pair, if it is that of an action in the list whose text is the pair's; else None."""
    return next((i for i, text in actions if i == pair.index and key_of(text) == pair.action), None)


def corrected(pair: Pair, actions: Sequence[tuple[int, str]]) -> list[int]:
    """The candidates for a pair: its action if index and action match; if they do not, the action at that index and all
    with that text; none where index or action cannot be determined."""
    if pair.index is None or pair.action is None:
        return []
    exact = fitting(pair, actions)
    if exact is not None:
        return [exact]
    return [i for i, text in actions if i == pair.index or key_of(text) == pair.action]


def meant(pair: Pair, actions: Sequence[tuple[int, str]]) -> list[int]:
    """Like ``corrected``, but an index alone means its action, and an action alone all with that text."""
    if pair.index is None or pair.action is None:
        return [i for i, text in actions if i == pair.index or key_of(text) == pair.action]
    return corrected(pair, actions)


def _unlabelled(line: str) -> str:
    """A line without the label of the action that it may begin with: ``, "action": "[WALK]<kitchen>"``."""
    return _LABEL.sub("", line, count=1)
