"""Tables whose rows are variants of methods and whose columns are settings of tasks, with a block for each home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from commonsense_planning.experiments.layout import heading, read_toml
from commonsense_planning.experiments.statistics import Mean

Cell = tuple[str, str, str]
"""Home, setting, variant."""


class Measure(StrEnum):
    """What stands in a cell."""

    SUCCESS = "success"
    SECONDS = "seconds"  # per decision, of both homes together


@dataclass(frozen=True)
class Published:
    """A method as it was published: its name, (home, setting) → success rate in %, seconds per decision."""

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
    """A table; ``source`` says where it was published, and is empty for one of our own. ``homes`` and ``settings``:
    name → heading."""

    name: str
    title: str
    source: str
    measure: Measure
    homes: Mapping[str, str]
    settings: Mapping[str, str]
    lines: tuple[MethodLine, ...]
    share: Share | None

    @property
    def heading(self) -> str:
        """The table's name and title."""
        return heading(self.name, self.title)

    @property
    def cells(self) -> Iterator[Cell]:
        """All (home, setting, variant) that the table needs."""
        for line in self.lines:
            for home in self.homes:
                yield from ((home, setting, line.variant) for setting in self.settings)


@dataclass(frozen=True)
class MethodSuite:
    """An experiment: variant → settings of a method, and its tables by name. ``homes`` and ``settings``: name →
    heading."""

    name: str
    variants: Mapping[str, Mapping[str, Any]]
    homes: Mapping[str, str]
    settings: Mapping[str, str]
    tables: Mapping[str, MethodTable]


def read_method_suite(name: str) -> MethodSuite:
    """The experiment of that name. Raises InputError if there is none."""
    data = read_toml(name)
    homes, settings = data["homes"], data["settings"]
    published = {key: _published(method, homes, settings) for key, method in data["published"].items()}
    tables = {key: _table(key, table, homes, settings, published) for key, table in data["tables"].items()}
    return MethodSuite(name, data["variants"], homes, settings, tables)


def _published(method: Mapping[str, Any], homes: Mapping[str, str], settings: Mapping[str, str]) -> Published:
    rates = {
        (home, setting): _mean(number)
        for home in homes
        for setting, number in zip(settings, method[home], strict=True)
    }
    return Published(method["name"], rates, _mean(method["seconds"]) if "seconds" in method else None)


def _mean(number: Sequence[float]) -> Mean:
    value, error = number
    return Mean(value, error)


def _table(
    name: str,
    table: Mapping[str, Any],
    homes: Mapping[str, str],
    settings: Mapping[str, str],
    published: Mapping[str, Published],
) -> MethodTable:
    lines = tuple(
        MethodLine(row["variant"], row["label"], row.get("colour", 0), published.get(row.get("published", "")))
        for row in table["rows"]
    )
    return MethodTable(
        name,
        table["title"],
        table["source"],
        Measure(table["measure"]),
        homes,
        {setting: settings[setting] for setting in table.get("settings", settings)},
        lines,
        Share(**table["share"]) if "share" in table else None,
    )
