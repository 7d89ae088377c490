"""Tables whose rows are variants of methods, with a block and a column for each kind of task.

The experiment decides the block and the column of an episode: home and setting, or size of cities and number of
flights.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from commonsense_lab.report.task_tables import heading
from commonsense_lab.runner.variants import variants_named
from commonsense_planning.errors import check_known
from commonsense_planning.support.reading import read_toml, reading
from commonsense_planning.support.statistics import Mean

TOTAL = ""
"""The column of all columns together."""

Cell = tuple[str, str, str]
"""Block, column, variant."""


class Measure(StrEnum):
    """The content of a cell."""

    SUCCESS = "success"
    SECONDS = "seconds"  # per decision, of all blocks together


@dataclass(frozen=True)
class Published:
    """A published method: its name, (block, column) → success rate in %, seconds per decision."""

    name: str
    rates: Mapping[tuple[str, str], Mean]
    seconds: Mean | None


@dataclass(frozen=True)
class MethodLine:
    """One row: a variant, its label, the number of its colour, and the published method that it is compared with. In a
    label ``{model}`` stands for the model, see ``spoken_by``."""

    variant: str
    label: str
    colour: int = 0
    published: Published | None = None


@dataclass(frozen=True)
class Share:
    """A row with the share of the success rate of variant ``of`` that a variant reaches."""

    variant: str
    of: str
    label: str


@dataclass(frozen=True)
class MethodTable:
    """A table as it was published in ``source``, empty for a table of cplan's. ``blocks`` and ``columns``: name →
    heading. ``total``: the heading of a column for all columns together; empty for none. ``causes`` of failures →
    meaning. ``note``: a remark. ``against``: the variant that the others are compared with, task by task; empty for
    none."""

    name: str
    title: str
    source: str
    measure: Measure
    blocks: Mapping[str, str]
    columns: Mapping[str, str]
    lines: tuple[MethodLine, ...]
    causes: Mapping[str, str]
    share: Share | None = None
    total: str = ""
    note: str = ""
    against: str = ""

    @property
    def heading(self) -> str:
        """The table's name and title."""
        return heading(self.name, self.title)

    @property
    def short(self) -> str:
        """The table's name alone."""
        return self.heading.partition(".")[0]

    @property
    def cells(self) -> Iterator[Cell]:
        """Yields all (block, column, variant) that the table needs."""
        for line in self.lines:
            for block in self.blocks:
                yield from ((block, column, line.variant) for column in self.columns)

    @property
    def shown(self) -> Mapping[str, str]:
        """The columns, with that of the total, if any."""
        return {**self.columns, TOTAL: self.total} if self.total else self.columns


def spoken_by(label: str, model: str) -> str:
    """Replaces ``{model}`` in a label with the model's name after the adapter's colon, or else with the adapter's name,
    so that a row of the embedded model names no language model."""
    return label.replace("{model}", model.partition(":")[2] or model)


@dataclass(frozen=True)
class MethodSuite:
    """An experiment: variant → settings of a method, and its tables by name."""

    variants: Mapping[str, Mapping[str, Any]]
    tables: Mapping[str, MethodTable]

    def with_own(self, own: Mapping[str, Collection[str]]) -> MethodSuite:
        """Returns it with a row for each further variant (``own_tables``), in its tables and in those of seconds."""
        tables = {}
        for name, table in self.tables.items():
            its = [variant for variant in own if name in own[variant] or table.measure is Measure.SECONDS]
            more = (MethodLine(variant, variant, number, None) for number, variant in enumerate(its, len(table.lines)))
            tables[name] = replace(table, lines=(*table.lines, *more))
        return MethodSuite(self.variants, tables)

    def spoken_by(self, model: str) -> MethodSuite:
        """Returns it with the model's name in all labels."""
        tables = {}
        for name, table in self.tables.items():
            lines = tuple(replace(line, label=spoken_by(line.label, model)) for line in table.lines)
            share = table.share and replace(table.share, label=spoken_by(table.share.label, model))
            tables[name] = replace(table, lines=lines, share=share)
        return MethodSuite(self.variants, tables)


def read_method_suite(layout: Path) -> MethodSuite:
    """Reads the experiment in a TOML file of its study. Raises InputError for a file that describes none."""
    from pydantic import TypeAdapter

    data = read_toml(layout, "an experiment")
    with reading(layout, "an experiment"):
        published = {key: _published(method, data) for key, method in data.get("published", {}).items()}
        shared = {name: data[name] for name in ("blocks", "total", "causes") if name in data}
        tables = {}
        for name, table in data["tables"].items():
            columns = {column: data["columns"][column] for column in table.get("columns", data["columns"])}
            lines = [{**row, "published": published.get(row.get("published", ""))} for row in table["rows"]]
            tables[name] = {**table, **shared, "name": name, "columns": columns, "lines": lines}
        return TypeAdapter(MethodSuite).validate_python({**data, "tables": tables})


def _published(method: Mapping[str, Any], data: Mapping[str, Any]) -> Published:
    rates = {
        (block, column): Mean(*number)
        for block in data["blocks"]
        for column, number in zip(data["columns"], method[block], strict=True)
    }
    return Published(method["name"], rates, Mean(*method["seconds"]) if "seconds" in method else None)


def wanted_variants(
    suite: MethodSuite, variants: Collection[str], tables: Collection[str], usual: Collection[str]
) -> dict[str, list[str]]:
    """Returns variant → the tables that it is run for.

    ``variants``: names for ``variants_named``; without any, those of ``tables``, or else of the ``usual`` tables. A
    method that is no variant of the suite is run for ``tables``, or else for the first of the ``usual`` ones. Raises
    UsageError for unknown names.
    """
    check_known("table", tables, suite.tables)
    chosen = variants_named(suite.variants, variants)
    own = {name: list(tables or usual)[: len(tables) or 1] for name in chosen if name not in suite.variants}
    found: dict[str, list[str]] = {name: own.get(name, []) for name in chosen}
    for table in suite.tables.values():
        needed = list(dict.fromkeys(line.variant for line in table.lines))
        if not chosen and table.name in (tables or usual):
            found |= {variant: found.get(variant, []) for variant in needed}
    for table in suite.tables.values():
        shown = [variant for variant in dict.fromkeys(line.variant for line in table.lines) if variant in found]
        # a table with one row compares nothing, unless only one variant is run
        if table.name in tables or len(shown) >= min(2, len(found) - len(own)):
            for variant in shown:
                found[variant].append(table.name)
    return found
