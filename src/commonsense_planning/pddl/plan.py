"""Plans: sequences of ground actions, in the user's spelling, and plan files.

An IPC plan file has ground actions, ``(pick ball1 room2)``, usually one per line, possibly with commas between
arguments. ``;`` begins a comment, and ``; cost = 7 (unit cost)`` states the plan's cost. Actions may have the time
stamp and the duration of temporal plans, ``0: (pick ball1 room2) [1]``. If all do, they are ordered by their times, as
in VAL. cplan's plans are sequential: actions with the same time follow each other as in the file.

The listings of ``LISTINGS`` are read, too, if every line has the shape of one of them. Anything else is an error at its
place, with a guess at the format.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from commonsense_planning.config import TOLERANCE
from commonsense_planning.errors import PddlError, Place
from commonsense_planning.pddl.nodes import Group
from commonsense_planning.pddl.source import Source
from commonsense_planning.support.reading import Text, read_bytes, reading
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
    """A plan; ``cost`` is None if it was not computed.

    ``times``: the start of each step, in time units, and its duration (None without one), if the plan has them; steps
    are in the order of their starts. Validators take them with a ``tolerance``, and ignore them if the
    task has no needs. ``decomposition``: how tasks were refined to the steps, in the planner's words."""

    steps: tuple[Step, ...]
    cost: float | None = None
    times: tuple[tuple[float, float | None], ...] = field(default=(), compare=False)
    tolerance: float = field(default=TOLERANCE, compare=False)
    decomposition: str = field(default="", compare=False)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def lines(self) -> list[str]:
        """A line for each step, as in an IPC plan file: with its start and its duration, if the plan has times."""
        starts = [f"{at:.3f}: " for at, _ in self.times] or [""] * len(self)
        ends = ["" if lasts is None else f" [{lasts:.3f}]" for _, lasts in self.times] or starts
        return [f"{start}{step}{end}" for start, step, end in zip(starts, self.steps, ends, strict=True)]

    def beside(self, number: int) -> list[int]:
        """The numbers, from 1, of the steps before the ``number``-th that are still under way when it starts."""
        start = self.times[number - 1][0] if self.times else 0.0
        return [i for i, (at, lasts) in enumerate(self.times[: number - 1], start=1) if at + (lasts or 0.0) > start]

    @property
    def makespan(self) -> float:
        """The end of the last action, in time units; 0 for a plan without times."""
        return max((start + (duration or 0.0) for start, duration in self.times), default=0.0)


EXPECTED = "an action such as (pick ball1 room2), mostly one a line"
_NUMBER = r"\d+(?:\.\d+)?"
_STAMP, _DURATION = rf"(?:(?P<time>{_NUMBER})\s*:\s*)?", rf"(?:\s*\[\s*(?P<duration>{_NUMBER})\s*\])?"
_ACTION = re.compile(rf"{_STAMP}\((?P<words>[^()]*)\){_DURATION}")
_LIST = re.compile(r"\s*\((?=\s*\()(.*)\)\s*", re.DOTALL)  # brackets around the whole plan
_NEXT, _WORD = re.compile(r"\S"), re.compile(r"[^\s,()]+")
_COMMENT, _COST = re.compile(r";[^\n]*"), re.compile(rf";[^\S\n]*cost[^\S\n]*=[^\S\n]*({_NUMBER})\b")
_FENCE = re.compile(r"^[^\S\n]*```.*$", re.MULTILINE)
_NAME = r"[^\s(),:;=<>{}\[\]'\"`|!?#]+"
_NAMES = rf"(?P<words>{_NAME}(?:[^\S\n]+{_NAME})*)"


class Listing(NamedTuple):
    """How a program lists a plan: the line of a ``step``, and the other lines, ``around`` the steps. The ``number`` of
    a step counts the steps, and its ``time`` orders them, where it has one."""

    step: re.Pattern[str]
    around: re.Pattern[str] = re.compile(r"(?!)")


