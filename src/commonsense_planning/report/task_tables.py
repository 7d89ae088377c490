"""Tables whose rows are tasks and whose columns are variants: our rate beside the published one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from commonsense_planning.report.costs import CAPTION, COSTS, costs
from commonsense_planning.report.document import NOTHING, Commands, Grid, Section
from commonsense_planning.report.layout import Layout, Suite
from commonsense_planning.report.statistics import mean, rate
from commonsense_planning.runner.rows import Row, solved


def task_sections(suite: Suite, setup: str, rows: Sequence[Row]) -> Iterator[Section]:
    """The tables that at least one of the rows, all of one setup, was run for."""
    for layout in suite.tables.values():
        if any(layout.name in row["tables"] for row in rows):
            yield _section(layout, setup, rows)


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
    spent = []
    for variant, head in heads.items():
        used = [row for line in layout.lines for row in cells[line.task, variant]]
        if used:
            spent.append((f"{head} ({variant})", str(len(used)), _executability(used), *costs(used)))
    commands = dict.fromkeys(row["command"] for cell in layout.cells for row in cells[cell])
    return Section(
        layout.heading,
        (
            f"Setup: {setup}. {_legend(layout)}",
            Grid((layout.head, *(column.head for column in layout.columns)), tuple(lines)),
            CAPTION,
            Grid(("variant", "episodes", "executability", *(head for head, _ in COSTS)), tuple(spent)),
            Commands(tuple(("", command) for command in sorted(commands))),
        ),
    )


def _legend(layout: Layout) -> str:
    """How a cell is read."""
    legend = "Success rate, in brackets its 95 % Wilson interval"
    published = f", behind the stroke the published rate ({layout.source})" if layout.source else ""
    return f"{legend}{published}."


def _rates(cells: Sequence[Sequence[Row]], published: Sequence[float]) -> Iterator[str]:
    for number, cell in enumerate(cells):
        ours = NOTHING
        if cell:
            found = rate(sum(map(solved, cell)), len(cell))
            ours = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
        yield f"{ours} / {published[number]:.2f}" if published else ours


def _executability(rows: Sequence[Row]) -> str:
    shares = [row["executability"] for row in rows if row["executability"] is not None]
    return f"{100 * mean(shares).value:.0f} %" if shares else NOTHING
