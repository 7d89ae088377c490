"""Which of the sentences about a home a policy reads: there are hundreds, and its context is short."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from commonsense_planning.wording.naming import PLURALS

# Between these words stand the names of things: "put one apple on the kitchen table" names "apple" and "kitchen table".
_BETWEEN = frozenset(
    ("a", "an", "the", "some", "my", "your", "one", "two", "three", "four", "five", "is", "are", "be", "can", "not")
    + ("in", "on", "at", "to", "of", "into", "onto", "inside", "from", "with", "and", "or")
    + ("put", "place", "bring", "move", "get", "take")
)
_ACTOR = "robot"  # what our lexicons call the agent
_NOT = "not"


class Reader:
    """Chooses sentences by the words of an instruction.

    Read is what is about something that the instruction names: that is what the sentence names first. At first it is
    also read where the robot is and what it holds; what becomes of the robot later follows from its actions. Left out
    is what is not so ("the robot is not in the kitchen") and what names one thing only ("the apple is an apple"); what
    is said twice is read once.
    """

    def __init__(self, instruction: str) -> None:
        self._wanted = frozenset(form for name in names(instruction) for form in _forms(name))
        self._began = False

    def read(self, sentences: Iterable[str]) -> list[str]:
        """Those of the sentences before a step that are read, in their order."""
        kept = [sentence for sentence in dict.fromkeys(sentences) if self._matters(sentence)]
        self._began = True
        return kept

    def _matters(self, sentence: str) -> bool:
        named = names(sentence)
        if len(set(named)) < 2 or _NOT in sentence.split():
            return False
        return named[0] in self._wanted or (not self._began and named[0].split()[0] == _ACTOR)


@lru_cache(maxsize=1 << 16)  # sentences come again and again, in every trajectory of a home
def names(text: str) -> tuple[str, ...]:
    """The runs of words between words such as "the" and "on", in lower case and in order."""
    runs: list[list[str]] = [[]]
    for word in re.findall(r"\w+", text.lower()):
        if word in _BETWEEN:
            runs.append([])
        else:
            runs[-1].append(word)
    return tuple(" ".join(run) for run in runs if run)


def _forms(name: str) -> set[str]:
    """A name as it is, and the singulars that it may be the plural of."""
    singulars = {name.removesuffix(many) + one for many, one in PLURALS if name.endswith(many)}
    return {name, *singulars}
