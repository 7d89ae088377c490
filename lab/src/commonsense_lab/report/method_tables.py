"""Tables whose rows are methods and whose columns are settings, as in the paper, with its numbers next to cplan's; then
success against budget, and failures by cause as in the failure analysis of the LLM-MCTS paper (section 3.2)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TypeVar

from commonsense_lab.report.document import NOTHING, Chart, Commands, Grid, Part, Section
from commonsense_lab.report.line_tables import CAPTION, COSTS, average, grid, points
from commonsense_lab.report.method_charts import draw_bars, draw_curves, draw_stacks
from commonsense_lab.report.method_layout import (
    TOTAL,
    Cell,
    Measure,
    MethodLine,
    MethodSuite,
    MethodTable,
    Published,
    Share,
)
from commonsense_lab.runner.rows import DecisionRow, PlanRow
from commonsense_lab.runner.variants import own_tables
from commonsense_planning.support.english import counted
from commonsense_planning.support.statistics import Mean, difference, mean, paired, rate, with_error

WIDE = 100  # the ratio of the largest to the smallest cost from which on the axis of a budget is logarithmic
STEPS = 6  # budgets in a table, at most

Budget = Callable[[PlanRow], float]
"""What an episode spent of a budget."""

Line = tuple[str, int, Sequence[PlanRow]]
"""A method's label, the number of its colour, and its episodes."""


def success_curve(rows: Sequence[PlanRow], budget: Budget, end: float) -> tuple[list[float], list[float]]:
    """Returns budgets in growing order from 0 to ``end``, no less than any cost, and for each the share in % of the
    rows, at least one, that is solved within it."""
    x = sorted({0.0, end, *(float(budget(row)) for row in rows if row.solved)})
    return x, [share_within(rows, budget, cost) for cost in x]


def share_within(rows: Sequence[PlanRow], budget: Budget, limit: float) -> float:
    """Returns the share in % of at least one episode that is solved within ``limit`` of ``budget``."""
    return 100 * sum(row.solved and budget(row) <= limit for row in rows) / len(rows)


def round_budgets(costs: Sequence[float]) -> tuple[float, ...]:
    """Returns at most ``STEPS`` numbers such as 1, 2, 5, 10, 20 … in growing order that span the positive ``costs``;
    the last is no less than any of them."""
    positive = [cost for cost in costs if cost > 0]
    if not positive:
        return ()
    first, last = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    series = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]
    low = max(i for i, value in enumerate(series) if value <= min(positive))
    high = min(i for i, value in enumerate(series) if value >= max(positive))
    wanted = series[low : high + 1]
    every = math.ceil(len(wanted) / STEPS)
    return tuple(wanted[::-1][::every][::-1])


def shared_episodes(lines: Sequence[Line], key: Callable[[PlanRow], object]) -> list[Line]:
    """Returns the lines with only the episodes, told apart by ``key``, that all lines have."""
    common = set.intersection(*({key(row) for row in rows} for _, _, rows in lines))
    return [(label, colour, [row for row in rows if key(row) in common]) for label, colour, rows in lines]


def curve_section(title: str, chart: str, lines: Sequence[Line], key: Callable[[PlanRow], object]) -> Section | None:
    """Returns success against seconds and against calls, or questions without any calls, as a chart and as tables. Each
    line has at least one episode; None if they share none. ``chart``: the name of the chart."""
    shared = shared_episodes(lines, key)
    if not shared or not shared[0][2]:
        return None
    pooled = [row for _, _, rows in shared for row in rows]
    episodes = counted(len(shared[0][2]), "episode")
    legend = f"The share in % of the {episodes} of all these methods that is solved within each budget."
    grids, drawn = [], []
    for unit in ("seconds", "calls" if any(row.calls for row in pooled) else "questions"):
        budget: Budget = attrgetter(unit)
        costs = [float(budget(row)) for row in pooled]
        curves = [(label, colour, *success_curve(rows, budget, max(costs))) for label, colour, rows in shared]
        positive = [cost for cost in costs if cost > 0]
        is_wide = bool(positive) and max(positive) >= WIDE * min(positive)
        drawn.append((f"{unit} per episode", is_wide, curves))
        limits = round_budgets(costs)
        head = ("method", *(f"{limit:,.0f} {unit}" if limit >= 1 else f"{limit:g} {unit}" for limit in limits))
        lines_of = ((label, *(f"{share_within(its, budget, x):.1f}" for x in limits)) for label, _, its in shared)
        grids.append(Grid(head, tuple(lines_of)))
    caption = "Solved episodes in %, against what each may spend"
    return Section(title, (legend, Chart(chart, caption, partial(draw_curves, drawn)), *grids), 3)


