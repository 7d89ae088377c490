"""The experiment's tables: problems solved, seconds and expansions, what writing cost, published numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from commonsense_lab.report.document import NOTHING, Commands, Grid, Section
from commonsense_lab.studies.heuristics.rows import DomainLabels, SolvingRow, WritingRow
from commonsense_lab.studies.heuristics.solvers import LLM, SOLVERS, WRITTEN
from commonsense_planning.support.statistics import paired, rate

BESIDE = "gbfs"  # whom the others' seconds are beside of
PUBLISHED = (
    "Published by Corrêa, Pereira and Seipp (2025), of 720 test problems, all 90 of eight of these domains (without "
    "ferry and satellite): pyperplan with h_FF 243, Fast Downward with its best heuristic 324, learned heuristics 371, "
    "heuristics that a reasoning model wrote, run in pyperplan, 373. Every problem had 30 minutes and 8 GiB there; "
    "here it is a part of the problems, and the seconds of the setup."
)


def sections(setup: str, rows: Sequence[DomainLabels], name: str) -> Iterator[Section]:
    """All solvers beside each other, domain by domain; then what the model wrote."""
    solving = [row for row in rows if isinstance(row, SolvingRow)]
    writing = [row for row in rows if isinstance(row, WritingRow)]
    solvers = sorted({row.solver for row in solving}, key=_place)
    commands = Commands(tuple(("", command) for command in sorted({row.command for row in rows})))
    if solving:
        who = "; ".join(f"{name}: {SOLVERS.get(name, WRITTEN).about}" for name in solvers)
        legend = f"Setup: {setup}. Problems solved; a plan counts if the replay accepts it. {who}. {NOTHING}: not run."
        parts = (legend, _coverage(solving, solvers), PUBLISHED, commands)
        yield Section("Heuristics that a model writes", parts)
        beside = BESIDE if BESIDE in solvers else solvers[0]
        told = SPEED.format(beside, beside)
        yield Section("Seconds, expansions, calls, steps", (told, _speed(solving, solvers, beside)), 3)
    if len(solvers) > 1 and any(solver.startswith(LLM) for solver in solvers):
        yield Section("On the same problems", (PAIRED, _differences(solving, solvers)), 3)
    if writing:
        yield Section("What the models wrote", (WRITING, _writing(writing)), 3)


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


def _place(solver: str) -> tuple[int, str]:
    order = [*SOLVERS, LLM]
    return order.index(solver.partition(", ")[0]), solver


def _coverage(rows: Sequence[SolvingRow], solvers: Sequence[str]) -> Grid:
    lines = []
    for domain in sorted({row.domain for row in rows}):
        mine = [row for row in rows if row.domain == domain]
        lines.append((domain, *(_solved([row for row in mine if row.solver == solver]) for solver in solvers)))
    lines.append(("all", *(_solved([row for row in rows if row.solver == solver], True) for solver in solvers)))
    return Grid(("domain", *solvers), tuple(lines))


def _solved(rows: Sequence[SolvingRow], sure: bool = False) -> str:
    if not rows:
        return NOTHING
    solved = sum(row.solved for row in rows)
    cell = f"{solved} of {len(rows)}"
    if sure:
        share = rate(solved, len(rows))
        cell += f"\n{100 * share.low:.0f} to {100 * share.high:.0f} %"
    return cell


def _speed(rows: Sequence[SolvingRow], solvers: Sequence[str], beside: str) -> Grid:
    solved = {
        solver: {(row.domain, row.level, row.problem): row for row in rows if row.solver == solver and row.solved}
        for solver in solvers
    }
    lines = []
    for solver in solvers:
        shared = sorted(solved[solver].keys() & solved[beside].keys())
        mine, its = ([solved[name][key] for key in shared] for name in (solver, beside))
        lines.append(
            (
                solver,
                str(len(shared)),
                _medians([row.seconds for row in mine], [row.seconds for row in its], "{:.2f}"),
                _medians([row.expanded for row in mine], [row.expanded for row in its], "{:,.0f}"),
                _medians([row.evaluated for row in mine], [row.evaluated for row in its], "{:,.0f}"),
                _medians([row.steps for row in mine], [row.steps for row in its], "{:g}"),
            )
        )
    return Grid(("solver", "problems", "seconds", "expanded", "evaluated", "steps"), tuple(lines))


def _medians(mine: Sequence[float | None], its: Sequence[float | None], form: str) -> str:
    cells = []
    for numbers in (mine, its):
        known = [number for number in numbers if number is not None]
        cells.append(form.format(median(known)) if known else NOTHING)
    return " / ".join(cells)


def _differences(rows: Sequence[SolvingRow], solvers: Sequence[str]) -> Grid:
    written = [solver for solver in solvers if solver.startswith(LLM)]
    lines = []
    for first in written:
        for second in solvers:
            if second == first:
                continue
            outcomes = [
                {(r.domain, r.level, r.problem): r.solved for r in rows if r.solver == solver}
                for solver in (first, second)
            ]
            shared = sorted(outcomes[0].keys() & outcomes[1].keys())
            if not shared:
                continue
            found = paired([(outcomes[0][key], outcomes[1][key]) for key in shared])
            interval = f"{100 * found.value:+.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
            lines.append((first, second, str(found.trials), str(found.first), str(found.second), interval))
    return Grid(("solver", "against", "problems", "only it", "only the other", "points"), tuple(lines))


def _writing(rows: Sequence[WritingRow]) -> Grid:
    head = ("domain", "model", "gbfs", "climbing", "candidates", "refused", "repairs", "calls", "tokens", "US $", "min")
    return Grid(
        head,
        tuple(
            (
                row.domain,
                row.model,
                f"{row.solved} of {len(row.training)}",
                f"{row.climbed} of {len(row.training)}",
                str(row.candidates),
                str(row.refused),
                str(row.repairs),
                f"{row.calls:,}",
                f"{row.tokens:,}",
                NOTHING if row.usd is None else f"{row.usd:.2f}",
                f"{row.seconds / 60:.1f}",
            )
            for row in sorted(rows, key=lambda row: (row.model, row.domain))
        ),
    )
