"""Tables whose rows are variants of methods, with a block and a column for each kind of task.

Which two fields of an episode's row name its block and its column is a matter of the experiment: home and setting, or
the size of cities and the number of flights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from commonsense_planning.report.statistics import Mean
from commonsense_planning.report.task_tables import heading, read_toml

TOTAL = ""
"""The column of all columns together."""

Cell = tuple[str, str, str]
"""Block, column, variant."""


class Measure(StrEnum):
    """What stands in a cell."""

    SUCCESS = "success"
    SECONDS = "seconds"  # per decision, of all blocks together


@dataclass(frozen=True)
class Published:
    """A method as it was published: its name, (block, column) → success rate in %, seconds per decision."""

    name: str
    rates: Mapping[tuple[str, str], Mean]
    seconds: Mean | None


@dataclass(frozen=True)
class MethodLine:
    """One row: a variant, its label, the number of its colour, and the published method that it stands beside."""

    variant: str
    label: str
    colour: int
    published: Published | None


@dataclass(frozen=True)
class Share:
    """A row that has which share of the success rate of variant ``of`` a variant reaches."""

    variant: str
    of: str
    label: str


@dataclass(frozen=True)
class MethodTable:
    """A table; ``source`` says where it was published, and is empty for one of our own. ``blocks`` and ``columns``:
    name → heading. ``total``: the heading of a column for all columns together; empty for none. ``causes``: of
    failures, each with what it means. ``note``: what else is to be said of it."""

    name: str
    title: str
    source: str
    measure: Measure
    blocks: Mapping[str, str]
    columns: Mapping[str, str]
    lines: tuple[MethodLine, ...]
    share: Share | None
    total: str
    causes: Mapping[str, str]
    note: str

    @property
    def heading(self) -> str:
        """The table's name and title."""
        return heading(self.name, self.title)

    @property
    def cells(self) -> Iterator[Cell]:
        """All (block, column, variant) that the table needs."""
        for line in self.lines:
            for block in self.blocks:
                yield from ((block, column, line.variant) for column in self.columns)

    @property
    def shown(self) -> Mapping[str, str]:
        """The columns and, where there is one, that of the total."""
        return {**self.columns, TOTAL: self.total} if self.total else self.columns


@dataclass(frozen=True)
class MethodSuite:
    """An experiment: variant → settings of a method, and its tables by name. ``fields``: which two fields of a row name
    its block and its column."""

    name: str
    variants: Mapping[str, Mapping[str, Any]]
    fields: tuple[str, str]
    tables: Mapping[str, MethodTable]


def read_method_suite(name: str) -> MethodSuite:
    """The experiment of that name. Raises InputError if there is none."""
    data = read_toml(name)
    published = {key: _published(method, data) for key, method in data.get("published", {}).items()}
    tables = {key: _table(key, data, published) for key in data["tables"]}
    block, column = data["fields"]
    return MethodSuite(name, data["variants"], (block, column), tables)


def _published(method: Mapping[str, Any], data: Mapping[str, Any]) -> Published:
    rates = {
        (block, column): _mean(number)
        for block in data["blocks"]
        for column, number in zip(data["columns"], method[block], strict=True)
    }
    return Published(method["name"], rates, _mean(method["seconds"]) if "seconds" in method else None)


def _mean(number: Sequence[float]) -> Mean:
    value, error = number
    return Mean(value, error)


def _table(name: str, data: Mapping[str, Any], published: Mapping[str, Published]) -> MethodTable:
    table, columns = data["tables"][name], data["columns"]
    lines = tuple(
        MethodLine(row["variant"], row["label"], row.get("colour", 0), published.get(row.get("published", "")))
        for row in table["rows"]
    )
    return MethodTable(
        name,
        table["title"],
        table["source"],
        Measure(table["measure"]),
        data["blocks"],
        {column: columns[column] for column in table.get("columns", columns)},
        lines,
        Share(**table["share"]) if "share" in table else None,
        data.get("total", ""),
        data["causes"],
        table.get("note", ""),
    )