R = TypeVar("R", bound=DecisionRow)

FINE_COSTS = (*COSTS[:-1], average("seconds", lambda row: row.seconds, partial(with_error, digits=2)))
"""What methods that decide step by step cost; a new column is a line here."""

Cells = Mapping[Cell, Sequence[DecisionRow]]


def method_sections(
    suite: MethodSuite, setup: str, rows: Sequence[R], name: str, place: Callable[[R], tuple[str, str]]
) -> Iterator[Section]:
    """Yields the tables for which at least one of the rows, all of one setup, was run; those of seconds also with the
    episodes of other tables. ``name`` starts the names of the charts; ``place`` gives a row's block and column."""
    suite = suite.with_own(own_tables(suite.variants, rows)).spoken_by(rows[0].model)
    cells: defaultdict[Cell, list[DecisionRow]] = defaultdict(list)
    for row in rows:
        block, column = place(row)
        cells[block, column, row.variant].append(row)
        cells[block, TOTAL, row.variant].append(row)
    explained = False
    for layout in suite.tables.values():
        if layout.measure is Measure.SECONDS:
            if any(cells[cell] for cell in layout.cells):
                yield _seconds(*_apart(layout, cells), setup, cells)
        elif any(layout.name in row.tables for cell in layout.cells for row in cells[cell]):
            yield from _success(*_apart(layout, cells), setup, cells, f"{name}-table-{layout.name}")
            explained = True
    if explained:
        meanings = (f"{cause}: {meaning}." for cause, meaning in layout.causes.items())
        yield Section("Causes of failures", ("A failure has one cause.", *meanings), 3)


def _apart(layout: MethodTable, cells: Cells) -> tuple[MethodTable, list[Published]]:
    """Returns the table with published numbers only next to rows of the papers' prompts, or of none; and the published
    methods without such a row."""
    lines, alone = [], []
    for line in layout.lines:
        rows = _episodes(layout, line.variant, cells)
        comparable = all(row.comparable for row in rows)
        label = line.label if comparable or not layout.source else f"{line.label}, our prompts"
        beside = line.published if rows and comparable else None
        if line.published is not None and beside is None:
            alone.append(line.published)
        lines.append(replace(line, label=label, published=beside))
    return replace(layout, lines=tuple(lines)), alone


def _success(layout: MethodTable, alone: Sequence[Published], setup: str, cells: Cells, name: str) -> Iterator[Section]:
    run = [line for line in layout.lines if _episodes(layout, line.variant, cells)]
    parts: list[Part] = [f"Setup: {setup}. {_legend(layout, cells)}", *([layout.note] if layout.note else [])]
    for block, title in layout.blocks.items():
        lines = [
            (line.label, *(_rate(line, cells[block, column, line.variant], block, column) for column in layout.shown))
            for line in layout.lines
        ]
        if layout.share is not None:
            reached = (_reached(layout.share, block, column, cells) for column in layout.shown)
            lines.append((layout.share.label, *reached))
        lines += [
            (_published(line), *(_beside(line, block, column) or NOTHING for column in layout.shown)) for line in alone
        ]
        told = (line for line in lines if {*line[1:]} != {NOTHING})
        parts += [f"{title}:", Grid(("method", *layout.shown.values()), tuple(told))]
    title = "Success rate in %, with 95 % Wilson intervals"
    if any(line.published for line in run):
        title += "; diamonds are the published means"
    parts += [Chart(f"{name}-success", title, partial(draw_bars, layout, run, cells)), _commands(layout, cells)]
    yield Section(layout.heading, tuple(parts))
    differences = _differences(layout, run, cells)
    if differences is not None:
        yield differences
    spent = [(line.label, line.colour, _episodes(layout, line.variant, cells)) for line in run]
    costs = grid(("method", "episodes"), [((label, str(len(used))), used) for label, _, used in spent], FINE_COSTS)
    yield Section(f"{layout.short}: costs", (CAPTION, costs), 3)
    curves = curve_section(f"{layout.short}: success against budget", f"{name}-budget", spent, _task)
    if curves is not None:
        yield curves
    yield failure_section(layout, f"{layout.short}: failures by cause", f"{name}-failures", run, cells)


