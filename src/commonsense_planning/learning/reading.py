"""Which of the sentences about a home a policy reads: there are hundreds, and its context is short."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from commonsense_planning.language.naming import PLURALS

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

    Read is what names something that the instruction names, and at first also where the robot is and what it holds;
    what becomes of the robot later follows from its actions. What is not so ("the robot is not in the kitchen") is left
    out, and a sentence that is said twice is read once.
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
        words, named = _parts(sentence)
        if _NOT in words:
            return False
        return not named.isdisjoint(self._wanted) or (not self._began and _ACTOR in words)


def names(text: str) -> frozenset[str]:
    """The runs of words between words such as "the" and "on", in lower case."""
    return _parts(text)[1]


@lru_cache(maxsize=1 << 16)  # sentences come again and again, in every trajectory of a home
def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    runs: list[list[str]] = [[]]
    words = re.findall(r"\w+", text.lower())
    for word in words:
        if word in _BETWEEN:
            runs.append([])
        else:
            runs[-1].append(word)
    return frozenset(words), frozenset(" ".join(run) for run in runs if run)


def _forms(name: str) -> set[str]:
    """A name as it is, and the singulars that it may be the plural of."""
    singulars = {name.removesuffix(many) + one for many, one in PLURALS if name.endswith(many)}
    return {name, *singulars}