LISTINGS = {
    "FF": Listing(
        re.compile(rf"(?:step\s+)?(?P<number>\d{{1,9}}):\s*{_NAMES}"),
        re.compile(
            r"ff: .*|(?:domain|problem) '.*' defined|\.\.\. done\.|Cueing down .*|\d+\s+\[\d+\]|\d+|plan cost: .*|"
            r"time spent: .*|\d+\.\d+ seconds .*"
        ),
    ),
    "Fast Downward": Listing(
        re.compile(rf"{_NAMES} \(\d+\)"),
        re.compile(r"\[t=.*|INFO .*|Solution found[.!]|Actual search time: .*|Plan (?:length|cost): .*"),
    ),
    "unified-planning": Listing(
        re.compile(rf"{_STAMP}(?P<words>{_NAME}\((?:{_NAME}(?:,\s*{_NAME})*)?\)){_DURATION}"),
        re.compile(r"(?:Sequential|TimeTriggered)Plan:"),
    ),
    "ENHSP": Listing(
        re.compile(rf"{_STAMP}\((?P<words>[^()]*)\){_DURATION}"),
        re.compile(r"Problem Solved|Found Plan:|[A-Z][\w -]*(?:\(\w+\))?: ?[\d.]+"),
    ),
    "Markdown": Listing(
        re.compile(r"(?:(?:step )?(?P<number>\d{1,9})[.):]|[-*])\s+`?\((?P<words>[^()]*)\)`?", re.IGNORECASE)
    ),
    "names alone": Listing(re.compile(rf"{_NAMES}(?<![.,])")),
}
_FOREIGN = {
    "JSON": re.compile(r"[\[{]\s*[\[{\"]"),
    "a plan of Contingent-FF, which may branch": re.compile(r"\d+\|\|-?\d+ --- "),
    "a plan of SHOP": re.compile(r"\(*\(!"),
    "the plan of a hierarchical task": re.compile(r"==>"),
    "LPG's table": re.compile(r"Time: \(ACTION\)"),
    "a domain or a problem": re.compile(r"\(\s*define\b", re.IGNORECASE),
}
"""What is not read, by its first line."""

_Timed = tuple[float | None, Step, int, float | None]
"""A step with its time, None without one, the index of its first word in the text, and its duration."""


def read_plan(path: Path | Text) -> Plan:
    """The plan in an IPC plan file, or in a text in its place.

    Raises InputError if the file cannot be read, PddlError if a line is not a ground action.
    """
    if isinstance(path, Text):
        return parse_plan(path.content, Path(str(path)))
    return parse_plan(_decoded(read_bytes(path, "a plan"), path), path)


def parse_plan(text: str, path: Path) -> Plan:
    """The plan in ``text``; ``path``: the file in error messages. Raises PddlError."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    file, cost = Source(path, text, Group(())), None
    for stated in _COST.finditer(text):
        with reading(path, "a plan", file.at(stated.start()).line):
            cost = value(stated[1])
    code = _unfenced(file, _COMMENT.sub(lambda comment: " " * len(comment[0]), text))
    first = _NEXT.search(code)
    bracketed = first is None or first[0] == "(" or _ACTION.match(code, first.start()) is not None
    found = _in_order(file, _actions(file, code) if bracketed else _listed(file, code))
    times = tuple((time, duration) for time, _, _, duration in found if time is not None)
    return Plan(tuple(step for _, step, _, _ in found), cost, times if len(times) == len(found) else ())


def _unfenced(file: Source, code: str) -> str:
    """The code between two lines of ```, if there are any, behind blanks."""
    fences = [*_FENCE.finditer(code)]
    if not fences:
        return code
    if len(fences) != 2:
        raise file.error(file.at(fences[2 % len(fences)].start()), "a line of ```", "two of them, around the plan")
    begin, end = fences[0].end(), fences[1].start()
    outside = _NEXT.search(code, 0, fences[0].start()) or _NEXT.search(code, fences[1].end())
    if outside:
        raise file.error(file.at(outside.start()), "something outside of the lines of ```", "the plan alone")
    return " " * begin + code[begin:end]


def _actions(file: Source, code: str) -> Iterator[_Timed]:
    """The actions in brackets, each with its time stamp, None without one, and its place."""
    whole = _LIST.fullmatch(code)
    at, end = whole.span(1) if whole else (0, len(code))
    while (following := _NEXT.search(code, at, end)) is not None:
        at = following.start()
        found = _ACTION.match(code, at, end)
        if found is None or found["words"].lstrip().startswith("!"):
            first = not code[code.rfind("\n", 0, at) + 1 : at].strip()
            raise _no_action(file, at, "no ground action" if first else "something follows the action")
        yield _step(file, found)
        at = found.end()