def _task(row: PlanRow) -> object:
    """Returns what is the same for all methods."""
    return row.task, row.seed


def _episodes(layout: MethodTable, variant: str, cells: Cells) -> list[DecisionRow]:
    return [row for cell in layout.cells if cell[2] == variant for row in cells[cell]]


def _legend(layout: MethodTable, cells: Cells) -> str:
    """Explains a cell."""
    seeds = {len({row.seed for row in cells[cell]}) for cell in layout.cells if cells[cell]}
    if seeds == {1}:
        error = "its binomial standard error over the episodes of the one seed"
    elif len(seeds) == 1:
        error = f"its standard error over {seeds.pop()} seeds"
    else:
        error = "its standard error over the seeds, or with one seed the binomial one over its episodes"
    numbers = sorted({len(cells[cell]) for cell in layout.cells if cells[cell]})
    tasks = counted(numbers[0], "task") if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} tasks"
    legend = f"{tasks} a cell. Success rate in % ± {error}; in brackets the 95 % Wilson interval over all episodes"
    published = ""
    if layout.source:
        published = (
            f". After the slash, or in a separate row, the published mean ± standard error ({layout.source}): next to "
            "a row only if it asked no model, or asked with the paper's prompts (--prompts paper)"
        )
    share = ""
    if layout.share is not None:
        share = f" {layout.share.label}: successes of the first by those of the second, on tasks that both have run."
    return f"{legend}{published}. {NOTHING}: not run.{share}"


def _rate(line: MethodLine, rows: Sequence[DecisionRow], block: str, column: str) -> str:
    lines = [NOTHING]
    if rows:
        seeds: defaultdict[int, list[bool]] = defaultdict(list)
        for row in rows:
            seeds[row.seed].append(row.solved)
        over_seeds = rate_over_seeds(seeds.values())
        found = rate(sum(row.solved for row in rows), len(rows))
        lines = [
            f"{100 * over_seeds.value:.1f} ± {100 * (over_seeds.error or 0):.1f}",
            f"[{100 * found.low:.1f}, {100 * found.high:.1f}]",
        ]
    beside = _beside(line.published, block, column)
    return "\n".join([*lines, f"/ {beside}"] if beside else lines)


def rate_over_seeds(seeds: Collection[Sequence[bool]]) -> Mean:
    """The mean of the seeds' success rates, with its standard error over seeds; for a single seed, with the binomial
    standard error over its trials. ``seeds``: at least one, each with the successes of its trials, at least one."""
    shares = [sum(trials) / len(trials) for trials in seeds]
    if len(shares) > 1:
        return mean(shares)
    ((share, trials),) = zip(shares, seeds, strict=True)
    return Mean(share, math.sqrt(share * (1 - share) / len(trials)))


def _published(method: Published) -> str:
    return f"{method.name}, published"


def _beside(method: Published | None, block: str, column: str) -> str:
    """Returns what was published of a cell; empty for nothing."""
    found = method and method.rates.get((block, column))
    return with_error(found, 1) if found else ""


def _reached(share: Share, block: str, column: str, cells: Cells) -> str:
    """Returns which share of the one variant's successes the other reaches, on the tasks that both have run."""
    reached, possible = (
        {_task(row): row.solved for row in cells[block, column, variant]} for variant in (share.variant, share.of)
    )
    both = reached.keys() & possible.keys()
    of = sum(possible[task] for task in both)
    return f"{100 * sum(reached[task] for task in both) / of:.1f} %" if of else NOTHING


def _differences(layout: MethodTable, run: Sequence[MethodLine], cells: Cells) -> Section | None:
    """Returns how the methods differ from the table's base, or from the first that was run, on the tasks that both have
    run."""
    if len(run) < 2:
        return None
    base = next((line for line in run if line.variant == layout.against), run[0])
    expected = {_task(row): row for row in _episodes(layout, base.variant, cells)}
    lines = []
    for line in run:
        rows = {_task(row): row for row in _episodes(layout, line.variant, cells)}
        pairs = [(row, expected[task]) for task, row in rows.items() if task in expected]
        if line is base or not pairs:
            continue
        found = paired([(row.solved, other.solved) for row, other in pairs])
        both = [(row.steps, other.steps) for row, other in pairs if row.solved and other.solved]
        more = [one - two for one, two in both if one is not None and two is not None]
        steps = f"{difference(more):+.1f}" if len(more) > 1 else NOTHING
        numbers = (found.trials, found.first, found.second)
        lines.append((line.label, *map(str, numbers), points(found), str(len(more)), steps))
    legend = (
        f"On the tasks that both have run: how many only the one or only {base.label} solved, and the difference of "
        "the rates in points with its 95 % interval for pairs (Agresti and Min); and where both solved the task, how "
        f"many steps more the one took than {base.label}, with its 95 % interval (Student)."
    )
    theirs = f"only {base.label} solved"
    head = ("method", "tasks", "only it solved", theirs, "difference, points", "both solved", "its steps more")
    return Section(f"{layout.short}: against {base.label}, task by task", (legend, Grid(head, tuple(lines))), 3)


