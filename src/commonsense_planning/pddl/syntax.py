"""PDDL text → nodes with line and column, and all errors of layout: files, brackets, size.

A file is one group ``(define …)``, parsed in one pass; wrong brackets, excessive nesting and garbage are errors at
their place. The meaning of words is the subject of ``check.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from operator import is_
from pathlib import Path
from typing import Literal

from commonsense_planning.errors import InputError, PddlError, Place, UsageError
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.source import Source
from commonsense_planning.support.reading import Text, at_most, json_value, reading

MAX_BYTES = 16 * 2**20
SIZE = "a PDDL file", MAX_BYTES
MAX_TOKENS = 1_000_000  # words and brackets
MAX_DEPTH = 100
GAME = ".tw-pddl"  # the ending of a game of TextWorld, a JSON file with domain and problem
_PDDL = re.compile(r"\(\s*define\b")

# Most of a large file are ground atoms. So a group without inner groups is one token, which takes a third of the time.
# Between tokens there are only blanks.
_TOKEN = re.compile(r"\([^();]*\)|[()]|[^\s();]+|;[^\n]*")

SECTIONS = {
    "domain": (
        ":requirements",
        ":types",
        ":constants",
        ":predicates",
        ":functions",
        ":constraints",
        ":derived",
        ":action",
    ),
    "problem": (
        ":domain",
        ":requirements",
        ":objects",
        ":init",
        ":goal",
        ":goal-reward",
        ":constraints",
        ":metric",
        ":length",
    ),
}
"""The keywords of a file's sections, by the file's kind."""
_OTHER_SECTIONS = (":durative-action", ":process", ":event", ":hidden", ":exactly-one", ":sense")
_BEGINNINGS = {*SECTIONS["domain"], *SECTIONS["problem"], *_OTHER_SECTIONS}


def read_source(
    file: str | Path | Text, strict: bool = False, kind: Literal["domain", "problem", "sensors"] = "problem"
) -> Source:
    """Reads and parses a PDDL file, or a text in its place; with ``strict``, warnings are errors. ``kind``: the text
    that is read of a game of TextWorld; lines count from its beginning.

    Raises InputError if the path is not a readable file, UsageError for PDDL in place of a path, PddlError if the text
    is not UTF-8, too large, too deep, not one ``(define …)``, or its brackets do not match.
    """
    if isinstance(file, Text):
        path = Path(file.name or f"<{kind}>")
        return _source(path, at_most(path, file.content.encode(errors="surrogatepass"), *SIZE), strict, kind)
    check_path(file)
    path = Path(file)
    return replace(_source(path, _read_bytes(path), strict, kind), folder=path.parent)


def check_path(file: str | Path) -> None:
    """Raises UsageError for PDDL in place of a path."""
    if isinstance(file, str) and _PDDL.search(file):
        raise UsageError("a path is expected, and this is PDDL: Text(…) says that it is the text itself that is read")


def _source(path: Path, data: bytes, strict: bool, kind: str) -> Source:
    if path.suffix == GAME:
        with reading(path, "a game of TextWorld's"):
            text = json_value(data)[f"pddl_{kind}"]
            if not isinstance(text, str):
                raise ValueError(f"'pddl_{kind}' is no text")
        return parse(text, path, strict=strict)
    try:
        return parse(data.decode("utf-8-sig"), path, strict=strict)
    except UnicodeDecodeError as error:
        return _in_another_code(data, path, strict, error)


def _in_another_code(data: bytes, path: Path, strict: bool, error: UnicodeDecodeError) -> Source:
    """Reads a text that is not UTF-8, if only comments are not."""
    text = data.decode("utf-8-sig", errors="replace")
    before = data[: error.start].decode("utf-8", errors="replace").split("\n")
    place = Symbol("", len(before), len(before[-1]) + 1)
    problem, expected = f"byte 0x{data[error.start]:02x} is not UTF-8", "text in UTF-8"
    try:
        for line in data.split(b"\n"):
            line.partition(b";")[0].decode("utf-8")
    except UnicodeDecodeError:
        raise Source(path, text.replace("\r\n", "\n"), Group(())).error(place, problem, expected) from error
    source = parse(text, path, strict=strict)
    source.warn(place, f"{problem}, in a comment", expected, "as a character that says nothing", (0, 0, ""))
    return source


def parse(text: str, path: str | Path = "<text>", *, define: bool = True, strict: bool = False) -> Source:
    """Parses the text of a PDDL file, or of any single group if ``define`` is false; ``path``: the file in messages.

    Raises PddlError as ``read_source`` does.
    """
    path = Path(path)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    root = _root(Source(path, text, Group(())), define)
    source = Source(path, text, root, strict)
    return replace(source, root=_apart(source, root)) if _STUCK.search(text) or _COMMA.search(text) else source


_COMMA = re.compile(r"^[^;\n]*,", re.MULTILINE)
_STUCK = re.compile(r"(?<=[^\s();?])(?=\?[^\s();?])|(?<=(?<![^\s();])-)(?=[^\W\d])")
"""Places where a blank is missing, as in ``at?x`` and ``?x -type``: names have no question mark or leading dash."""


def _apart(source: Source, group: Group) -> Group:
    """The group with words divided at missing blanks, and with a comma between words as a blank."""
    items: list[Node] = []
    for item in group.items:
        items += [_apart(source, item)] if isinstance(item, Group) else _words_of(source, item)
    same = len(items) == len(group.items) and all(map(is_, items, group.items))
    return group if same else replace(group, items=tuple(items))


def _words_of(source: Source, symbol: Symbol) -> list[Symbol]:
    """The words in the symbol. A comma within a number, as in ``0,5``, is not a blank."""
    parts = list(re.finditer(r"(?:[^,]|(?<=\d),(?=\d))+", symbol.text))
    if len(parts) != 1 or parts[0].group() != symbol.text:
        commas = [source.offset(symbol) + comma.start() for comma in re.finditer(",", symbol.text)]
        mends = [(at, at + 1, " ") for at in commas]
        source.warn(symbol, f"a comma in '{symbol.text}'", "a blank between two words", "as a blank", *mends)
        words = [Symbol(part.group(), symbol.line, symbol.column + part.start()) for part in parts]
        return [word for part in words for word in _words_of(source, part)]
    starts = [0, *(found.start() for found in _STUCK.finditer(symbol.text))]
    if len(starts) == 1:
        return [symbol]
    ends = [*starts[1:], len(symbol.text)]
    words = [
        Symbol(symbol.text[start:end], symbol.line, symbol.column + start)
        for start, end in zip(starts, ends, strict=True)
    ]
    mends = [(source.offset(word), source.offset(word), " ") for word in words[1:]]
    taken = f"as '{' '.join(word.text for word in words)}'"
    source.warn(symbol, f"no blank within '{symbol.text}'", "a blank between two words", taken, *mends)
    return words


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a directory; expected a PDDL file")
        with path.open("rb") as file:
            return at_most(path, file.read(MAX_BYTES + 1), *SIZE)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _root(source: Source, define: bool) -> Group:
    """The single group of the source's text, ``(define …)`` unless ``define`` is false. Raises PddlError at the first
    word or bracket that cannot belong to it."""
    expected = "'(define …)'" if define else "a bracket"
    opened: list[tuple[Symbol, list[Node]]] = []  # each with its items so far
    root: Group | None = None
    unclosed: Symbol | None = None  # the bracket that was open where a section began too deep
    size = 0
    for index, token in enumerate(_tokens(source.text)):
        words = token.text.strip("()").split()
        flat = token.text[0] == "(" != token.text
        size += len(words) + 2 if flat else 1
        first = (words[0].lower() if words else "") if index == 1 or flat and index == 0 else None
        if index == 0 and token.text[0] != "(" or define and first not in ("define", None):
            raise source.error(token, f"unexpected {_quoted(token.text)} at the start", expected)
        if root is not None:
            raise _after_end(source, root, token)
        if size > MAX_TOKENS:
            raise source.error(token, f"more than {MAX_TOKENS} words and brackets", "a smaller file")
        if words and words[0].lower() in _BEGINNINGS and (flat or not opened[-1][1]):
            around = opened if flat else opened[:-1]
            unclosed = unclosed or (around[-1][0] if len(around) > 1 else None)
        node: Node = _flat_group(token) if flat else token
        if token.text == "(":
            opened.append((token, []))
            if len(opened) > MAX_DEPTH:
                raise source.error(token, f"brackets nested more than {MAX_DEPTH} deep", "PDDL")
            continue
        if token.text == ")":
            bracket, items = opened.pop()
            node = Group(tuple(items), bracket.line, bracket.column, token.line, token.column)
        if opened:
            opened[-1][1].append(node)
        elif isinstance(node, Group):
            root = node
    if opened:
        raise source.error(unclosed or opened[-1][0], "this '(' is never closed", "a ')' for it")
    if root is None:
        raise PddlError(Place(source.path, 1, 1), "there is nothing to read", expected)
    return root


def _tokens(text: str) -> Iterator[Symbol]:
    """The brackets and words of a text, each with its place, without comments."""
    line, start, before = 1, 0, 0  # start: where the line begins
    for found in _TOKEN.finditer(text):
        at = found.start()
        if breaks := text.count("\n", before, at):
            line, start = line + breaks, text.rindex("\n", before, at) + 1
        before = at
        if text[at] != ";":
            yield Symbol(found[0], line, at - start + 1)


def _after_end(source: Source, root: Group, token: Symbol) -> PddlError:
    if token.text == ")":
        return source.error(token, "')' without a '('", "the end of the file")
    end = Symbol(")", root.end_line, root.end_column)
    problem = f"this ')' closes the file's first '(', but {_quoted(token.text)} follows on line {token.line}"
    return source.error(end, problem, "nothing after it")


def _quoted(token: str) -> str:
    shown = " ".join(token.split())
    return f"'{shown}'" if len(shown) <= 40 else f"'{shown[:40]}…'"


def _flat_group(token: Symbol) -> Group:
    """The group of a token without inner groups."""
    line, start, end = token.line, token.column, 0  # start: the column of the row's first character
    words: list[Symbol] = []
    for row in token.text.split("\n"):
        words.extend(Symbol(m.group(), line, start + m.start()) for m in _WORD.finditer(row))
        line, start, end = line + 1, 1, start + len(row) - 1
    return Group(tuple(words), token.line, token.column, line - 1, end)


_WORD = re.compile(r"[^\s()]+")
