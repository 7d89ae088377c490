"""How commands print: lines, coloured on a terminal and never wrapped; tables, split if they are too wide; a progress
bar; one JSON object if requested. Text from a model or a file cannot control the terminal."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console

    from commonsense_planning.errors import PddlWarning

WIDTH = 100
GAP = 2  # spaces between columns
_UNWRITABLE = (  # no glyph: control characters, line ends, marks of direction, surrogates,
    *range(0x80, 0xA0),  # and invisible letters (tags)
    0x061C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
    0xFEFF,
    *range(0xE0000, 0xE0080),
)
_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys(_UNWRITABLE, 0xFFFD),
}
_OF_ONE_LINE = {**_PICTURES, ord("\n"): 0x240A, ord("\t"): 0x2409}


def visible(text: str) -> str:
    """The text with a visible symbol for each control character, so that columns and carets stay aligned. Line ends and
    tabs are kept."""
    return text.translate(_PICTURES)


def complain(text: str) -> None:
    """Prints what is wrong on stderr."""
    click.echo(visible(text), err=True)


def tell_warnings(warnings: Iterable[PddlWarning], harmless: bool = False) -> None:
    """Prints the warnings about files on stderr, each once; with ``harmless``, also those that change no meaning."""
    for text in dict.fromkeys(str(warning) for warning in warnings if harmless or not warning.harmless):
        complain(text)


class Printer:
    """Prints lines of text on stdout, or on stderr if stdout is reserved for JSON. Without colours, Rich, which is slow
    to load, is not imported."""

    def __init__(self, as_json: bool = False) -> None:
        self._as_json = as_json

    @cached_property
    def console(self) -> Console:
        """Rich's console, which knows the colours and the width of the terminal."""
        from rich.console import Console

        return Console(stderr=self._as_json, highlight=False, soft_wrap=True)

    def line(self, text: str = "", style: str = "") -> None:
        """Prints one line unchanged: brackets are not markup, and nothing is wrapped."""
        self.parts((text, style))

    def parts(self, *parts: tuple[str, str]) -> None:
        """Prints one line of texts, each with its style."""
        shown = [(text.translate(_OF_ONE_LINE), style) for text, style in parts]
        wanted = not {"FORCE_COLOR", "TTY_COMPATIBLE"}.isdisjoint(os.environ)
        if wanted or _is_terminal(sys.stderr if self._as_json else sys.stdout):
            from rich.text import Text

            self.console.print(Text.assemble(*shown))
        else:
            click.echo("".join(text for text, _ in shown), err=self._as_json)

    def rows(self, rows: Iterable[tuple[str, ...]], indent: str = "", styles: Mapping[str, str] | None = None) -> None:
        """Prints rows in aligned columns; ``styles`` colours cells by their text."""
        rows = list(rows)
        if not rows:
            return
        widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            while row and not row[-1].strip():
                row = row[:-1]
            cells = [padded(cell, wide + GAP) for cell, wide in zip(row[:-1], widths, strict=False)]
            styled = [(styles or {}).get(cell, "") for cell in row]
            self.parts((indent if row else "", ""), *zip([*cells, *row[-1:]], styled, strict=True))


def width(text: str) -> int:
    """The number of terminal columns that a line of text takes: some letters take two, some none."""
    line = text.translate(_OF_ONE_LINE)
    if line.isascii():
        return len(line)
    from rich.cells import cell_len  # slow to import

    return cell_len(line)


def narrower(rows: Sequence[tuple[str, ...]], most: int = WIDTH) -> Iterator[list[tuple[str, ...]]]:
    """Yields the rows of one or more tables, each with the first column of ``rows`` and as many of the others as fit
    into ``most`` columns of the terminal, at least one."""
    widths = [max(map(width, column)) + GAP for column in zip(*rows, strict=True)]
    tables: list[list[int]] = [[]]
    for column in range(1, len(widths)):
        if tables[-1] and widths[0] + sum(widths[i] for i in tables[-1]) + widths[column] - GAP > most:
            tables.append([])
        tables[-1].append(column)
    yield from ([(row[0], *(row[i] for i in chosen)) for row in rows] for chosen in tables)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def print_text(text: str) -> None:
    """Prints on stdout what could also be written to a file."""
    click.echo(visible(text), nl=False)


