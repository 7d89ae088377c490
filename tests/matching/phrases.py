"""Phrases as models say them, and how many of them a matcher understands."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.matching.matcher import Matcher

FILE = Path(__file__).with_name("phrases.toml")
PARTS = ("tuned on", "held out", "later")  # see the head of the file


@dataclass(frozen=True)
class Phrase:
    """What a model says, the options, the one it means ("" for none), and the part of the list it is in."""

    text: str
    options: tuple[str, ...]
    meant: str
    part: str


@dataclass
class Score:
    """Counts of phrases: ``right`` (none for none too), ``wrong`` option, or ``unmatched`` though one was meant."""

    right: int = 0
    wrong: int = 0
    unmatched: int = 0

    @property
    def accuracy(self) -> float:
        """The share of phrases that are right, in [0, 1]."""
        return self.right / max(1, self.right + self.wrong + self.unmatched)


def read_phrases(path: Path = FILE) -> list[Phrase]:
    """All phrases of the file."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Phrase(text, tuple(content["options"][name]), meant, parts[i % len(parts)])
        for table, parts in (("phrases", PARTS[:2]), ("later", PARTS[2:]))
        for name, phrases in content[table].items()
        for i, (text, meant) in enumerate(phrases.items())
    ]


def score(matcher: Matcher, phrases: Sequence[Phrase]) -> Score:
    """How the matcher does on the phrases."""
    result = Score()
    for phrase in phrases:
        best = matcher.best(phrase.text, phrase.options)
        option = "" if best is None else phrase.options[best]
        if option == phrase.meant:
            result.right += 1
        elif option:
            result.wrong += 1
        else:
            result.unmatched += 1
    return result
