"""The rows and tables of the experiment: problems solved, seconds and expansions, cost of writing, published
numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import median
from typing import Literal

from commonsense_lab.report.document import NOTHING, Grid, Section
from commonsense_lab.report.line_tables import TableColumn, commands_of, grid, lines_of
from commonsense_lab.runner.rows import Asked, EpisodeOutcome, Labels
from commonsense_lab.studies.heuristics.solvers import LLM, SOLVERS, WRITTEN
from commonsense_planning.support.row_file import Line
from commonsense_planning.support.statistics import paired, rate


@dataclass(frozen=True, kw_only=True)
class WritingOutcome(Asked):
    """The best ``program``, empty if none can be used: its ``name``, and how many training problems gbfs ``solved``
    with it and hill climbing alone ``climbed``. ``candidates`` were written, of which the guard ``refused`` some;
    ``repairs`` were tried."""

    program: str
    name: str
    solved: int
    climbed: int
    candidates: int
    refused: int
    repairs: int
    model_note: str


@dataclass(frozen=True, kw_only=True)
class WritingRow(Labels, WritingOutcome):
    """A ``model`` writes a heuristic for a ``domain`` (a folder), tried on the problems of ``training``."""

    domain: str
    part: Literal["writing"] = "writing"
    model: str
    training: list[str]


@dataclass(frozen=True, kw_only=True)
class SolvingOutcome(EpisodeOutcome):
    """``status`` as a text of ``Status``, ``reason`` where it is not solved; ``steps`` of the plan, which the replay
    accepts; ``seconds`` of wall-clock time, reading and grounding included; ``expanded`` states and ``evaluated`` ones,
    which are the calls of a written heuristic, None where unknown."""

    status: str
    reason: str
    steps: int | None
    seconds: float
    expanded: int | None
    evaluated: int | None = None

    @property
    def solved(self) -> bool:
        """Whether there is a plan that the replay accepts."""
        return self.status == "solved"


@dataclass(frozen=True, kw_only=True)
class SolvingRow(Labels, SolvingOutcome):
    """A ``solver`` gets a ``problem`` of a ``domain`` and ``level``: easy, medium, hard."""

    domain: str
    part: Literal["solving"] = "solving"
    solver: str
    level: str
    problem: str

    @property
    def place(self) -> tuple[str, str, str]:
        """The problem that several solvers get."""
        return self.domain, self.level, self.problem


def read_row(line: Line) -> WritingRow | SolvingRow:
    """Returns a line of either kind. Raises InputError as ``Line.row`` does."""
    return line.row(WritingRow) if line.data.get("part") == "writing" else line.row(SolvingRow)


BESIDE = "gbfs"  # the solver with which the others are compared
PUBLISHED = (
    "Published by Corrêa, Pereira and Seipp (2025), of 720 test problems, all 90 of eight of these domains (without "
    "ferry and satellite): pyperplan with h_FF 243, Fast Downward with its best heuristic 324, learned heuristics 371, "
    "heuristics that a reasoning model wrote, run in pyperplan, 373. Every problem had 30 minutes and 8 GiB there; "
    "here it is a part of the problems, and the seconds of the setup."
)


def sections(setup: str, rows: Sequence[WritingRow | SolvingRow], name: str) -> Iterator[Section]:
    """Compares all solvers, domain by domain; then says what the model wrote."""
    solving = [row for row in rows if isinstance(row, SolvingRow)]
    writing = [row for row in rows if isinstance(row, WritingRow)]
    order = [*SOLVERS, LLM]
    solvers = sorted({row.solver for row in solving}, key=lambda name: (order.index(name.partition(", ")[0]), name))
    commands = commands_of(sorted(rows, key=lambda row: row.command))
    if solving:
        who = "; ".join(f"{name}: {SOLVERS.get(name, WRITTEN).about}" for name in solvers)
        legend = f"Setup: {setup}. Problems solved; a plan counts if the replay accepts it. {who}. {NOTHING}: not run."
        domains = [*lines_of(solving, lambda row: (row.domain,), lambda row: row.domain), (("all",), solving)]
        columns = [TableColumn(solver, partial(_solved, solver)) for solver in solvers]
        parts = (legend, grid(("domain",), domains, columns, solving), PUBLISHED, commands)
        yield Section("Heuristics that a model writes", parts)
        beside = BESIDE if BESIDE in solvers else solvers[0]
        told = SPEED.format(beside, beside)
        yield Section("Seconds, expansions, calls, steps", (told, _speed(solving, solvers, beside)), 3)
    if len(solvers) > 1 and any(solver.startswith(LLM) for solver in solvers):
        yield Section("On the same problems", (PAIRED, _differences(solving, solvers)), 3)
    if writing:
        ordered = sorted(writing, key=lambda row: (row.model, row.domain))
        written = Grid(tuple(_WRITING), tuple(tuple(cell(row) for cell in _WRITING.values()) for row in ordered))
        yield Section("What the models wrote", (WRITING, written), 3)


SPEED = (
    "Medians over the problems that a solver and {} both solved: the solver's own, and behind the stroke those of {}. "
    "Seconds are those of the machine, starting, reading and grounding included."
)
PAIRED = (
    "Problems that only the one or only the other solved, and the difference of their rates with its 95 % interval "
    "(Agresti and Min 2005)."
)
WRITING = (
    "Once for a domain: how many of the training problems gbfs solves with the best program, and hill climbing alone; "
    "candidates, those refused by the guard, repairs; calls, tokens, US $, minutes."
)


def _solved(solver: str, rows: Sequence[SolvingRow], all_rows: Sequence[SolvingRow]) -> str:
    mine = [row.solved for row in rows if row.solver == solver]
    if not mine:
        return NOTHING
    share = rate(sum(mine), len(mine))
    interval = f"\n{100 * share.low:.0f} to {100 * share.high:.0f} %" if rows is all_rows else ""
    return f"{sum(mine)} of {len(mine)}{interval}"


_SPEED = {"seconds": "{:.2f}", "expanded": "{:,.0f}", "evaluated": "{:,.0f}", "steps": "{:g}"}


def _speed(rows: Sequence[SolvingRow], solvers: Sequence[str], beside: str) -> Grid:
    solved = {solver: {row.place: row for row in rows if row.solver == solver and row.solved} for solver in solvers}
    lines = []
    for solver in solvers:
        shared = solved[solver].keys() & solved[beside].keys()
        cells = (
            " / ".join(_median([getattr(solved[name][key], what) for key in shared], form) for name in (solver, beside))
            for what, form in _SPEED.items()
        )
        lines.append((solver, str(len(shared)), *cells))
    return Grid(("solver", "problems", *_SPEED), tuple(lines))


def _median(numbers: Sequence[float | None], form: str) -> str:
    known = [number for number in numbers if number is not None]
    return form.format(median(known)) if known else NOTHING


def _differences(rows: Sequence[SolvingRow], solvers: Sequence[str]) -> Grid:
    solved = {solver: {row.place: row.solved for row in rows if row.solver == solver} for solver in solvers}
    lines = []
    for first, second in product((solver for solver in solvers if solver.startswith(LLM)), solvers):
        shared = solved[first].keys() & solved[second].keys()
        if shared and first != second:
            found = paired([(solved[first][key], solved[second][key]) for key in shared])
            interval = f"{100 * found.value:+.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
            lines.append((first, second, str(found.trials), str(found.first), str(found.second), interval))
    return Grid(("solver", "against", "problems", "only it", "only the other", "points"), tuple(lines))


_WRITING: Mapping[str, Callable[[WritingRow], str]] = {
    "domain": lambda row: row.domain,
    "model": lambda row: row.model,
    "gbfs": lambda row: f"{row.solved} of {len(row.training)}",
    "climbing": lambda row: f"{row.climbed} of {len(row.training)}",
    "candidates": lambda row: str(row.candidates),
    "refused": lambda row: str(row.refused),
    "repairs": lambda row: str(row.repairs),
    "calls": lambda row: f"{row.calls:,}",
    "tokens": lambda row: f"{row.tokens:,}",
    "US $": lambda row: NOTHING if row.usd is None else f"{row.usd:.2f}",
    "min": lambda row: f"{row.seconds / 60:.1f}",
}
