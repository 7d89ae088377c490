"""Programs of actions, as ProgPrompt's models write them (Singh et al. 2023): an answer as a tree of calls and checks.

    def microwave_salmon():
        # 1: find the salmon
        walk('salmon')
        assert('close' to 'salmon')
            else: walk('salmon')
        grab('salmon')

The reader accepts a definition, comments, calls with literal arguments, assertions with recoveries (any number of
``else`` lines), ``if``, ``elif``, ``else``, and ``for`` over a literal list, which is unrolled. It refuses everything
else at its place and keeps it as a line that cannot be executed. It compiles and executes nothing. Synonyms of names
are in ``program_words.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from commonsense_lab.programs.lines import Condition, Heading, ProgramCall, error_at, indent_of, read_line
from commonsense_planning.errors import ProgramError

TABLE = Path(__file__).with_name("program_words.toml")
LONGEST = 20_000  # characters of an answer that are read
MOST = 300  # lines of a program that are read, those of an unrolled loop counted again
_DEEPEST = 10  # blocks inside one another
_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_DEFINITION = re.compile(r"\s*def\b")


@dataclass(frozen=True)
class Check:
    """``then`` if the condition is true, else ``otherwise``. An assertion has only ``otherwise``: its recoveries."""

    line: int
    condition: Condition
    then: Block
    otherwise: Block


Statement = ProgramCall | Check | ProgramError
"""A ProgramError is a line that cannot be read."""

Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Program:
    """``body`` in order; the text of its ``comments``."""

    body: Block
    comments: tuple[str, ...] = ()


def read_program(answer: str) -> Program:
    """Reads the first program in a model's answer, without what is before its ``def``, after its body, or outside a
    code fence. An answer without a ``def`` is the body alone. Never raises."""
    numbered = list(enumerate(re.split(r"\r\n|\r|\n", _fenced(answer.strip()[:LONGEST])), 1))
    comments = tuple(text.strip().lstrip("# ") for _, text in numbered if text.lstrip().startswith("#"))
    lines = [(number, text) for number, text in numbered if text.strip() and not text.lstrip().startswith("#")]
    start = next((i for i, (_, text) in enumerate(lines) if _DEFINITION.match(text)), None)
    if start is not None:
        lines = _body(lines, start)
    reader = _BlockReader(lines)
    return Program(reader.block(0, len(lines), {}, 0), comments)


def _fenced(text: str) -> str:
    """Returns the text of the first code fence, if there is one, with empty lines for those before it."""
    fence = _FENCE.search(text)
    return "\n" * text[: fence.start(1)].count("\n") + fence[1] if fence else text


def _body(lines: Sequence[tuple[int, str]], start: int) -> list[tuple[int, str]]:
    """Returns the body of the definition at ``start``: the lines that are indented more, up to the next definition. A
    body without any indentation is taken unchanged."""
    body = list(lines[start + 1 :])
    level = indent_of(lines[start][1])
    indented = bool(body) and indent_of(body[0][1]) > level
    for i, (_, text) in enumerate(body):
        if _DEFINITION.match(text) or (indented and indent_of(text) <= level):
            return body[:i]
    return body


class _BlockReader:
    """Makes blocks of lines by their indentation."""

    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        self._lines = lines
        self._indents = [indent_of(text) for _, text in lines]
        self._read = 0

    def block(self, at: int, end: int, variables: Mapping[str, str], depth: int) -> Block:
        """Returns the statements of the lines from ``at`` to before ``end``."""
        statements: list[Statement] = []
        while at < end and self._read <= MOST:
            self._read += 1
            if self._read > MOST:
                statements.append(self._refused(at, f"a program of more than {MOST} lines"))
            elif depth > _DEEPEST:
                statements.append(self._refused(at, f"blocks nested more than {_DEEPEST} deep"))
                at = end
            else:
                found, at = self._statement(at, end, variables, depth)
                statements += found
        return tuple(statements)

    def _statement(
        self, at: int, end: int, variables: Mapping[str, str], depth: int
    ) -> tuple[Sequence[Statement], int]:
        """Returns the statements that begin at line ``at``, and where they end."""
        number, text = self._lines[at]
        try:
            line = read_line(text, number, variables)
        except ProgramError as error:
            # the lines under a heading that cannot be read would mean nothing without it
            heads = text.partition("#")[0].rstrip().endswith(":")
            return [error], self._under(at, end) if heads else at + 1
        if line is None:
            return [], at + 1
        if isinstance(line, ProgramCall):
            return [line], at + 1
        if line.word == "assert" and line.condition is not None:
            recoveries, at = self._recoveries(at, end, variables, depth)
            return [Check(number, line.condition, (), recoveries)], at
        if line.word == "if":
            return self._branches(at, end, line, variables, depth)
        if line.word == "for":
            after = self._under(at, end)
            rounds = ({**variables, line.variable: value} for value in line.values)
            return [s for values in rounds for s in self.block(at + 1, after, values, depth + 1)], after
        what = "a definition inside a program" if line.word == "def" else f"'{text.split()[0]}' without 'if'"
        return [self._refused(at, what)], self._under(at, end)

    def _recoveries(self, at: int, end: int, variables: Mapping[str, str], depth: int) -> tuple[Block, int]:
        """Returns the ``else`` lines that follow an assertion, in one block."""
        level = self._indents[at]
        found: list[Statement] = []
        at += 1
        while at < end and self._indents[at] >= level and (line := self._peek(at, variables, "else")):
            block, at = self._arm(at, end, line, variables, depth)
            found += block
        return tuple(found), at

    def _branches(
        self, at: int, end: int, line: Heading, variables: Mapping[str, str], depth: int
    ) -> tuple[Sequence[Statement], int]:
        """Returns an ``if`` or ``elif`` with everything that belongs to it."""
        number, level = self._lines[at][0], self._indents[at]
        then, after = self._arm(at, end, line, variables, depth)
        otherwise: Sequence[Statement] = ()
        if after < end and self._indents[after] == level:
            following = self._peek(after, variables, "elif", "else")
            if following is not None and following.word == "else":
                otherwise, after = self._arm(after, end, following, variables, depth)
            elif following is not None and depth < _DEEPEST:
                otherwise, after = self._branches(after, end, following, variables, depth + 1)
        assert line.condition is not None
        return [Check(number, line.condition, then, tuple(otherwise))], after

    def _arm(self, at: int, end: int, line: Heading, variables: Mapping[str, str], depth: int) -> tuple[Block, int]:
        """Returns what belongs to a heading: the call on its line, or the lines under it."""
        if line.call is not None:
            return (line.call,), at + 1
        after = self._under(at, end)
        return self.block(at + 1, after, variables, depth + 1), after

    def _under(self, at: int, end: int) -> int:
        """Returns where the lines end that are indented more than the one at ``at``."""
        return next((i for i in range(at + 1, end) if self._indents[i] <= self._indents[at]), end)

    def _peek(self, at: int, variables: Mapping[str, str], *words: str) -> Heading | None:
        """Returns the line at ``at`` if it is a heading that begins with one of the ``words``."""
        number, text = self._lines[at]
        try:
            line = read_line(text, number, variables)
        except ProgramError:
            return None
        return line if isinstance(line, Heading) and line.word in words else None

    def _refused(self, at: int, problem: str) -> ProgramError:
        number, text = self._lines[at]
        return error_at(text, number, indent_of(text) + 1, problem)


@dataclass(frozen=True)
class Synonyms:
    """By :func:`key`: actions and relations → names that domains give them, a relation's with whether it is true or
    false; ``selves`` are words for the agent."""

    actions: Mapping[str, tuple[str, ...]]
    relations: Mapping[str, tuple[tuple[str, bool], ...]]
    selves: frozenset[str]

    def predicates(self, relation: str) -> tuple[tuple[str, bool], ...]:
        """Returns predicates that a relation may mean, by key, and whether they must be true; its own first."""
        name = key(re.sub(r"^(is|are)\s+", "", relation.strip()))
        return ((name, True), *self.relations.get(name, ()))


@cache
def synonyms() -> Synonyms:
    """Returns the table, which is read once."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return Synonyms(
        {key(word): tuple(names) for word, names in table["actions"].items()},
        {key(word): tuple(map(_signed, names)) for word, names in table["relations"].items()},
        frozenset(map(key, table["selves"])),
    )


def key(name: str) -> str:
    """Returns a name without case and separators: "Walk-To_Room" and "walktoroom" are the same."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _signed(name: str) -> tuple[str, bool]:
    bare = name.removeprefix("not ")
    return key(bare), bare == name