def _seconds(layout: MethodTable, alone: Sequence[Published], setup: str, cells: Cells) -> Section:
    lines = []
    for line in layout.lines:
        rows = [row for row in _episodes(layout, line.variant, cells) if row.decisions]
        per_decision = [row.decision_seconds / row.decisions for row in rows]
        ours = with_error(mean(per_decision), 3) if per_decision else NOTHING
        called = any(row.calls for row in rows)
        published = line.published.seconds if line.published is not None and called else None
        theirs = with_error(published, 2) if published is not None else NOTHING
        if rows or published is not None:
            lines.append((line.label, str(len(rows)), ours, theirs))
    lines += [(_published(one), NOTHING, NOTHING, with_error(one.seconds, 2)) for one in alone if one.seconds]
    legend = (
        f"Setup: {setup}. Seconds per decision of an episode, in all tasks: mean ± standard error over episodes. The "
        f"published mean ({layout.source}) is mostly waiting for a model: it is next to a row only if that called a "
        "model with the paper's prompts (--prompts paper), else in a separate row. "
        f"{NOTHING}: not run, not published, or no model called."
    )
    grid = Grid(("method", "episodes", "seconds per decision", "published"), tuple(lines))
    notes = [layout.note] if layout.note else []
    return Section(layout.heading, (legend, *notes, grid, _commands(layout, cells)))


def _commands(layout: MethodTable, cells: Cells) -> Commands:
    """Returns the commands of each row; rows of the same commands are together."""
    labels: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for line in layout.lines:
        commands = tuple(dict.fromkeys(row.command for row in _episodes(layout, line.variant, cells)))
        labels[commands].append(line.label)
    return Commands(tuple(("; ".join(labels[commands]), command) for commands in labels for command in commands))


def count_causes(rows: Sequence[DecisionRow], causes: Collection[str]) -> dict[str, int]:
    """Returns cause → number of failed episodes: the ``causes`` in their order, then any other by name."""
    found = Counter(row.cause for row in rows if not row.solved)
    others = sorted(found.keys() - set(causes))
    return {cause: found[cause] for cause in (*causes, *others)}


def failure_section(layout: MethodTable, title: str, chart: str, lines: Sequence[MethodLine], cells: Cells) -> Section:
    """Returns how many episodes failed in each cell, by cause. ``chart``: the name of the chart."""
    head = ("method", *layout.columns.values())
    grids: list[Part] = []
    for block, name in layout.blocks.items():
        rows = (
            (line.label, *(_cell(cells[block, column, line.variant], layout) for column in layout.columns))
            for line in lines
        )
        grids += [f"{name}:", Grid(head, tuple(rows))]
    shown = {line.variant for line in lines}
    pooled = [row for cell in layout.cells if cell[2] in shown for row in cells[cell]]
    causes = tuple(count_causes(pooled, layout.causes))
    drawing = partial(draw_stacks, layout, lines, causes, lambda cell, cause: _share(cells[cell], cause))
    stacks = Chart(chart, "Failed episodes in %, by cause", drawing)
    legend = "Failed episodes of all episodes, and their causes, which are explained below."
    return Section(title, (legend, stacks, *grids), 3)


def _cell(rows: Sequence[DecisionRow], layout: MethodTable) -> str:
    if not rows:
        return NOTHING
    causes = {cause: number for cause, number in count_causes(rows, layout.causes).items() if number}
    return "\n".join([f"{sum(causes.values())} of {len(rows)}", *(f"{c} {n}" for c, n in causes.items())])


def _share(rows: Sequence[DecisionRow], cause: str) -> float:
    return 100 * count_causes(rows, (cause,))[cause] / len(rows) if rows else 0.0
