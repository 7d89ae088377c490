"""One line of a program as ProgPrompt's models write it (Singh et al. 2023, section 3): calls of actions, assertions,
recoveries, branches, loops.

The lines look like Python and are none: they are cut into words here, and nothing is ever compiled or executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from commonsense_planning.errors import Place, ProgramError

LONGEST_LINE = 500  # characters
DEEPEST = 20  # conditions inside one another
SOURCE = Path("program")  # what located errors call the text
_WORD = re.compile(r"\s*(?:(?P<string>'[^'\\]*'|\"[^\"\\]*\")|(?P<name>[^\W\d]\w*)|(?P<mark>->|.)|$)", re.DOTALL)
_ACTION = re.compile(r"[a-z]\w*", re.IGNORECASE)
_RESERVED = frozenset({"and", "or", "not", "is", "in", "if", "elif", "else", "for", "def", "assert", "pass", "return"})


@dataclass(frozen=True)
class ProgramCall:
    """An action with its arguments as they are written, in a ``line`` of the answer."""

    line: int
    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        arguments = ", ".join(f"'{argument}'" for argument in self.arguments)
        return f"{self.name}({arguments})"


@dataclass(frozen=True)
class Claim:
    """A statement about the world: ``'close' to 'fridge'`` is the relation "close" of one term, ``'milk' in 'fridge'``
    the relation "in" of two, ``'fridge' is 'opened'`` and ``opened('fridge')`` the relation "opened" of one."""

    relation: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    part: Condition


@dataclass(frozen=True)
class Either:
    """One of several conditions; all of them if ``every``."""

    parts: tuple[Condition, ...]
    every: bool


Condition = Claim | Not | Either


@dataclass(frozen=True)
class Definition:
    """``def name():``"""


@dataclass(frozen=True)
class Assertion:
    """``assert(condition)``"""

    condition: Condition


@dataclass(frozen=True)
class ProgramBranch:
    """``if condition:`` or, with ``again``, ``elif condition:``; ``call`` stands on the same line."""

    condition: Condition
    again: bool
    call: ProgramCall | None


@dataclass(frozen=True)
class Otherwise:
    """``else:``; ``call`` stands on the same line."""

    call: ProgramCall | None


@dataclass(frozen=True)
class ProgramLoop:
    """``for variable in [values]:``"""

    variable: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Nothing:
    """A line that does nothing: a comment, ``pass``, ``return``."""


Line = ProgramCall | Definition | Assertion | ProgramBranch | Otherwise | ProgramLoop | Nothing


def read_line(text: str, number: int, variables: Mapping[str, str]) -> Line:
    """Read a line of the answer; ``variables`` are those of the loops around it, which stand for their values.

    Raises ProgramError, with its place, for a line that is none of these.
    """
    return _Words(text, number, variables).line()


@dataclass(frozen=True)
class _Word:
    kind: str  # string, name, mark, end
    text: str
    column: int


class _Words:
    """The words of a line, read from the left."""

    def __init__(self, text: str, number: int, variables: Mapping[str, str]) -> None:
        self._source = text
        self._number = number
        self._variables = variables
        self._words = list(self._cut())
        self._at = 0
        if len(text) > LONGEST_LINE:
            self._refuse(f"a line of more than {LONGEST_LINE} characters")

    def _cut(self) -> list[_Word]:
        words: list[_Word] = []
        at = 0
        while match := _WORD.match(self._source[:LONGEST_LINE], at):
            kind = match.lastgroup
            if kind is None or match[kind] == "#":
                break
            text = match[kind][1:-1].strip() if kind == "string" else match[kind]
            if kind == "name" and text in self._variables:
                kind, text = "string", self._variables[text]
            words.append(_Word(kind, text, match.start(match.lastgroup or 0) + 1))
            at = match.end()
        return [*words, _Word("end", "the end", len(self._source.rstrip()) + 1)]

    def line(self) -> Line:
        """The line as a whole."""
        first = self._words[0]
        readers: dict[str, Callable[[], Line]] = {
            "def": self._definition,
            "assert": self._assertion,
            "if": self._branch,
            "elif": self._branch,
            "else": self._otherwise,
            "for": self._loop,
            "pass": self._nothing,
            "return": self._nothing,
        }
        reader = readers.get(first.text if first.kind == "name" else "", self._call)
        read = Nothing() if first.kind == "end" else reader()
        if self._next.kind != "end":
            self._unexpected("the end of the line")
        return read

    def _nothing(self) -> Nothing:
        self._at += 1
        return Nothing()

    def _definition(self) -> Definition:
        self._at = next((i for i, word in enumerate(self._words) if word.text == ":"), len(self._words) - 1)
        self._mark(":")
        return Definition()

    def _assertion(self) -> Assertion:
        self._at += 1
        condition = self._condition(0)
        if self._took(",") and self._next.kind == "string":  # Python's message
            self._at += 1
        return Assertion(condition)

    def _branch(self) -> ProgramBranch:
        again = self._words[self._at].text == "elif"
        self._at += 1
        condition = self._condition(0)
        self._mark(":")
        return ProgramBranch(condition, again, self._call_at_the_end())

    def _otherwise(self) -> Otherwise:
        self._at += 1
        self._mark(":")
        return Otherwise(self._call_at_the_end())

    def _loop(self) -> ProgramLoop:
        self._at += 1
        variable = self._name("the loop's variable")
        if self._next.text != "in":
            self._unexpected("'in'")
        self._at += 1
        close = "]" if self._took("[") else ")"
        if close == ")":
            self._mark("(")
        values = self._strings(close)
        self._mark(":")
        return ProgramLoop(variable, values)

    def _call_at_the_end(self) -> ProgramCall | None:
        return None if self._next.kind == "end" else self._call()

    def _call(self) -> ProgramCall:
        name = self._name("an action")
        self._mark("(")
        return ProgramCall(self._number, name, self._strings(")"))

    def _strings(self, close: str) -> tuple[str, ...]:
        """Strings or bare names, with commas between them, to the closing mark."""
        found: list[str] = []
        while not self._took(close):
            if found:
                self._mark(",")
                if self._took(close):
                    break
            if self._next.kind not in ("string", "name"):
                self._unexpected(f"a name in quotes or '{close}'")
            found.append(self._next.text)
            self._at += 1
        return tuple(found)

    def _condition(self, depth: int) -> Condition:
        return self._joined("or", depth)

    def _joined(self, word: str, depth: int) -> Condition:
        if depth > DEEPEST:
            self._refuse(f"conditions nested more than {DEEPEST} deep")
        parts: list[Condition] = []
        while not parts or self._took(word):
            parts.append(self._joined("and", depth) if word == "or" else self._part(depth))
        return parts[0] if len(parts) == 1 else Either(tuple(parts), word == "and")

    def _part(self, depth: int) -> Condition:
        if self._took("not"):
            return Not(self._unsigned(depth))
        return self._unsigned(depth)

    def _unsigned(self, depth: int) -> Condition:
        if self._took("("):
            inside = self._condition(depth + 1)
            self._mark(")")
            return inside
        if self._next.kind == "name" and self._words[self._at + 1].text == "(":
            name = self._name("a relation")
            self._mark("(")
            return Claim(name.replace("_", " "), self._strings(")"))
        return self._statement()

    def _statement(self) -> Condition:
        """``'close' to 'x'``, ``'x' is 'opened'``, ``'x' not in 'y'``, also with the state not in quotes."""
        start = self._at
        while self._next.kind == "string" or (self._next.kind == "name" and self._next.text not in ("and", "or")):
            self._at += 1
        words = self._words[start : self._at]
        shape = "".join("s" if word.kind == "string" else "n" for word in words)
        links = [word.text.lower() for word in words if word.kind == "name"]
        terms = [word.text for word in words if word.kind == "string"]
        denied = "not" in links
        links = [link for link in links if link not in ("not", "is", "are")]
        if re.fullmatch("sn+s", shape):
            if links == ["to"]:
                test = Claim(terms[0], (terms[1],))
            elif not links:
                test = Claim(terms[1], (terms[0],))
            else:
                test = Claim(" ".join(links), tuple(terms))
        elif re.fullmatch("sn+|n+s", shape) and links and links != ["to"]:
            test = Claim(" ".join(links).removesuffix(" to"), tuple(terms))
        else:
            self._at = start
            self._unexpected("a condition such as ('close' to 'fridge') or ('fridge' is 'opened')")
        return Not(test) if denied else test

    @property
    def _next(self) -> _Word:
        return self._words[self._at]

    def _took(self, text: str) -> bool:
        """Whether the next word is this one; it is passed then."""
        found = self._next.kind in ("name", "mark") and self._next.text == text
        self._at += found
        return found

    def _mark(self, text: str) -> None:
        if not self._took(text):
            self._unexpected(f"'{text}'")

    def _name(self, what: str) -> str:
        word = self._next
        if word.kind != "name" or word.text in _RESERVED or not _ACTION.fullmatch(word.text):
            self._unexpected(what)
        self._at += 1
        return word.text

    def _unexpected(self, expected: str) -> NoReturn:
        word = self._next
        found = word.text if word.kind == "end" else f"'{word.text[:30]}'"
        self._refuse(f"unexpected {found}", expected)

    def _refuse(self, problem: str, expected: str = "") -> NoReturn:
        raise error_at(self._source, self._number, self._next.column, problem, expected)


def error_at(source: str, line: int, column: int, problem: str, expected: str = "") -> ProgramError:
    """A ProgramError in a line of the answer."""
    shown = re.sub(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", "\ufffd", source)
    return ProgramError(Place(SOURCE, line, column, shown), problem, expected)


def indent_of(text: str) -> int:
    """How far a line is indented; a tab goes to the next multiple of four."""
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
