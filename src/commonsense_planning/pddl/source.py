"""The text of a PDDL file, with its errors, warnings and corrections at their places."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from commonsense_planning.errors import PddlError, PddlWarning, Place, UnsupportedFeature
from commonsense_planning.pddl.nodes import Group, Node, Symbol


class Need(StrEnum):
    """A part of PDDL that other planners have."""

    NUMBERS = "numbers"
    DURATIONS = "durations"
    TIMED = "timed initial literals"
    PREFERENCES = "preferences"
    PROCESSES = "processes and events"
    HIERARCHY = "hierarchical tasks"


_NEEDS = {need.partition(" ")[0]: need for need in Need} | {"durative": Need.DURATIONS, "events": Need.PROCESSES}
_NEEDS |= dict.fromkeys(("numeric", "arithmetic", "conditional", "several", "metrics"), Need.NUMBERS)
"""By the first word of an unsupported feature."""
_OTHERS = "cplan methods DOMAIN PROBLEM names the planners that have them"
_ELSEWHERE = {
    "functions": "a predicate, such as (at ?thing ?place), says the same",
    "axioms": "a rule, (:derived (p ?x) condition), says the same",
    "PO-PDDL's": "cplan data import-po-pddl writes the task with a sensors.pddl, which says the same",
}
"""What to do about another unsupported feature, by its first word."""
Mend = tuple[int, int, str]
"""A correction of a text: start, end, and replacement."""


@dataclass(frozen=True)
class Source:
    """A file that was read: its text, its root group ``(define …)``, and the warnings about it, which are errors if it
    is ``strict``. ``mends``: corrections for other readers. ``folder``: that of related files; None without a file."""

    path: Path
    text: str
    root: Group
    strict: bool = False
    warnings: list[PddlWarning] = field(default_factory=list, repr=False, compare=False)
    mends: list[Mend] = field(default_factory=list, repr=False, compare=False)
    folder: Path | None = field(default=None, compare=False)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return self.text.split("\n")

    def place(self, line: int, column: int) -> Place:
        """A place in this file, with the text of its line for the caret."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Place(self.path, line, column, _CONTROL.sub("\ufffd", text))

    def offset(self, node: Node) -> int:
        """The index of the node's first character in the text."""
        return self._line_starts[node.line - 1] + node.column - 1

    def span(self, node: Node) -> tuple[int, int]:
        """The indices of the node's first character, and after its last, in the text."""
        if isinstance(node, Group):
            return self.offset(node), self._line_starts[node.end_line - 1] + node.end_column
        return self.offset(node), self.offset(node) + len(node.text)

    def at(self, index: int) -> Symbol:
        """An empty word at the character with this index in the text."""
        line = bisect_right(self._line_starts, index)
        return Symbol("", line, index - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    def error(self, node: Node, problem: str, expected: str = "", hint: str = "") -> PddlError:
        """The error ``problem`` at the node's first character."""
        problem, expected, hint = map(_printable, (problem, expected, hint))
        return PddlError(self.place(node.line, node.column), problem, expected, hint, tuple(self.warnings))

    def warn(self, node: Node, problem: str, expected: str, taken: str, *mends: Mend, harmless: bool = False) -> None:
        """Adds the warning ``problem`` at the node's first character, with how it is ``taken`` (its only possible
        meaning) and its corrections. Raises PddlError instead if the file is read strictly."""
        if self.strict:
            raise self.error(node, problem, expected)
        place = self.place(node.line, node.column)
        found = PddlWarning(place, _printable(problem), _printable(taken), harmless)
        if found not in self.warnings:
            self.warnings.append(found)
            self.mends.extend(mends)

    @property
    def mended(self) -> str:
        """The text with corrections of deviations that other readers do not accept."""
        return with_mends(self.text, self.mends)

    def unsupported(self, node: Node, feature: str, expected: str = "") -> UnsupportedFeature:
        """The error for a feature that is correct PDDL, but not supported."""
        first = feature.partition(" ")[0]
        way_out = _OTHERS if first in _NEEDS else _ELSEWHERE.get(first)
        wanted = f"{expected or 'a task without them'}{f'; {way_out}' if way_out else ''}"
        problem, expected = map(_printable, (f"{feature} not supported", wanted))
        error = UnsupportedFeature(self.place(node.line, node.column), problem, expected)
        error.need = _NEEDS.get(first, "")
        return error


def with_mends(text: str, mends: Iterable[Mend]) -> str:
    """The text with all corrections; one within another is ignored."""
    mended, done = "", 0
    for start, end, right in sorted(set(mends), key=lambda mend: (mend[0], -mend[1], mend[2])):
        if start >= done:
            mended, done = mended + text[done:start] + right, end
    return mended + text[done:]


def _printable(words: str) -> str:
    """The text of a message as a terminal can show it, limited in length."""
    words = _CONTROL.sub("\ufffd", words)
    return words if len(words) <= 300 else f"{words[:300]}…"


_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
