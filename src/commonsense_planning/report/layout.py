"""What an experiment consists of: variants of methods, and tables whose cells are a task and a variant.

Each experiment is described by a TOML file beside this module, with the published numbers at their places. Tables whose
rows are methods are in ``method_layout.py``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError

FOLDERS = {
    "flights": "travelling",
    "household": "virtualhome",
    "multiplication": "multiplication",
    "rearrangement": "rearrangement",
}
"""Experiment → the folder of its study."""


@dataclass(frozen=True)
class Column:
    """``original``: its cells are about the task that a row's task is a modification of."""

    head: str
    variant: str
    original: bool = False


@dataclass(frozen=True)
class Line:
    """One task of a table; ``published`` has a number per column, or none."""

    task: str
    label: str
    original: str = ""
    published: tuple[float, ...] = ()

    def task_of(self, column: Column) -> str:
        """The task of the cell in this column."""
        return self.original if column.original else self.task


@dataclass(frozen=True)
class Average:
    """Of a column, over all tasks of the table; ``original``: over the tasks that they are modifications of."""

    label: str
    original: bool = False
    published: tuple[float, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A table as it was published; ``source`` says where, and is empty for one of our own."""

    name: str
    title: str
    source: str
    head: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    averages: tuple[Average, ...]

    @property
    def heading(self) -> str:
        """The table's name and title."""
        return heading(self.name, self.title)

    @property
    def cells(self) -> Iterator[tuple[str, str]]:
        """All (task, variant) that the table needs."""
        for line in self.lines:
            yield from ((line.task_of(column), column.variant) for column in self.columns)
            if any(average.original for average in self.averages):
                yield from ((line.original, column.variant) for column in self.columns)


def heading(name: str, title: str) -> str:
    """``Table 1. Main results``, ``Ours. What our additions give``."""
    return f"{f'Table {name}' if name.isdigit() else name.capitalize()}. {title}"


@dataclass(frozen=True)
class Suite:
    """An experiment: variant → settings of a method, and its tables by name."""

    name: str
    variants: Mapping[str, Mapping[str, Any]]
    tables: Mapping[str, Layout]


def read_suite(name: str) -> Suite:
    """The experiment of that name. Raises InputError if there is none."""
    data = read_toml(name)
    return Suite(name, data["variants"], {key: _layout(key, table) for key, table in data["tables"].items()})


def read_toml(name: str) -> dict[str, Any]:
    """What describes the experiment of that name. Raises InputError if there is none."""
    if name not in FOLDERS:
        raise InputError(f"there is no experiment {name!r}; there is {', '.join(sorted(FOLDERS))}")
    path = Path(__file__).parents[1] / "studies" / FOLDERS[name] / "layout.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _layout(name: str, table: Mapping[str, Any]) -> Layout:
    columns = tuple(Column(**column) for column in table["columns"])
    lines = tuple(Line(**{**line, "published": tuple(line.get("published", ()))}) for line in table["rows"])
    averages = tuple(
        Average(**{**average, "published": tuple(average.get("published", ()))})
        for average in table.get("averages", ())
    )
    return Layout(name, table["title"], table["source"], table["head"], columns, lines, averages)
