"""The table of a comparison, a line for each method and model, on the same problems and seeds: as text, CSV, Markdown,
and as a page with a plot of the differences."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import product
from typing import Any, NamedTuple

from commonsense_planning.errors import Status
from commonsense_planning.llm.model import Usage
from commonsense_planning.support.english import counted, listed
from commonsense_planning.support.statistics import (
    Mean,
    Paired,
    Rate,
    WithInterval,
    difference,
    mean,
    paired,
    rate,
    with_error,
)
from commonsense_planning.view.page import rendered

NOTHING = "–"
_EMPTY = NOTHING, "0.0", "0.0 ± 0.0"
_SPENT = {name: name for name in ("questions", "calls", "tokens", "usd", "seconds")} | {"usd": "US $ in all"}

Place = tuple[str, int]
"""A problem and a seed."""
Value = int | float | Mean | WithInterval | None


@dataclass(frozen=True)
class ComparedRun:
    """A row. ``task``: the problem's name; ``variant``: a method with its options; ``asked``: the model that it asked,
    empty if none; the rest as in ``cplan solve --json``."""

    task: str
    variant: str
    asked: str
    seed: int
    status: str
    seconds: float = 0.0
    steps: int | None = None
    cost: float | None = None
    usage: Usage | None = None
    usd: float | None = None
    unheard: str = ""

    @property
    def solved(self) -> bool:
        """Whether a validator accepts the plan and none rejects it."""
        return self.status == Status.SOLVED


class Table(NamedTuple):
    """``rows`` of cells, the first with the headings."""

    title: str
    legend: str
    rows: list[tuple[str, ...]]


class Comparison:
    """The table of the runs; its first line is the one that the others are compared with. ``notes`` are told
    before it, with the models that were not heard. ``several``: models, which the lines then name.

    A miss counts as ``max_steps`` steps, if that is None as the most steps of any run on its problem; and as the
    highest cost of any run on its problem.
    """

    def __init__(self, runs: Sequence[ComparedRun], max_steps: int | None, notes: Sequence[str], several: bool) -> None:
        self.lines = lines_of(runs, several)
        self.first = next(iter(self.lines), "")
        self.models = [*dict.fromkeys(run.asked for run in runs if run.asked)]
        self.tasks, self.seeds = ([*dict.fromkeys(getattr(run, name) for run in runs)] for name in ("task", "seed"))
        self.measures = ["steps", *["cost"] * any(run.cost not in (None, run.steps) for run in runs)]
        self._most: dict[tuple[str, str], float] = {}
        for run, name in product(runs, self.measures):
            if (value := getattr(run, name)) is not None:
                self._most[name, run.task] = max(value, self._most.get((name, run.task), 0))
        self._most |= {("steps", task): max_steps for task in self.tasks if max_steps is not None}
        deaf = ((line, [run.unheard for run in of.values() if run.unheard], len(of)) for line, of in self.lines.items())
        told = (f"{line}, {len(why)} of {counted(number, 'run')}: {why[-1]}" for line, why, number in deaf if why)
        self.notes = [*told, *notes]
        self.less = "lower cost" if "cost" in self.measures else "fewer steps"
        miss = f"{max_steps} steps (--max-steps)" if max_steps else "the most of any run on its problem, if one has any"
        self._miss = miss + "; in cost as the highest on its problem" * ("cost" in self.measures)

    @property
    def setup(self) -> str:
        """What was compared on what, and which models were asked."""
        numbers = ((len(self.lines), "line"), (len(self.tasks), "problem"), (len(self.seeds), "seed"))
        return f"{', '.join(counted(*number) for number in numbers)}; asked: {', '.join(self.models) or 'no model'}"

    @cached_property
    def solved_by_all(self) -> list[Place]:
        """What every line solved."""
        places = dict.fromkeys(place for line in self.lines.values() for place in line)
        return [at for at in places if all(at in line and line[at].solved for line in self.lines.values())]

    def measured(self, run: ComparedRun, name: str = "") -> float:
        """The steps or the cost of a run, or what a miss counts as; by default what decides who won: the cost, if it is
        not the number of steps."""
        name = name or self.measures[-1]
        most = self._most.get((name, run.task), 0.0)
        return min(most, getattr(run, name) or 0) if run.solved else most

    def pairs(self, label: str) -> list[tuple[ComparedRun, ComparedRun]]:
        """The runs of a line, each with that of the first line on the same problem and seed."""
        first = self.lines[self.first]
        return [(run, first[place]) for place, run in self.lines[label].items() if place in first]

    def outcome(self, run: ComparedRun, first: ComparedRun) -> str:
        """Whether a run ``won``, ``lost`` or is the ``same``: if one of the two is a miss, the other one won."""
        mine, its = ((not one.solved, self.measured(one)) for one in (run, first))
        return "won" if mine < its else "lost" if mine > its else "same"

    @cached_property
    def reach(self) -> float:
        """The largest difference of a pair, at least 1."""
        pairs = (pair for label in self.lines for pair in self.pairs(label))
        return max(1.0, *(abs(self.measured(run) - self.measured(first)) for run, first in pairs))

    @cached_property
    def values(self) -> dict[str, dict[str, Value]]:
        """The numbers of each line: label → name in the CSV file → number."""
        return {label: self._values(label) for label in self.lines}

    def _values(self, label: str) -> dict[str, Value]:
        line = self.lines[label]
        runs, pairs = [*line.values()], self.pairs(label) if label != self.first else []
        found: dict[str, Value] = {"runs": len(runs), "solved": rate(sum(run.solved for run in runs), len(runs))}
        for name in self.measures:
            found[f"{name}_solved_by_all"] = _mean(getattr(line[place], name) for place in self.solved_by_all)
            counted_in = (run for run in runs if (name, run.task) in self._most)
            found[f"{name}_with_misses"] = _mean(self.measured(run, name) for run in counted_in)
        asked = [run.usage or Usage() for run in runs] if any(run.usage for run in runs) else []
        found |= {name: _mean(getattr(usage, name) for usage in asked) for name in ("questions", "calls", "tokens")}
        dollars = [run.usd for run in runs if run.usd is not None]
        found |= {"usd": sum(dollars) if dollars else None, "seconds": _mean(run.seconds for run in runs)}
        if pairs:
            ends = [self.outcome(*pair) for pair in pairs]
            found |= {"pairs": len(pairs), **{end: ends.count(end) for end in ("won", "lost")}}
            found["solved_difference"] = paired([(run.solved, first.solved) for run, first in pairs])
        for name in self.measures if len(pairs) > 1 else []:
            more = [self.measured(run, name) - self.measured(first, name) for run, first in pairs]
            found[f"{name}_difference"] = difference(more)
        return found

    @cached_property
    def tables(self) -> list[Table]:
        """The table in parts: what was reached, what it took, and how each line differs from the first."""
        misses = any(not run.solved for line in self.lines.values() for run in line.values())
        places = len({place for line in self.lines.values() for place in line})
        reached, against = {"solved": "solved [95 %]"}, {name: name for name in ("pairs", "won", "lost")}
        against["solved_difference"] = "share solved"
        for name in self.measures:
            reached[f"{name}_solved_by_all"] = f"{name}: by all"
            reached |= {f"{name}_with_misses": f"{name}: with misses"} if misses else {}
            against[f"{name}_difference"] = name
        by_all = f"By all: the {len(self.solved_by_all)} of {places} pairs of problem and seed that all solved."
        legend = f"Rates with Wilson's 95 % interval, means ± standard error. {by_all}"
        legend += f" With misses: a miss counts as {self._miss}." if misses else ""
        paired = f"Paired by problem and seed, with misses; 95 % intervals, as of independent pairs. Won: {self.less}."
        tables = (
            self._table(listed(["Solved", *self.measures]), legend, reached),
            self._table("Spent", "Means per run ± standard error.", _SPENT),
            self._table(f"Against {self.first}", paired, against),
        )
        return [table for table in tables if len(table.rows) > 1]

    def _table(self, title: str, legend: str, heads: Mapping[str, str]) -> Table:
        """The table without lines and columns that have nothing."""
        cells = {label: {name: _cell(of.get(name)) for name in heads} for label, of in self.values.items()}
        shown = [name for name in heads if any(row[name] not in _EMPTY for row in cells.values())]
        rows = [(label, *(row[name] for name in shown)) for label, row in cells.items()]
        told = [row for row in rows if {*row[1:]} - {NOTHING}]
        return Table(title, legend, [("", *(heads[name] for name in shown)), *told])

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines as plain numbers: of a mean also its ``_error``, of an interval ``_low`` and ``_high``."""
        records = []
        for label, values in self.values.items():
            record: dict[str, Any] = {"line": label}
            for name, value in values.items():
                ends = (end for end in ("error", "low", "high") if hasattr(value, end))
                record[name] = getattr(value, "value", value)
                record |= {f"{name}_{end}": getattr(value, end) for end in ends}
            records.append(record)
        return records

    def csv(self) -> str:
        """The lines as CSV, with a heading."""
        out, records = StringIO(), self.records
        writer = csv.DictWriter(out, dict.fromkeys(name for record in records for name in record), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue()

    def markdown(self, title: str) -> str:
        """The notes and the tables as Markdown."""
        parts = [f"# {_plain(title)}", *(f"- {_plain(note)}" for note in self.notes)]
        for name, legend, (head, *rows) in self.tables:
            lines = (f"| {' | '.join(map(_plain, cells))} |" for cells in (head, ("---",) * len(head), *rows))
            parts += [f"## {_plain(name)}", legend, "\n".join(lines)]
        return "\n\n".join(parts) + "\n"

    def page(self, title: str) -> str:
        """The notes, the tables and the plot as one HTML file, which fetches nothing."""
        return rendered("comparison.html.jinja", "comparison.css", "", of=self, title=title)


def lines_of(runs: Sequence[ComparedRun], several: bool) -> dict[str, dict[Place, ComparedRun]]:
    """Label of a line → problem and seed → run. The label is the method's, and the model's if there are ``several``. A
    run that asked no model counts for each model that its method asked elsewhere."""
    asked: dict[str, dict[str, None]] = {}
    for run in runs:
        asked.setdefault(run.variant, {}).update(dict.fromkeys([run.asked] * bool(run.asked)))
    found: dict[str, dict[Place, ComparedRun]] = {}
    for run in runs:
        for model in [run.asked] if run.asked else asked[run.variant] or [""]:
            label = f"{run.variant}, {model}" if model and several else run.variant
            found.setdefault(label, {})[run.task, run.seed] = run
    return found


def _mean(values: Iterable[float | None]) -> Mean | None:
    known = [float(value) for value in values if value is not None]
    return mean(known) if known else None


def _cell(value: Value) -> str:
    match value:
        case None:
            return NOTHING
        case Rate():
            return f"{value.successes} of {value.trials} [{value.low:.2f}, {value.high:.2f}]"
        case WithInterval():
            return format(value, "+.2f" if isinstance(value, Paired) else "+.1f")
        case Mean():
            return with_error(value, 1)
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _plain(text: str) -> str:
    """A text, possibly a model's, for Markdown: without markup, on one line."""
    return " ".join(re.sub(r"[\\`*_|<\[]", r"\\\g<0>", text).split())
