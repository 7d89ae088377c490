"""From a model's free text to what is said in it: phrases, the lines of a guide, an index-action pair.

Whatever comes, only a bounded part of it is read. The pair, and whether its two parts go together: "Large Language
Models as Common-Sense Heuristics", section 3.2, "Error correction".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 2000  # characters of an answer that are looked at
MOST = 8  # phrases of a list that are looked at
MOST_LINES = 50  # lines of a guide that are read
MARKER = "ANSWER:"  # comes before an index-action pair, where a model may think first
# what a language model likes to begin a line with: a number, a bullet, a word of the prompt and a colon
_LEAD = re.compile(r"^\s*(?:[-*•>]+|\(?\d{1,3}[.):]|[\w ]{1,24}:(?!\S))\s*")
_LINES = re.compile(r"[\r\n]+")
_COMMAS = re.compile(r"[,;]|\.\s")
_ALTERNATIVES = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)
_EDGES = " \t\"'`*[](){}.!?<>"
_STEP = re.compile(r"^\s*(?:[-*•>]+\s*|\(?(?:step\s*)?\d{1,3}\s*[.):]\s*)+", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```")
_ID = re.compile(r">\s*\(\d+\)")  # VirtualHome's ids: [GRAB]<salmon>(311)
_INDEX = re.compile(r"(?<![\w<.-])\d{1,9}(?!\w)")
_LABEL = re.compile(r"^[\W_]*(?:action\b)?[\W_]*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")

Key = tuple[str, ...]


def text_of(answer: str, longest: int = LONGEST) -> str:
    """The answer, at most ``longest`` characters."""
    return answer.strip()[:longest]


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
    return _places(text_of(answer))


@lru_cache(maxsize=5000)  # many of a prior's answers are equal
def _places(text: str) -> tuple[str, ...]:
    split = [part.strip(_EDGES) for phrase in listed(text) for part in _ALTERNATIVES.split(phrase)]
    return tuple(part for part in split if part)[:MOST]


def first_action(answer: str) -> str:
    """The first action of an answer that is a plan; empty if there is none (the paper's α, section 2.3)."""
    return next(iter(listed(answer)), "")


def unlisted(line: str) -> str:
    """A line without its number or bullet, and without marks around its words."""
    return _STEP.sub("", line).strip(_EDGES)


def bare(line: str) -> str:
    """A line without what precedes its words."""
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
    """What an answer says: ``index`` in the list of applicable actions, and the words of the ``action``; None for what
    cannot be determined."""

    index: int | None
    action: Key | None


def key_of(action: str) -> Key:
    """What is compared of an action's text: its words in lower case, without VirtualHome's ids. So "[WALK]<kitchen>",
    "[walk] <kitchen>(11)" and "walk kitchen" are the same."""
    return tuple(_WORD.findall(_ID.sub(">", action).lower()))


def pair_in(answer: str, think: bool = False) -> Pair:
    """The pair that an answer gives: the first number, and what follows it on its line, else on the next one.

    Where the model was asked to ``think`` first, only what comes after the last marker counts.
    """
    if think:
        _, marker, answer = answer.rpartition(MARKER)
        if not marker:
            return Pair(None, None)
    text = _ID.sub(">", text_of(answer))
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
    """The candidates that a pair stands for: its action where index and action go together; where they do not, the
    action at that index and all with that text; none where index or action cannot be determined."""
    if pair.index is None or pair.action is None:
        return []
    exact = fitting(pair, actions)
    if exact is not None:
        return [exact]
    return [i for i, text in actions if i == pair.index or key_of(text) == pair.action]


def meant(pair: Pair, actions: Sequence[tuple[int, str]]) -> list[int]:
    """As ``corrected``, but an index alone stands for its action, and an action alone for all with that text."""
    if pair.index is None or pair.action is None:
        return [i for i, text in actions if i == pair.index or key_of(text) == pair.action]
    return corrected(pair, actions)


def _unlabelled(line: str) -> str:
    """A line without the label of the action that it may begin with: ``, "action": "[WALK]<kitchen>"``."""
    return _LABEL.sub("", line, count=1)
