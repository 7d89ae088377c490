"""The tables: which planners, on which problems, for how long; and what is written of the rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lab.benchmarks.classical.planners import PLANNERS
from lab.benchmarks.classical.problems import Collection, Task
from lab.benchmarks.classical.rows import Row
from lab.benchmarks.performance.table import figure, head, line

PER_DOMAIN = 3
NAMED = 3  # problems, below a table
SECOND = 1.0  # that a problem takes at least, of which expansions a second are told
OUTCOMES = {
    "wrong": "wrong plans",
    "unjudged": "plans that no validator judged",
    "none": "ended with nothing before the time was up",
    "left out": "left out",
}
ByPlanner = dict[str, dict[str, Row]]
"""Planner → problem → row."""


@dataclass(frozen=True)
class Table:
    """``planners``: the first is ours, the second the one that all is compared with. ``smallest``: the smallest problem
    of each domain; otherwise ``PER_DOMAIN`` of each. ``limit``: seconds. ``lines``: what the rows say, in Markdown."""

    name: str
    planners: tuple[str, ...]
    smallest: bool
    limit: float
    lines: Callable[[ByPlanner], list[str]]

    def tasks(self, there: Collection) -> list[Task]:
        """Returns the problems that are there."""
        return there.smallest() if self.smallest else there.spread(PER_DOMAIN)


def _read(rows: ByPlanner) -> list[str]:
    """Returns how many were taken, with the seconds over those that all took."""
    both = _common(rows)
    lines = _head("", "taken", f"median s of the {len(both)} taken by all", "total s", "most MiB")
    for name, own in rows.items():
        most = max((own[problem].peak for problem in both), default=0)
        seconds = [own[problem].seconds for problem in both]
        lines.append(line(_what(name), _share(own), _median(seconds), _total(own, both), figure(most / 2**20)))
    ours = next(iter(rows.values()))
    return lines + _wanted("all are taken", all(row.solved or row.outcome == "left out" for row in ours.values()))


def _solved(rows: ByPlanner) -> list[str]:
    """Returns counts of solved problems, also by only one of two planners, and time and cost on what both solve."""
    ours = next(iter(rows.values()))
    counts = ("solved", "ended without", "not by cplan", "only by cplan")
    lines = _head("", *counts, "median s", "total s where both", "cplan's there", "cost / cplan's")
    for name, own in rows.items():
        both = _common({"ours": ours, name: own})
        only = "–" if own is ours else len(_apart(own, ours))
        missing = "–" if own is ours else len(_apart(ours, own))
        cells = _median([row.seconds for row in own.values() if row.solved]), _total(own, both), _total(ours, both)
        lines.append(line(_what(name), _share(own), _ended(own), only, missing, *cells, _cost_ratio(own, ours, both)))
    return lines + _as_many(rows)


def _optimal(rows: ByPlanner) -> list[str]:
    """Solved, costs that differ, expansions a second."""
    both = _common(rows)
    large = [problem for problem in both if all(own[problem].seconds >= SECOND for own in rows.values())]
    pace = f"expanded a second, whole process, on the {len(large)} that take both {SECOND:g} s"
    total = f"total s of the {len(both)} solved by all"
    lines = _head("", "solved", "ended without", total, "expanded there", pace, "a second of search")
    paces = list[float | None]()
    for name, own in rows.items():
        paces.append(_pace((own[problem].expanded, own[problem].seconds) for problem in large))
        searched = _pace((own[problem].expanded, own[problem].searched) for problem in large)
        expanded = figure(sum(own[problem].expanded or 0 for problem in both))
        told = ("–" if each is None else figure(each) for each in (paces[-1], searched))
        lines.append(line(_what(name), _share(own), _ended(own), _total(own, both), expanded, *told))
    costs = {p: [own[p].cost for own in rows.values()] for p in both}
    differing = [f"{p} ({', '.join(figure(c or 0) for c in each)})" for p, each in costs.items() if len({*each}) > 1]
    lines += [] if differing else ["", f"All {len(both)} costs are equal."]
    lines += _as_many(rows) + _wanted("equal costs", not differing)
    if len(paces) == 2 and paces[0] and paces[1]:
        lines += _wanted("a third of Fast Downward's expansions a second", paces[0] >= paces[1] / 3)
    return lines + _named("costs that differ", differing)


def _anytime(rows: ByPlanner) -> list[str]:
    """Costs at equal time."""
    if len(rows) < 2:
        return [*_head("", "solved"), *(line(_what(name), _share(own)) for name, own in rows.items())]
    both = _common(rows)
    one, other = rows.values()
    known = [(p, a, b) for p in both if (a := one[p].cost) is not None and (b := other[p].cost) is not None]
    lines = _head("", "solved", f"cheaper, of the {len(known)} that both solve", "cost / the other's")
    for name, own, theirs, sign in zip(rows, (one, other), (other, one), (1, -1), strict=True):
        cheaper = sum(sign * (b - a) > 0 for _, a, b in known)
        lines.append(line(_what(name), _share(own), cheaper, _cost_ratio(own, theirs, both)))
    worse = [f"{p} ({figure(a)}, {figure(b)})" for p, a, b in known if a > b]
    return lines + _as_many(rows) + _wanted("never a higher cost", not worse) + _named("cplan's costs more", worse)


ENGINES = ("up-tamer", "up-aries", "up-symk", "up-enhsp")
PEERS = ("lama-first", "gbfs-disguised", "pymimir", "pyperplan", *ENGINES)
_ALL = (
    Table("read", ("ground", "translate"), True, 60, _read),
    Table("solved", ("gbfs", *PEERS), True, 30, _solved),
    Table("optimal", ("astar", "fd-lmcut"), False, 60, _optimal),
    Table("anytime", ("gbfs-anytime", "lama"), False, 30, _anytime),
)
TABLES = {table.name: table for table in _ALL}


def page(rows: list[Row]) -> dict[str, str]:
    """Returns table → its text in Markdown, for tables with rows of cplan."""
    texts = {}
    for table in TABLES.values():
        own = sorted((row for row in rows if row.table == table.name), key=lambda row: row.problem)
        by_planner = {n: {row.problem: row for row in own if row.planner == n} for n in table.planners}
        by_planner = {name: found for name, found in by_planner.items() if found}
        if table.planners[0] in by_planner:
            lines = [_conditions(own), *table.lines(by_planner), *_differences(by_planner), *_reasons(by_planner)]
            texts[table.name] = "\n".join(lines)
    return texts


def _conditions(rows: list[Row]) -> str:
    first, dates = rows[0].conditions, sorted({row.conditions.date[:10] for row in rows})
    loads, jobs = [row.conditions.load for row in rows], sorted({row.conditions.jobs for row in rows})
    at_a_time = " or ".join("one problem" if n == 1 else f"{n} problems, each on a separate core," for n in jobs)
    between = " to ".join(dict.fromkeys(f"{load:.1f}" for load in (min(loads), max(loads))))
    days, versions = " to ".join(dict.fromkeys((dates[0], dates[-1]))), sorted({row.version for row in rows})
    return (
        f"{first.machine}; {at_a_time} at a time; {first.limit:g} s and "
        f"{first.memory:,} MB for each process; load average at the start {between}; {days}. {'; '.join(versions)}."
    )


def _what(name: str) -> str:
    return PLANNERS[name].what


def _share(own: dict[str, Row]) -> str:
    asked = [row for row in own.values() if row.outcome != "left out"]
    return f"{sum(row.solved for row in asked)} of {len(asked)}"


def _ended(own: dict[str, Row]) -> int:
    """Returns how many it refused, or gave up before its time was up."""
    return sum(row.outcome == "none" for row in own.values())


def _common(rows: ByPlanner) -> list[str]:
    """Returns the problems that all solve, in order."""
    first, *others = rows.values()
    return [p for p, row in first.items() if row.solved and all(p in own and own[p].solved for own in others)]


def _apart(one: dict[str, Row], other: dict[str, Row]) -> list[str]:
    """Returns the problems that only the first of two solves."""
    return [p for p, row in one.items() if row.solved and p in other and not other[p].solved]


def _total(own: dict[str, Row], problems: Iterable[str]) -> str:
    return figure(sum(own[problem].seconds for problem in problems))


def _median(values: list[float]) -> str:
    return figure(statistics.median(values)) if values else "–"


def _cost_ratio(own: dict[str, Row], other: dict[str, Row], both: list[str]) -> str:
    pairs = [(own[problem].cost, other[problem].cost) for problem in both]
    logs = [math.log(a / b) for a, b in pairs if a and b]
    return f"{math.exp(statistics.fmean(logs)):.3f}" if logs else "–"


def _pace(pairs: Iterable[tuple[int | None, float | None]]) -> float | None:
    """Returns counts per second, over pairs of a known count and known seconds; None without any."""
    known = [(count, seconds) for count, seconds in pairs if count is not None and seconds is not None]
    seconds = sum(seconds for _, seconds in known)
    return sum(count for count, _ in known) / seconds if seconds else None


def _as_many(rows: ByPlanner) -> list[str]:
    """Returns whether cplan solves as many as the second planner, of what both tried."""
    if len(rows) < 2:
        return []
    ours, theirs = list(rows.values())[:2]
    counts = [sum(own[problem].solved for problem in ours.keys() & theirs.keys()) for own in (ours, theirs)]
    return _wanted(f"as many solved as by {_what([*rows][1])}", counts[0] >= counts[1])


def _wanted(what: str, reached: bool) -> list[str]:
    return ["", f"Wanted: {what}. Reached: {'yes' if reached else 'no'}."]


def _differences(rows: ByPlanner) -> list[str]:
    """Returns which problems only cplan solves, and which only the second planner."""
    if len(rows) < 2:
        return []
    (one, ours), (other, theirs) = list(rows.items())[:2]
    told = _named(f"solved by {_what(one)} and not by {_what(other)}", _apart(ours, theirs))
    told += _named(f"solved by {_what(other)} and not by {_what(one)}", _apart(theirs, ours))
    neither = [p for p, row in ours.items() if not row.solved and p in theirs and not theirs[p].solved]
    return told + _named("solved by neither of these two", neither)


def _reasons(rows: ByPlanner) -> list[str]:
    """Plans that are wrong or were not judged, and tasks left out, for all; why there was none, for the first two."""
    told = []
    for number, (name, own) in enumerate(rows.items()):
        for outcome, heading in OUTCOMES.items():
            found = [f"{p} ({row.said})" for p, row in own.items() if row.outcome == outcome]
            if number < 2 or outcome != "none":
                told += _named(f"{_what(name)}: {heading}", found)
    return told


def _named(what: str, names: list[str]) -> list[str]:
    """Returns a line with how many there are, and the first of them."""
    first = [*names[:NAMED], *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]
    return ["", f"{what[0].upper()}{what[1:]} ({len(names)}): {', '.join(first)}."] if names else []


def _head(*cells: str) -> list[str]:
    return ["", *head(*cells).splitlines()]
