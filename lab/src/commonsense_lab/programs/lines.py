"""One line of a program as ProgPrompt's models write it (Singh et al. 2023, section 3): calls of actions, assertions,
recoveries, branches, loops.

The lines look like Python but are not: they are split into words here, and nothing is ever compiled or executed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
class Heading:
    """A line that begins with a ``word``: def, assert, if, elif, else or for. An assert, an if, an elif has a
    ``condition``; an if, an elif, an else may have a ``call`` on its line; a for has a ``variable`` and ``values``."""

    word: str
    condition: Condition | None = None
    call: ProgramCall | None = None
    variable: str = ""
    values: tuple[str, ...] = ()


HEADINGS = ("def", "assert", "if", "elif", "else", "for")
Line = ProgramCall | Heading | None
"""None is a line that does nothing: a comment, ``pass``, ``return``."""


def read_line(text: str, number: int, variables: Mapping[str, str]) -> Line:
    """Reads a line of the answer; ``variables`` of the loops around it → their values. Raises ProgramError, with its
    place, for anything else."""
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
        """Reads the whole line."""
        read: Line = None
        first = self._words[0]
        word = first.text if first.kind == "name" else ""
        if word in HEADINGS:
            self._at += 1
            read = self._heading(word)
        elif word in ("pass", "return"):
            self._at += 1
        elif first.kind != "end":
            read = self._call()
        if self._next.kind != "end":
            self._unexpected("the end of the line")
        return read

    def _heading(self, word: str) -> Heading:
        if word == "def":
            self._at = next((i for i, one in enumerate(self._words) if one.text == ":"), len(self._words) - 1)
            self._mark(":")
            return Heading(word)
        if word == "for":
            variable = self._name("the loop's variable")
            self._mark("in")
            close = "]" if self._took("[") else ")"
            if close == ")":
                self._mark("(")
            values = self._strings(close)
            self._mark(":")
            return Heading(word, variable=variable, values=values)
        condition = None if word == "else" else self._condition(0)
        if word == "assert":
            if self._took(",") and self._next.kind == "string":  # Python's message
                self._at += 1
            return Heading(word, condition)
        self._mark(":")
        return Heading(word, condition, None if self._next.kind == "end" else self._call())

    def _call(self) -> ProgramCall:
        name = self._name("an action")
        self._mark("(")
        return ProgramCall(self._number, name, self._strings(")"))

    def _strings(self, close: str) -> tuple[str, ...]:
        """Reads strings or bare names, with commas between them, to the closing mark."""
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

    def _condition(self, depth: int, word: str = "or") -> Condition:
        """Reads conditions joined by "or", each of them conditions joined by "and"."""
        if depth > DEEPEST:
            self._refuse(f"conditions nested more than {DEEPEST} deep")
        parts: list[Condition] = []
        while not parts or self._took(word):
            parts.append(self._condition(depth, "and") if word == "or" else self._part(depth))
        return parts[0] if len(parts) == 1 else Either(tuple(parts), word == "and")

    def _part(self, depth: int) -> Condition:
        return Not(self._unsigned(depth)) if self._took("not") else self._unsigned(depth)

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
        """Reads ``'close' to 'x'``, ``'x' is 'opened'``, ``'x' not in 'y'``; the state may lack its quotes."""
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
        """Moves past the next word if it is this one; returns whether it was."""
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
    """Returns a ProgramError in a line of the answer."""
    shown = re.sub(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", "\ufffd", source)
    return ProgramError(Place(SOURCE, line, column, shown), problem, expected)


def indent_of(text: str) -> int:
    """Returns how far a line is indented; a tab goes to the next multiple of four."""
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