def print_json(data: Mapping[str, Any]) -> None:
    """Prints the one JSON object on stdout."""
    click.echo(json.dumps(data, indent=2))


Report = Callable[[str, int, int | None], None]
"""Takes what is counted, the count, and the total (None: not known)."""


class Move(Protocol):
    """Moves a bar: takes the number done, the total, and the number that failed."""

    def __call__(self, done: int, total: int, failed: int = 0) -> None: ...


def _terminal(printer: Printer) -> Console | None:
    """A console on which a bar can move, if there is one: FORCE_COLOR asks for colours in a file or a pipe, not for
    bars."""
    if not (_is_terminal(sys.stdout) or _is_terminal(sys.stderr)):
        return None
    from rich.console import Console

    consoles = (printer.console, Console(stderr=True))
    return next((one for one in consoles if one.file.isatty() and not one.is_dumb_terminal), None)


EVERY = 30.0  # seconds between two lines of progress


def _now_and_then(at_once: bool) -> Report:
    """Progress without a bar: a line on stderr now and then, so that a log shows how far a long run is. ``at_once``:
    the first line is printed immediately."""
    start = time.monotonic()
    due = start if at_once else start + EVERY

    def tell(what: str, count: int, total: int | None) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + EVERY
            of = "" if total is None else f" of {total}"
            complain(f"{what}: {count}{of} after {now - start:.0f} s")

    return tell


@contextmanager
def counting_bar(printer: Printer, quiet: bool, what: str, at_once: bool = False) -> Iterator[Move]:
    """Yields a function that moves a bar with the time left; without a terminal it writes plain lines, the first one
    ``at_once`` or after a while."""
    with progress(printer, quiet, at_once, timed=True) as report:
        yield lambda done, total, failed=0: report(f"{what}, {failed} failed" if failed else what, done, total)


@contextmanager
def progress(printer: Printer, quiet: bool, at_once: bool = False, timed: bool = False) -> Iterator[Report]:
    """Yields a function that moves a bar on the terminal, ``timed`` with the time left; without a terminal, it writes
    plain lines, the first one ``at_once`` or after a while."""
    console = _terminal(printer)
    if quiet:
        yield lambda what, count, total: None
        return
    if console is None:
        yield _now_and_then(at_once)
        return
    from rich import progress as rich

    times = (rich.TimeElapsedColumn(), rich.TextColumn("left:"), rich.TimeRemainingColumn()) if timed else ()
    before = () if timed else (rich.SpinnerColumn(),)
    columns = (*before, rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(), *times)
    with rich.Progress(*columns, console=console, transient=True) as bar:
        row = bar.add_task("preparing", total=None)

        def report(what: str, count: int, total: int | None) -> None:
            bar.update(row, description=what, completed=count, total=total)

        yield report


SHOWN_FACTS = 2  # facts that a step made visible; the trace has them all
SHOWN_PLACES = 6  # places from which a model predicts ways
SHOWN_WAYS = 8  # ways from one of them
SHOWN_NOTES = 3  # notes on a step


