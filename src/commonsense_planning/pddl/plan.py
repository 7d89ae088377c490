"""Plans: sequences of ground actions, in the user's spelling, and IPC plan files.

A plan file has ground actions, ``(pick ball1 room2)``, usually one per line, possibly with commas between arguments.
``;`` begins a comment, and ``; cost = 7 (unit cost)`` states the plan's cost. Actions may have the time stamp and the
duration of temporal plans, ``0: (pick ball1 room2) [1]``. If all do, they are ordered by their times, as in VAL. No two
may have the same time, because cplan's plans are sequential.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from commonsense_planning.errors import PddlError, Place
from commonsense_planning.support.reading import Text, reading
from commonsense_planning.support.reading import number as value
from commonsense_planning.support.writing import write_text


@dataclass(frozen=True)
class Step:
    """One ground action: the action's name and its arguments, in the user's spelling."""

    action: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.action, *self.arguments))})"


@dataclass(frozen=True)
class Plan:
    """A sequential plan; ``cost`` is None if it was not computed."""

    steps: tuple[Step, ...]
    cost: float | None = None

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)


_STAMP = re.compile(r"\s*(\d+(?:\.\d+)?)\s*:")
_ACTION = re.compile(r"\s*\(([^()]*)\)")
_DURATION = re.compile(r"\s*\[\s*\d+(?:\.\d+)?\s*\]")
EXPECTED = "an action such as (pick ball1 room2), mostly one a line"
_COST = re.compile(r"\s*cost\s*=\s*(\d+(?:\.\d+)?)\b")


def read_plan(path: Path | Text) -> Plan:
    """The plan in an IPC plan file, or in a text in its place.

    Raises InputError if the file cannot be read, PddlError if a line is not a ground action.
    """
    if isinstance(path, Text):
        return parse_plan(path.content, Path(str(path)))
    with reading(path, "a plan"):
        data = path.read_bytes()
    return parse_plan(_decoded(data, path), path)


def parse_plan(text: str, path: Path) -> Plan:
    """The plan in ``text``; ``path``: the file in error messages. Raises PddlError."""
    steps: list[tuple[float | None, Step, _Scan]] = []
    cost = None
    for number, line in enumerate(text.splitlines(), start=1):
        code, _, comment = line.partition(";")
        stated = _COST.match(comment)
        if stated:
            with reading(path, "a plan", number):
                cost = value(stated[1])
        if not code.strip():
            continue
        scan = _Scan(path, number, line, code)
        while scan.rest.strip():
            steps.append(_step(scan))
    return Plan(tuple(_in_order(steps)), cost)


def _step(scan: _Scan) -> tuple[float | None, Step, _Scan]:
    """The next action on a line, its time stamp, None without one, and its place."""
    stamp, time = scan.take(_STAMP), None
    if stamp is not None:
        with reading(scan.path, "a plan", scan.number):
            time = value(stamp)
    at = replace(scan)
    names = scan.take(_ACTION)
    if names is None:
        first = not at.line[: at.column].strip()
        raise scan.error("no ground action" if first else "something follows the action", EXPECTED)
    name, *arguments = names.replace(",", " ").split() or [""]
    if not name:
        raise scan.error("an action without a name", EXPECTED)
    scan.take(_DURATION)
    return time, Step(name, tuple(arguments)), at


def _in_order(steps: Sequence[tuple[float | None, Step, _Scan]]) -> Iterator[Step]:
    """The steps by their times if all have one; otherwise in their order, with which any times must agree."""
    timed = all(time is not None for time, _, _ in steps)
    latest = -1.0
    for time, step, at in sorted(steps, key=lambda found: found[0] or 0.0) if timed else steps:
        if time is not None and time <= latest:
            raise at.error("this action does not start after the one before it", "a sequential plan")
        latest = latest if time is None else time
        yield step


def render_plan(plan: Plan, general_cost: bool = False, comments: Iterable[str] = ()) -> str:
    """The text of an IPC plan file: the ``comments``, a line for each step, and the cost.

    ``general_cost``: whether the task has action costs; otherwise every action costs 1. There is no line for the cost
    if costs are general and the plan's is unknown.
    """
    lines = [f"; {' '.join(comment.split())}" for comment in comments]
    lines += map(str, plan)
    cost = plan.cost if general_cost else float(len(plan))
    if cost is not None:
        number = int(cost) if cost.is_integer() else cost
        lines.append(f"; cost = {number} ({'general' if general_cost else 'unit'} cost)")
    return "".join(f"{line}\n" for line in lines)


def write_plan(plan: Plan, path: Path, general_cost: bool = False, comments: Iterable[str] = ()) -> None:
    """Writes an IPC plan file, see ``render_plan``. Raises InputError if the file cannot be written."""
    write_text(path, render_plan(plan, general_cost, comments), "the plan")


@dataclass
class _Scan:
    """Reads one line from left to right; ``column`` counts from 0."""

    path: Path
    number: int
    line: str
    rest: str
    column: int = 0

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Skips ``pattern``, and returns its first group ("" without one); None if it does not match."""
        match = pattern.match(self.rest)
        if match is None:
            return None
        self.rest = self.rest[match.end() :]
        self.column += match.end()
        return match[1] if pattern.groups else ""

    def error(self, problem: str, expected: str) -> PddlError:
        column = self.column + len(self.rest) - len(self.rest.lstrip()) + 1
        return PddlError(Place(self.path, self.number, column, self.line), problem, expected)


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].rpartition(b"\n")
        place = Place(path, data.count(b"\n", 0, error.start) + 1, len(before[2]) + 1)
        raise PddlError(place, f"byte 0x{data[error.start]:02x} is no UTF-8 text", "a plan file in UTF-8") from error