def _listed(file: Source, code: str) -> Iterable[_Timed]:
    """The same for a listing of one action a line."""
    lines = [*re.finditer(r"\S(?:.*\S)?", code)]
    furthest = lines[0]
    for listing in LISTINGS.values():
        found = [listing.step.fullmatch(code, *line.span()) for line in lines]
        others = (
            line for line, step in zip(lines, found, strict=True) if not (step or listing.around.fullmatch(line[0]))
        )
        other = next(others, None)
        steps = [step for step in found if step]
        if other is None and steps:
            return _counted(file, steps)
        furthest = max(furthest, other or furthest, key=lambda line: line.start())
    raise _no_action(file, furthest.start())


def _counted(file: Source, steps: Sequence[re.Match[str]]) -> Iterator[_Timed]:
    """Steps whose numbers, if they have any, count up by one."""
    numbers = [int(step["number"]) for step in steps if step.groupdict().get("number")]
    for i, step in enumerate(steps):
        if numbers and (len(numbers) < len(steps) or numbers[i] != numbers[0] + i):
            problem = "the number of this step does not follow the one before it"
            raise file.error(file.at(step.start()), problem, "every step")
        yield _step(file, step)


def _step(file: Source, found: re.Match[str]) -> _Timed:
    at, told = found.start("words"), found.groupdict()
    with reading(file.path, "a plan", file.at(at).line):
        time, duration = (value(told[what]) if told.get(what) else None for what in ("time", "duration"))
    name, *arguments = _WORD.findall(found["words"]) or [""]
    if not name:
        raise file.error(file.at(at - 1), "an action without a name", EXPECTED)
    return time, Step(name, tuple(arguments)), at, duration


def _in_order(file: Source, steps: Iterable[_Timed]) -> list[_Timed]:
    """The steps by their times if all have one; otherwise in their order, with which any times must agree."""
    found = list(steps)
    latest = -1.0
    if all(time is not None for time, _, _, _ in found):
        found.sort(key=lambda one: one[0] or 0.0)
    for time, _, at, _ in found:
        if time is not None and time < latest:
            problem = "this action starts before the one above it"
            raise file.error(file.at(at - 1), problem, "times for all actions, or none")
        latest = latest if time is None else time
    return found


def render_plan(plan: Plan, general_cost: bool = False, comments: Iterable[str] = ()) -> str:
    """The text of an IPC plan file: the ``comments``, a line for each step, and the cost.

    ``general_cost``: whether the task has action costs; otherwise every action costs 1. There is no line for the cost
    if costs are general and the plan's is unknown.
    """
    lines = [f"; {' '.join(comment.split())}" for comment in comments]
    lines += plan.lines
    cost = plan.cost if general_cost else None if plan.times else len(plan)
    if cost is not None:
        lines.append(f"; cost = {cost_text(cost)} ({'general' if general_cost else 'unit'} cost)")
    return "".join(f"{line}\n" for line in lines)


def cost_text(cost: float) -> str:
    """A cost with all its digits, without an exponent: "65535", "99.997"."""
    return f"{Decimal(repr(cost)):f}".removesuffix(".0") if math.isfinite(cost) else str(cost)


def write_plan(plan: Plan, path: Path, general_cost: bool = False, comments: Iterable[str] = ()) -> None:
    """Writes an IPC plan file, see ``render_plan``. Raises InputError if the file cannot be written."""
    write_text(path, render_plan(plan, general_cost, comments), "the plan")


def _no_action(file: Source, at: int, problem: str = "no ground action") -> PddlError:
    """The error for anything but an action, with a guess at the format."""
    first = _NEXT.search(file.text)
    starts = (at, first.start() if first else at)
    looks = (what for what, shape in _FOREIGN.items() if any(shape.match(file.text, start) for start in starts))
    what = next(looks, None)
    problem = f"{problem}; this looks like {what}" if what else problem
    return file.error(file.at(at), problem, f"{EXPECTED} (or all lines as in a listing: {', '.join(LISTINGS)})")


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].rpartition(b"\n")
        place = Place(path, data.count(b"\n", 0, error.start) + 1, len(before[2]) + 1)
        raise PddlError(place, f"byte 0x{data[error.start]:02x} is no UTF-8 text", "a plan file in UTF-8") from error