class Narrator:
    """Prints the events of a trace as text."""

    def __init__(self, printer: Printer, quiet: bool) -> None:
        self.printer = printer
        self.quiet = quiet
        self._expanded = 0  # places the model was asked about

    def tell(self, event: dict[str, Any]) -> None:
        """Prints an event."""
        if self.quiet:
            return
        for text in self._lines(event):
            self.printer.line(text)
        if event["event"] == "step" and event["seen"]:
            self.printer.line(f"         saw {_some(event['seen'], SHOWN_FACTS, ' ')}", "dim")
        elif event["event"] == "expand":
            self._ways(event["ways"])
        elif event["event"] == "end" and self._expanded > SHOWN_PLACES:
            self.printer.line(f"and from {self._expanded - SHOWN_PLACES} more places", "dim")
        self._notes(event.get("notes", []))

    def _lines(self, event: dict[str, Any]) -> Iterator[str]:
        """The event as plain lines; none for an event that is shown in another form."""
        match event:
            case {"event": "start", "places": places}:
                yield f"from {event['source']} to {event['destination']}, {places} places"
            case {"event": "start", "training": training}:
                yield f"{event['model']} writes heuristics, tried on {', '.join(training)}"
            case {"event": "start", "hidden": number}:
                hidden = f"{number} of them hidden at first" if number else "all known from the start"
                yield f"{event['operators']} operators, {event['facts']} facts, {hidden}"
            case {"event": "candidate"}:
                yield f"{event['candidate']}: {_trial(event)}"
            case {"event": "improved"}:
                from commonsense_planning.pddl.plan import cost_text  # slow to import

                yield f"a plan of cost {cost_text(event['cost'])} after {event['evaluated']} states"
            case {"event": "heuristic"}:
                yield f"the heuristic is the program {event['file']}; it runs in a guarded process of its own"
            case {"event": "repair"}:
                yield _repair(event)
            case {"event": "step"}:
                yield f"step {event['step']:>2}  {padded(event['says'], 36)}  {event['action']}"
            case {"event": "guide"}:
                why = f", mended, since {', '.join(event['why'])}" if "mended" in event else ""
                yield f"guide ({event['level']}{why}): {'; '.join(event['lines']) or 'none'}"
            case {"event": "doubt", "ways": ways}:
                yield from (f"asked again: from {start} to {end}? {sure:.2f}" for start, end, sure in ways)
            case {"event": "route", "stops": stops}:
                chance = f"  ({math.prod(event['probabilities']):.2f})" if "probabilities" in event else ""
                yield f"route: {' -> '.join(stops)}{chance}"
            case {"event": "back"}:
                yield f"back to step {event['step']}: {event['reason']}"

    def _ways(self, ways: dict[str, list[str]]) -> None:
        """Prints where the ways lead from the first few places."""
        for place, ends in ways.items():
            self._expanded += 1
            if self._expanded <= SHOWN_PLACES:
                told = _some(ends, SHOWN_WAYS, ", ") if ends else "nowhere"
                self.printer.line(f"from {place}: {told}", "dim")

    def _notes(self, notes: list[str]) -> None:
        for note in notes[:SHOWN_NOTES]:
            self.printer.line(f"         note: {note}", "yellow")
        if len(notes) > SHOWN_NOTES:
            self.printer.line(f"         and {len(notes) - SHOWN_NOTES} more notes", "yellow")


def padded(text: str, wide: int) -> str:
    """A text padded with blanks to a number of terminal columns."""
    return text + " " * (wide - width(text))


def _some(texts: list[str], most: int, between: str) -> str:
    """The number of texts, and the first of them."""
    return f"{len(texts)}: {between.join(texts[:most])}{' …' if len(texts) > most else ''}"


def _trial(event: dict[str, Any]) -> str:
    """The result of a heuristic that a model wrote."""
    if not event["of"]:
        return f"refused: {event['failure'].partition(chr(10))[0]}"
    failed = f"; it failed: {event['failure'].partition(chr(10))[0]}" if event["failure"] else ""
    untried = f"; {event['untried']}" if event.get("untried") else ""
    by_climbing = f"{event['climbed']} by hill climbing alone"
    return f"solves {event['solved']} of {event['of']} problems, {by_climbing}{failed}{untried}"


def _repair(event: dict[str, Any]) -> str:
    """Why such a heuristic is repaired."""
    if "ended" in event:
        return f"no more repairs: {event['ended']}"
    if "state" not in event:
        return f"{event['of']} is mended: {event['failure'].partition(chr(10))[0] or 'it does not climb'}"
    way = "a plan" if event["on_plan"] else "hill climbing"
    where = f"{event['problem']}, after {event['after']} steps of {way}"
    what = "its best step leads into a dead end" if event["dead_end"] else "no step has a lower value"
    return f"{event['of']} is mended: {where}, {what}, and {event['progress']} would lead on"
