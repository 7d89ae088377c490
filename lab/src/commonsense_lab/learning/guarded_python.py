"""Checks and runs a model's program, in a part of Python.

The check of the syntax keeps the program from files, network, processes and the rest of Python: it allows only nodes of
``NODES``, attributes of ``ATTRIBUTES``, imports from ``MODULES``, and no name that begins with two underscores;
``allowed.toml`` lists them. Objects of the interpreter (a frame, a class, a module's globals) are reached only through
attributes and builtins. None of the allowed ones leads there or takes a name as text, as ``format`` and ``getattr`` do.
``BUILTINS`` replace the builtins. The process that runs the program limits time and memory.
"""

from __future__ import annotations

import ast
import builtins
import collections
import heapq
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

from commonsense_planning.errors import HeuristicError, Place
from commonsense_planning.support.reading import read_toml, why

MOST_CHARACTERS = 50_000

_ALLOWED = read_toml(Path(__file__).with_name("allowed.toml"), "what is allowed")
NODES = frozenset((*_ALLOWED["statements"], *_ALLOWED["expressions"]))
MODULES: Mapping[str, list[str]] = _ALLOWED["modules"]
"""Module → its names that may be imported."""
METHODS: Mapping[str, list[str]] = _ALLOWED["methods"]
"""Type → its methods that may be called."""
ATTRIBUTES = frozenset(chain(*METHODS.values(), *MODULES.values()))


_REAL: Mapping[str, object] = {"math": math, "collections": collections, "heapq": heapq}
_STAND_INS = {
    name: SimpleNamespace(**{member: getattr(_REAL[name], member) for member in members})
    for name, members in MODULES.items()
}
"""Module → its replacement, with only the names that may be imported."""


BUILTINS: Mapping[str, Any] = {
    **{name: getattr(builtins, name) for name in _ALLOWED["builtins"]},
    # for the import statement; the check refuses the name in an expression
    "__import__": lambda name, *_: _STAND_INS[name],
}


def check(text: str, path: Path) -> CodeType:
    """Compiles a program that keeps to the rules. Raises HeuristicError, with the ``path``, at the first
    place that does not."""
    if len(text) > MOST_CHARACTERS:
        raise HeuristicError(Place(path, 1, 1), f"a program of {len(text)} characters; {MOST_CHARACTERS} are allowed")
    with _as_python(text, path):
        tree = ast.parse(text)
    for node in ast.walk(tree):
        for objection in _objections(node):
            raise refusal(path, text, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1, objection)
    with _as_python(text, path):  # which finds more errors, such as a return outside of a function
        return compile(tree, str(path), "exec", dont_inherit=True)


@contextmanager
def _as_python(text: str, path: Path) -> Iterator[None]:
    """Turns Python's errors about a program into HeuristicError, and ignores its warnings."""
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            yield
    except SyntaxError as error:
        raise refusal(path, text, error.lineno or 1, error.offset or 1, f"no Python: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # null bytes, say
        raise refusal(path, text, 1, 1, f"no Python: {why(error)}") from error
    except MemoryError as error:  # of the parser's stack
        raise refusal(path, text, 1, 1, "no Python: nested too deeply") from error


def functions_of(text: str, path: Path) -> dict[str, Any]:
    """Runs a program's statements; returns what they define, by name. Raises HeuristicError as ``check`` does, and any
    exception of the program unchanged."""
    names: dict[str, Any] = {"__builtins__": dict(BUILTINS)}
    exec(check(text, path), names)
    del names["__builtins__"]
    return names


def refusal(path: Path, text: str, line: int, column: int, why: str) -> HeuristicError:
    """Returns an error at a place of a program; ``line`` and ``column`` from 1."""
    lines = text.splitlines() or [""]
    line = min(max(line, 1), len(lines))
    return HeuristicError(Place(path, line, max(column, 1), lines[line - 1]), why)


def _objections(node: ast.AST) -> Iterator[str]:
    """Yields why a node is not allowed, without the nodes below it."""
    kind = type(node).__name__
    if kind not in NODES:
        yield f"{_WORDS.get(kind, kind)} is not allowed here"
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.keyword(arg=str(name)):
            yield from _name_objections(name)
            if isinstance(node, ast.Name) and name not in BUILTINS and hasattr(builtins, name):
                yield f"{name} is not allowed here"
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                yield "a decorator is not allowed here"
        case ast.Attribute(attr=name):
            if name not in ATTRIBUTES:
                yield f".{name} is not allowed here"
            elif not isinstance(node.ctx, ast.Load):
                yield "an attribute cannot be set here"
        case ast.Import(names=aliases):
            for alias in aliases:
                if alias.name not in MODULES:
                    yield f"import {alias.name} is not allowed here; there are {', '.join(MODULES)}"
                yield from _name_objections(alias.asname or alias.name)
        case ast.ImportFrom(module=module, names=aliases, level=level):
            if level or module is None or module not in MODULES:
                yield f"an import from {module} is not allowed here; there are {', '.join(MODULES)}"
                return
            for alias in aliases:
                if alias.name not in MODULES[module]:
                    yield f"{module}.{alias.name} is not allowed here; there are {', '.join(MODULES[module])}"
                yield from _name_objections(alias.asname or alias.name)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            for name in names:
                yield from _name_objections(name)
        case ast.Constant(value=value):
            if not isinstance(value, str | int | float | bool | None):
                yield f"a constant of type {type(value).__name__} is not allowed here"
        case ast.FormattedValue(format_spec=spec, conversion=conversion):
            if spec is not None or conversion != -1:
                yield "a format in a string is not allowed here"


def _name_objections(name: str) -> Iterator[str]:
    if name.startswith("__"):
        yield f"a name such as {name} is not allowed here"


_WORDS = {
    "ClassDef": "a class",
    **{name: name.lower() for name in ("Try", "Raise", "Assert", "With", "Match", "Yield", "Await")},
    **{"TryStar": "try", "YieldFrom": "yield"},
    **dict.fromkeys(("AsyncFunctionDef", "AsyncFor", "AsyncWith"), "async"),
}
"""Node → its name in messages."""
