"""From a model's answer to the index-action pair in it, and whether the two go together ("Large Language Models as
Common-Sense Heuristics", section 3.2, "Error correction")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from commonsense_planning.llm.answers import text_of

MARKER = "ANSWER:"  # comes before the pair, where a model may think first

_ID = re.compile(r">\s*\(\d+\)")  # VirtualHome's ids: [GRAB]<salmon>(311)
_INDEX = re.compile(r"(?<![\w<.-])\d{1,9}(?!\w)")
_LABEL = re.compile(r"^[\W_]*(?:action\b)?[\W_]*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")

Key = tuple[str, ...]


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
    lines = [line for line in rest.splitlines() if key_of(_bare(line))]
    return Pair(int(index[0]), key_of(_bare(lines[0])) if lines else None)


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


def _bare(line: str) -> str:
    """A line without the label of the action that it may begin with: ``, "action": "[WALK]<kitchen>"``."""
    return _LABEL.sub("", line, count=1)
