"""Tables whose rows are tasks and whose columns are variants of methods: cplan's rate next to the published one.

A TOML file in the folder of its study describes each experiment, with the published numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from commonsense_lab.report.document import NOTHING, Commands, Grid, Section
from commonsense_lab.report.line_tables import CAPTION, TableColumn, grid
from commonsense_lab.runner.rows import PlanRow
from commonsense_lab.runner.variants import own_tables
from commonsense_planning.support.reading import read_toml, reading
from commonsense_planning.support.statistics import rate

R = TypeVar("R", bound=PlanRow)


@dataclass(frozen=True)
class Column:
    """``original``: its cells are about the original of a row's task, which is modified."""

    head: str
    variant: str
    original: bool = False


@dataclass(frozen=True)
class TaskLine:
    """One task of a table; ``published`` has a number for each column, or none."""

    task: str
    label: str
    original: str = ""
    published: tuple[float, ...] = ()

    def task_of(self, column: Column) -> str:
        """Returns the task of the cell in this column."""
        return self.original if column.original else self.task


@dataclass(frozen=True)
class Average:
    """The average of a column over all tasks of the table, or over their ``original`` tasks."""

    label: str
    original: bool = False
    published: tuple[float, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A table as it was published in ``source``, empty for a table of cplan's. ``lots``: head of a column → the rate of
    random choices among the lines of cplan's prompts, with the ``label`` of that row. ``in_their_words``: cplan has the
    publication's prompts."""

    name: str
    title: str
    source: str
    head: str
    columns: tuple[Column, ...]
    lines: tuple[TaskLine, ...]
    averages: tuple[Average, ...] = ()
    lots: Mapping[str, str] = field(default_factory=dict)
    in_their_words: bool = True

    @property
    def heading(self) -> str:
        """The table's name and title."""
        return heading(self.name, self.title)

    @property
    def cells(self) -> Iterator[tuple[str, str]]:
        """Yields all (task, variant) that the table needs."""
        for line in self.lines:
            yield from ((line.task_of(column), column.variant) for column in self.columns)
            if any(average.original for average in self.averages):
                yield from ((line.original, column.variant) for column in self.columns)


def heading(name: str, title: str) -> str:
    """Returns ``Table 1. Main results``, ``Table 2-ours. Ablation study``, ``Ours. What our additions give``."""
    return f"{f'Table {name}' if name[0].isdigit() else name.capitalize()}. {title}"


@dataclass(frozen=True)
class Suite:
    """An experiment: variant → settings of a method, and its tables by name."""

    variants: Mapping[str, Mapping[str, Any]]
    tables: Mapping[str, Layout]

    def with_own(self, own: Mapping[str, Collection[str]]) -> Suite:
        """Returns it with a column in its tables for each further variant (``own_tables``)."""
        tables = {}
        for name, table in self.tables.items():
            more = tuple(Column(variant, variant) for variant, its in own.items() if name in its)
            tables[name] = replace(table, columns=table.columns + more)
        return Suite(self.variants, tables)


def read_suite(layout: Path) -> Suite:
    """Reads the experiment in a TOML file of its study. Raises InputError for a file that describes none."""
    from pydantic import TypeAdapter

    data = read_toml(layout, "an experiment")
    with reading(layout, "an experiment"):
        tables = {name: {**table, "name": name, "lines": table["rows"]} for name, table in data["tables"].items()}
        return TypeAdapter(Suite).validate_python({**data, "tables": tables})


def task_sections(suite: Suite, setup: str, rows: Sequence[R], costs: Sequence[TableColumn]) -> Iterator[Section]:
    """Yields the tables for which at least one of the rows, all of one setup, was run, with the variants' costs."""
    for layout in suite.with_own(own_tables(suite.variants, rows)).tables.values():
        if any(layout.name in row.tables for row in rows):
            yield _section(layout, setup, rows, costs)


def _section(layout: Layout, setup: str, rows: Sequence[R], costs: Sequence[TableColumn]) -> Section:
    cells: defaultdict[tuple[str, str], list[R]] = defaultdict(list)
    for row in rows:
        cells[row.task, row.variant].append(row)
    comparable = layout.in_their_words and all(row.comparable for row in rows)
    lines: list[tuple[str, ...]] = []
    for line in layout.lines:
        found = [cells[line.task_of(column), column.variant] for column in layout.columns]
        lines += _rates(line.label, found, line.published, comparable)
    for average in layout.averages:
        tasks = [line.original if average.original else line.task for line in layout.lines]
        columns = [[cells[task, column.variant] for task in tasks] for column in layout.columns]
        # a mean over some of the tasks cannot be compared with one over all
        pooled = [[row for cell in column for row in cell] if all(column) else [] for column in columns]
        lines += _rates(average.label, pooled, average.published, comparable)
    if not comparable and layout.lots:
        lines.append((layout.lots["label"], *(layout.lots.get(column.head, NOTHING) for column in layout.columns)))
    heads: dict[str, str] = {}
    for column in layout.columns:
        heads.setdefault(column.variant, column.head.partition(",")[0])
    spent = []
    for variant, head in heads.items():
        used = [row for line in layout.lines for row in cells[line.task, variant]]
        if used:
            label = head if head == variant else f"{head} ({variant})"
            spent.append(((label, str(len(used))), used))
    commands = dict.fromkeys(row.command for cell in layout.cells for row in cells[cell])
    return Section(
        layout.heading,
        (
            f"Setup: {setup}. {_legend(layout, comparable)}",
            Grid((layout.head, *(column.head for column in layout.columns)), tuple(lines)),
            CAPTION,
            grid(("variant", "episodes"), spent, costs),
            Commands(tuple(("", command) for command in sorted(commands))),
        ),
    )


def _legend(layout: Layout, comparable: bool) -> str:
    """Explains a cell."""
    legend = "Success rate, in brackets its 95 % Wilson interval"
    if not layout.source:
        return f"{legend}."
    if comparable:
        return f"{legend}; after the slash, the published rate ({layout.source})."
    way_out = "; with --prompts paper they are next to cplan's" if layout.in_their_words else ""
    return f"{legend}. The published rates ({layout.source}) are of other prompts, in separate rows{way_out}."


def _rates(
    label: str, cells: Sequence[Sequence[PlanRow]], published: Sequence[float], comparable: bool
) -> Iterator[tuple[str, ...]]:
    """Yields a row with the published rates after cplan's, or two rows."""
    ours = [_rate(cell) for cell in cells]
    run = any(cells)
    own = len(ours) - len(published)  # columns that were never published
    if not published and run:
        yield label, *ours
    elif not published:
        return
    elif comparable:
        beside = [*(f" / {theirs:.2f}" for theirs in published), *[""] * own]
        yield label, *(rate + theirs for rate, theirs in zip(ours, beside, strict=True))
    else:
        if run:
            yield f"{label}, our prompts", *ours
        yield f"{label}, published", *(f"{theirs:.2f}" for theirs in published), *[NOTHING] * own


def _rate(cell: Sequence[PlanRow]) -> str:
    if not cell:
        return NOTHING
    return f"{rate(sum(row.solved for row in cell), len(cell)):.2f}"
