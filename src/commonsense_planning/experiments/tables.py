"""Results as tables in the layout of the publication, our rate beside the published one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from commonsense_planning.experiments.layout import Layout, read_suite
from commonsense_planning.experiments.rows import Row
from commonsense_planning.experiments.statistics import mean, rate

NOTHING = "–"
SOLVED = "solved"

COSTS = (
    ("steps", "steps"),
    ("questions", "questions"),
    ("calls", "calls"),
    ("tokens", "tokens"),
    ("US $", "usd"),
    ("seconds", "seconds"),
)
"""Heading → field of a row whose mean per episode is shown."""


@dataclass(frozen=True)
class Grid:
    """Cells of text under headings."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """One table under one setup (model, scene and settings): the rates, what an episode costs by column, and the
    commands that give it."""

    layout: Layout
    setup: str
    rates: Grid
    costs: Grid
    commands: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its heading."""
        name = f"Table {self.layout.name}" if self.layout.name.isdigit() else self.layout.name.capitalize()
        return f"{name}. {self.layout.title}"

    @property
    def legend(self) -> str:
        """How a cell is read."""
        legend = "Success rate, in brackets its 95 % Wilson interval"
        published = f", behind the stroke the published rate ({self.layout.source})" if self.layout.source else ""
        return f"{legend}{published}."


@dataclass(frozen=True)
class Report:
    """``errors`` are (key, error) of episodes that failed unexpectedly; no rate counts them."""

    errors: tuple[tuple[str, str], ...]
    models: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def build(rows: Sequence[Row]) -> Report:
    """The tables that ``rows`` have at least one cell of. Raises InputError for rows of an unknown experiment."""
    errors = tuple((row["key"], row["error"]) for row in rows if row.get("error"))
    good = [row for row in rows if not row.get("error")]
    models = dict.fromkeys((row["model"], row["model_note"]) for row in good if row.get("model_note"))
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in good:
        groups[row["suite"], row["setup"]].append(row)
    sections = [
        _section(layout, setup, group)
        for (suite, setup), group in groups.items()
        for layout in read_suite(suite).tables.values()
        if any(layout.name in row["tables"] for row in group)
    ]
    return Report(errors, tuple(models), tuple(sections))


def _section(layout: Layout, setup: str, rows: Sequence[Row]) -> Section:
    cells: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        cells[row["task"], row["variant"]].append(row)
    lines = []
    for line in layout.lines:
        found = [cells[line.task_of(column), column.variant] for column in layout.columns]
        lines.append((line.label, *_rates(found, line.published)))
    for average in layout.averages:
        tasks = [line.original if average.original else line.task for line in layout.lines]
        columns = [[cells[task, column.variant] for task in tasks] for column in layout.columns]
        # a mean over some of the tasks cannot be compared with one over all
        pooled = [[row for cell in column for row in cell] if all(column) else [] for column in columns]
        lines.append((average.label, *_rates(pooled, average.published)))
    heads: dict[str, str] = {}
    for column in layout.columns:
        heads.setdefault(column.variant, column.head.partition(",")[0])
    costs = []
    for variant, head in heads.items():
        used = [row for line in layout.lines for row in cells[line.task, variant]]
        if used:
            costs.append((f"{head} ({variant})", str(len(used)), _executability(used), *_costs(used)))
    commands = dict.fromkeys(row["command"] for cell in layout.cells for row in cells[cell])
    return Section(
        layout,
        setup,
        Grid((layout.head, *(column.head for column in layout.columns)), tuple(lines)),
        Grid(("variant", "episodes", "executability", *(head for head, _ in COSTS)), tuple(costs)),
        tuple(sorted(commands)),
    )


def _rates(cells: Sequence[Sequence[Row]], published: Sequence[float]) -> Iterator[str]:
    for number, cell in enumerate(cells):
        ours = NOTHING
        if cell:
            found = rate(sum(row["status"] == SOLVED for row in cell), len(cell))
            ours = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
        yield f"{ours} / {published[number]:.2f}" if published else ours


def _executability(rows: Sequence[Row]) -> str:
    shares = [row["executability"] for row in rows if row["executability"] is not None]
    return f"{100 * mean(shares).value:.0f} %" if shares else NOTHING


def _costs(rows: Sequence[Row]) -> Iterator[str]:
    """Means per episode with their standard errors."""
    for _, field in COSTS:
        values = [row[field] for row in rows if row[field] is not None]
        if not values:
            yield NOTHING
            continue
        found = mean(values)
        digits = 4 if field == "usd" else 1
        yield f"{found.value:.{digits}f}" + ("" if found.error is None else f" ± {found.error:.{digits}f}")


def markdown(report: Report) -> str:
    """The report as a Markdown page: errors first, and under each table the commands that give it."""
    parts = ["# Results", *(f"Model `{name}`: {note}." for name, note in report.models)]
    if report.errors:
        parts.append(f"## Unexplained errors: {len(report.errors)} episodes, counted in no table")
        parts.append("\n".join(f"- `{key}`: {error}" for key, error in report.errors))
    for section in report.sections:
        parts += [f"## {section.title}", f"Setup: {section.setup}. {section.legend}", _table(section.rates)]
        parts += ["Means per episode, with their standard errors:", _table(section.costs)]
        parts.append("\n".join(["```sh", *section.commands, "```"]))
    return "\n\n".join(parts) + "\n"


def _table(grid: Grid) -> str:
    lines = [grid.head, tuple("---" for _ in grid.head), *grid.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
