"""The tables: which planners, on which problems, for how long; and what is written of the rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lab.benchmarks.classical.planners import PLANNERS
from lab.benchmarks.classical.problems import Collection, Task
from lab.benchmarks.classical.rows import Row
from lab.benchmarks.classical.together import PLANNER as TOGETHER
from lab.benchmarks.classical.together import SECOND
from lab.benchmarks.performance.table import figure

PER_DOMAIN = 3
HALF = 0.5  # of Fast Downward's time that ours may take on large problems, many in one process

OUTCOMES = {
    "wrong": "wrong plans",
    "unjudged": "plans that no validator judged",
    "none": "ended with nothing before the time was up",
    "left out": "left out",
}

WHAT = {name: planner.what for name, planner in PLANNERS.items()} | {TOGETHER: "ours, many problems in one process"}
"""Planner → what the tables call it."""

ByPlanner = dict[str, dict[str, Row]]
"""Planner → problem → row."""


@dataclass(frozen=True)
class Table:
    """``planners``: the first is ours, the second the one that all is compared with. ``smallest``: the smallest problem
    of each domain; otherwise ``PER_DOMAIN`` of each, or of the smaller half of each (``small``). ``limit``: seconds.
    ``lines``: what the rows say, in Markdown."""

    name: str
    planners: tuple[str, ...]
    smallest: bool
    limit: float
    lines: Callable[[ByPlanner], list[str]]
    small: bool = False

    def tasks(self, there: Collection, whole: frozenset[str], per_domain: int = PER_DOMAIN) -> list[Task]:
        """The problems, of those that are there; of the domains ``whole``, all."""
        if self.small:
            return there.small(per_domain)
        return there.smallest() if self.smallest else there.spread(per_domain, whole)


def _read(rows: ByPlanner) -> list[str]:
    """How many were taken, with the seconds over those that all took."""
    both = _common(rows, rows)
    lines = ["", *_head("", "taken", f"median s of the {len(both)} taken by all", "total s", "most MiB")]
    for own in rows.values():
        seconds = [own[problem].seconds for problem in both]
        most = max((own[problem].peak for problem in both), default=0)
        lines.append(_line(_what(own), _share(own), _median(seconds), figure(sum(seconds)), figure(most / 2**20)))
    ours = next(iter(rows.values()))
    wanted = _wanted("all are taken", all(row.solved for row in ours.values() if row.outcome != "left out"))
    return lines + wanted + _differences(rows) + _reasons(rows)


def _solved(rows: ByPlanner) -> list[str]:
    """Solved, only one of the two, time and cost beside ours on what both solve."""
    ours = next(iter(rows.values()))
    lines = [
        "",
        *_head(
            "",
            "solved",
            "ended without",
            "not by ours",
            "only by ours",
            "median s",
            "total s where both",
            "ours there",
            "cost / ours",
        ),
    ]
    for own in rows.values():
        both = [problem for problem, row in own.items() if row.solved and _has(ours, problem)]
        only = sum(row.solved and problem in ours and not ours[problem].solved for problem, row in own.items())
        missing = sum(row.solved and problem in own and not own[problem].solved for problem, row in ours.items())
        lines.append(
            _line(
                _what(own),
                _share(own),
                str(sum(row.outcome == "none" for row in own.values())),
                "–" if own is ours else str(only),
                "–" if own is ours else str(missing),
                _median([row.seconds for row in own.values() if row.solved]),
                figure(sum(own[problem].seconds for problem in both)),
                figure(sum(ours[problem].seconds for problem in both)),
                _cost_ratio(own, ours, both),
            )
        )
    return lines + _as_many(rows) + _differences(rows) + _reasons(rows)


def _sample(rows: ByPlanner) -> list[str]:
    """Solved by domain, with the seconds over what all solve."""
    domains: dict[str, set[str]] = {}
    for own in rows.values():
        for problem in own:
            domains.setdefault(problem.partition("/")[0], set()).add(problem)
    lines = ["", *_head("domain", *(_what(own) for own in rows.values()))]
    for domain, problems in sorted(domains.items()):
        lines.append(
            _line(domain, *(_share({p: row for p, row in own.items() if p in problems}) for own in rows.values()))
        )
    lines.append(_line("**all**", *(f"**{_share(own)}**" for own in rows.values())))
    both = _common(rows, rows)
    totals = (figure(sum(own[problem].seconds for problem in both)) for own in rows.values())
    lines.append(_line(f"total s of the {len(both)} solved by all", *totals))
    return lines + _as_many(rows) + _differences(rows) + _reasons(rows)


def _problems(rows: ByPlanner) -> list[str]:
    """A line for each problem: the seconds, or why there was no plan."""
    names = sorted({problem for own in rows.values() for problem in own})
    lines = ["", *_head("problem", *(_what(own) for own in rows.values()))]
    for name in names:
        cells = ((own[name], own[name].outcome) if name in own else (None, "–") for own in rows.values())
        lines.append(_line(name, *(_seconds(row) if row and row.solved else why for row, why in cells)))
    lines.append(_line("**solved**", *(f"**{_share(own)}**" for own in rows.values())))
    reasons = []
    for own in rows.values():
        none = (f"{name} ({row.said})" for name, row in own.items() if row.outcome in ("none", "wrong", "unjudged"))
        reasons += _named(_what(own), none)
    return lines + reasons


def _seconds(row: Row) -> str:
    return f"{figure(row.processor if row.conditions.processor else row.seconds)} s"


def _together(rows: ByPlanner) -> list[str]:
    """Total time over problems that take Fast Downward a second or more."""
    one, other, alone = (rows.get(name, {}) for name in (TOGETHER, "lama-first", "gbfs"))
    both = [problem for problem, row in one.items() if row.solved and _has(other, problem)]
    lines = ["", *_head("", "solved", f"total s of the {len(both)} that both solve", "of Fast Downward's")]
    whole = sum(other[problem].seconds for problem in both)
    for what, own in ((_what(one), one), ("ours, a process for each", alone), (_what(other), other)):
        there = [problem for problem in both if _has(own, problem)]
        total = sum(own[problem].seconds for problem in there)
        less = f" ({len(both) - len(there)} not solved)" if len(there) < len(both) else ""
        lines.append(_line(what, _share(own), figure(total) + less, figure(total / whole) if whole else "–"))
    wanted = _wanted(
        f"at most {HALF:g} of Fast Downward's time, in one process",
        sum(one[problem].seconds for problem in both) <= HALF * whole,
    )
    slower = sorted(p for p in both if one[p].seconds > other[p].seconds)
    lines += wanted + _named("slower than Fast Downward's process", slower)
    return lines + _differences(rows) + _reasons(rows)


def _optimal(rows: ByPlanner) -> list[str]:
    """Solved, costs that differ, expansions a second."""
    both = _common(rows, rows)
    large = [problem for problem in both if all(own[problem].seconds >= SECOND for own in rows.values())]
    lines = [
        "",
        *_head(
            "",
            "solved",
            f"total s of the {len(both)} solved by all",
            "expanded there",
            f"expanded a second, whole process, on the {len(large)} that take both {SECOND:g} s",
            "a second of search",
        ),
    ]
    for own in rows.values():
        lines.append(
            _line(
                _what(own),
                _share(own),
                figure(sum(own[problem].seconds for problem in both)),
                figure(sum(own[problem].expanded or 0 for problem in both)),
                _rate((own[problem].expanded, own[problem].seconds) for problem in large),
                _rate((own[problem].expanded, own[problem].searched) for problem in large),
            )
        )
    differing = [problem for problem in both if len({own[problem].cost for own in rows.values()}) > 1]
    told = (f"{p} ({', '.join(figure(own[p].cost or 0) for own in rows.values())})" for p in differing)
    equal = [] if differing else ["", f"All {len(both)} costs are equal."]
    wanted = _as_many(rows) + _wanted("equal costs", not differing)
    paces = [_pace((own[problem].expanded, own[problem].seconds) for problem in large) for own in rows.values()]
    if len(paces) == 2 and paces[0] and paces[1]:
        wanted += _wanted("a third of Fast Downward's expansions a second", paces[0] >= paces[1] / 3)
    return lines + equal + wanted + _named("costs that differ", told) + _differences(rows) + _reasons(rows)


def _anytime(rows: ByPlanner) -> list[str]:
    """Costs at equal time."""
    ours, theirs = (list(rows.values()) + [{}, {}])[:2]
    both = [p for p in ours if _has(ours, p) and _has(theirs, p)]
    costs = [(p, ours[p].cost, theirs[p].cost) for p in both]
    known = [(p, a, b) for p, a, b in costs if a is not None and b is not None]
    lines = ["", *_head("", "solved", f"cheaper, of the {len(known)} that both solve", "cost / the other's")]
    for own, other, sign in ((ours, theirs, 1), (theirs, ours, -1)):
        cheaper = sum(sign * (b - a) > 0 for _, a, b in known)
        lines.append(_line(_what(own), _share(own), str(cheaper), _cost_ratio(own, other, both)))
    worse = [f"{p} ({figure(a)}, {figure(b)})" for p, a, b in known if a > b]
    wanted = _as_many(rows) + _wanted("never a higher cost", not worse)
    return lines + wanted + _named("ours costs more", worse) + _differences(rows) + _reasons(rows)


TABLES = {
    table.name: table
    for table in (
        Table("read", ("ground", "translate"), True, 60, _read),
        Table(
            "solved",
            (
                "gbfs",
                "lama-first",
                "gbfs-disguised",
                "pymimir",
                "pyperplan",
                "up-tamer",
                "up-aries",
                "up-symk",
                "up-enhsp",
            ),
            True,
            30,
            _solved,
        ),
        Table("sample", ("gbfs", "lama-first"), False, 60, _sample),
        Table("together", (TOGETHER,), False, 60, _together),
        Table("optimal", ("astar", "fd-lmcut"), False, 60, _optimal),
        Table(
            "lifted",
            ("gbfs-lifted", "gbfs", "pymimir-lifted", "powerlifted"),
            False,
            30,
            _problems,
            small=True,
        ),
        Table("anytime", ("gbfs-anytime", "lama"), False, 30, _anytime),
    )
}


def page(rows: list[Row]) -> dict[str, str]:
    """Table → its text in Markdown, for those that have rows of ours."""
    texts = {}
    for table in TABLES.values():
        own = [row for row in rows if row.table == table.name]
        if any(row.planner == table.planners[0] for row in own):
            by_planner = grouped(own, table.planners)
            if table.name == "together":
                by_planner |= {name: large(rows, by_planner[TOGETHER], name) for name in ("lama-first", "gbfs")}
            texts[table.name] = "\n".join([_conditions(own), *table.lines(by_planner)])
    return texts


def grouped(rows: Iterable[Row], order: Iterable[str]) -> ByPlanner:
    """The rows by planner, in this order, and by problem in alphabetical order."""
    found: ByPlanner = {}
    for row in sorted(rows, key=lambda row: row.problem):
        found.setdefault(row.planner, {})[row.problem] = row
    return {name: found[name] for name in order if name in found}


def large(rows: Iterable[Row], among: Iterable[str], planner: str) -> dict[str, Row]:
    """Problem → the row of a planner in the tables of solved problems."""
    names = set(among)
    return {
        row.problem: row
        for row in rows
        if row.table in ("solved", "sample") and row.planner == planner and row.problem in names
    }


def _conditions(rows: list[Row]) -> str:
    first = rows[0].conditions
    dates = sorted({row.conditions.date[:10] for row in rows})
    loads = [row.conditions.load for row in rows]
    jobs = sorted({row.conditions.jobs for row in rows})
    at_a_time = " or ".join("one problem" if n == 1 else f"{n} problems, each with a core of its own," for n in jobs)
    versions = sorted({row.version for row in rows})
    between = " to ".join(dict.fromkeys(f"{load:.1f}" for load in (min(loads), max(loads))))
    days = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    limit = f"{first.limit:g} s{' of a processor' * first.processor}"
    return (
        f"{first.machine}; {at_a_time} at a time; {limit} and {first.memory:,} MB for each process; "
        f"load average at the start {between}; {days}. {'; '.join(versions)}."
    )


def _what(own: dict[str, Row]) -> str:
    row = next(iter(own.values()), None)
    return "–" if row is None else WHAT[row.planner]


def _share(own: dict[str, Row]) -> str:
    asked = [row for row in own.values() if row.outcome != "left out"]
    return f"{sum(row.solved for row in asked)} of {len(asked)}"


def _has(own: dict[str, Row], problem: str) -> bool:
    return problem in own and own[problem].solved


def _common(rows: ByPlanner, among: Iterable[str]) -> list[str]:
    """The problems that all solve, in order."""
    first, *others = (rows[name] for name in among)
    return [problem for problem in first if _has(first, problem) and all(_has(own, problem) for own in others)]


def _cost_ratio(own: dict[str, Row], other: dict[str, Row], both: list[str]) -> str:
    pairs = [(own[problem].cost, other[problem].cost) for problem in both]
    logs = [math.log(a / b) for a, b in pairs if a and b]
    return f"{math.exp(statistics.fmean(logs)):.3f}" if logs else "–"


def _pace(pairs: Iterable[tuple[int | None, float | None]]) -> float | None:
    """So many a second, of pairs of a count and seconds that are known; None where none are."""
    known = [(count, seconds) for count, seconds in pairs if count is not None and seconds is not None]
    seconds = sum(seconds for _, seconds in known)
    return sum(count for count, _ in known) / seconds if seconds else None


def _rate(pairs: Iterable[tuple[int | None, float | None]]) -> str:
    pace = _pace(pairs)
    return "–" if pace is None else figure(pace)


def _as_many(rows: ByPlanner) -> list[str]:
    """Whether ours solves as many as the second, of what both tried."""
    if len(rows) < 2:
        return []
    ours, theirs = list(rows.values())[:2]
    tried = ours.keys() & theirs.keys()
    counts = [sum(own[problem].solved for problem in tried) for own in (ours, theirs)]
    return _wanted(f"as many solved as by {_what(theirs)}", counts[0] >= counts[1])


def _wanted(what: str, reached: bool) -> list[str]:
    return ["", f"Wanted: {what}. Reached: {'yes' if reached else 'no'}."]


def _differences(rows: ByPlanner) -> list[str]:
    """Which problems only ours solves, and which only the second."""
    if len(rows) < 2:
        return []
    ours, theirs = list(rows.values())[:2]
    told = []
    for one, other in ((ours, theirs), (theirs, ours)):
        only = [p for p, row in one.items() if row.solved and p in other and not other[p].solved]
        told += _named(f"solved by {_what(one)} and not by {_what(other)}", only)
    neither = [p for p, row in ours.items() if not row.solved and p in theirs and not theirs[p].solved]
    return told + _named("solved by neither of these two", neither)


def _reasons(rows: ByPlanner) -> list[str]:
    """Plans that are wrong or were judged by nobody, and tasks left out, for all; why there was none, for the first
    two."""
    told = []
    for number, own in enumerate(rows.values()):
        for outcome, heading in OUTCOMES.items():
            found = (f"{p} ({row.said})" for p, row in own.items() if row.outcome == outcome)
            if number < 2 or outcome != "none":
                told += _named(f"{_what(own)}: {heading}", found)
    return told


def _named(what: str, names: Iterable[str]) -> list[str]:
    found = list(names)
    return ["", f"{what[0].upper()}{what[1:]} ({len(found)}): {', '.join(found)}."] if found else []


def _head(*cells: str) -> list[str]:
    return [_line(*cells), "|---" * len(cells) + "|"]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _median(values: list[float]) -> str:
    return figure(statistics.median(values)) if values else "–"
