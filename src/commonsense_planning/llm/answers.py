"""From a model's answer to the phrases in it. Whatever comes, only a bounded part of it is read."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 2000  # characters of an answer that are looked at
MOST = 8  # phrases of a list that are looked at
# what a language model likes to begin a line with: a number, a bullet, a word of the prompt and a colon
_LEAD = re.compile(r"^\s*(?:[-*•>]+|\(?\d{1,3}[.):]|[\w ]{1,24}:(?!\S))\s*")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_LINES = re.compile(r"[\r\n]+")
_COMMAS = re.compile(r"[,;]|\.\s")
_ALTERNATIVES = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)
_EDGES = " \t\"'`*[](){}.!?<>"


def text_of(answer: str, longest: int = LONGEST) -> str:
    """The answer without a reasoning model's thoughts, at most ``longest`` characters."""
    return _THOUGHT.sub("", answer[: 50 * LONGEST]).strip()[:longest]


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


def bare(line: str) -> str:
    """A line without what precedes its words."""
    while True:
        shorter = _LEAD.sub("", line, count=1)
        if shorter == line or not shorter.strip():
            return shorter
        line = shorter
