"""Solved tasks as examples in a prompt: the K most similar to the task at hand (section 2.3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.matching.matching import Matcher


@dataclass(frozen=True)
class Example:
    """A solved task in English: what was to be done, what was seen at first, and what was done."""

    instruction: str
    observation: str
    actions: tuple[str, ...]


def read_examples(path: Path) -> tuple[Example, ...]:
    """Read a file of JSON lines, ``{"instruction": …, "observations": [[sentence, …], …], "actions": [action, …]}``.

    Of the observations, which may be missing, the first counts. Raises InputError with the line that is wrong.
    """
    examples = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read the examples: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            seen = [str(sentence) for sentence in (entry.get("observations") or [[]])[0]]
            actions = tuple(str(action) for action in entry["actions"])
            examples.append(Example(str(entry["instruction"]), ", ".join(seen), actions))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            form = '{"instruction": "…", "observations": [["…"]], "actions": ["…"]}'
            raise InputError(f"{path}:{number}:1: not an example: {error}; expected {form}") from error
    if not examples:
        raise InputError(f"{path}: there are no examples in this file")
    return tuple(examples)


class Shots:
    """The pool of examples, and how many of them a prompt gets."""

    def __init__(self, pool: tuple[Example, ...], count: int, matcher: Matcher) -> None:
        self._pool = pool
        self._count = count
        self._matcher = matcher
        self._chosen: dict[str, tuple[Example, ...]] = {}

    def for_goal(self, goal: str) -> tuple[Example, ...]:
        """The examples whose instruction is most similar to ``goal``, the most similar first."""
        if goal not in self._chosen:
            similar = self._matcher.similarities(goal, [example.instruction for example in self._pool])
            order = np.argsort(-similar, kind="stable")[: self._count]
            self._chosen[goal] = tuple(self._pool[i] for i in order.tolist())
        return self._chosen[goal]
