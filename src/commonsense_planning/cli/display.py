"""What a user sees while ``solve`` works: a bar on a terminal, and every step as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from commonsense_planning.cli.output import Printer

SHOWN_FACTS = 2  # of what a step made visible; the trace has them all
SHOWN_PLACES = 6  # of those from which a model predicts ways
SHOWN_WAYS = 8  # of the ways from one of them
SHOWN_NOTES = 3  # of a step, likewise

Report = Callable[[str, int, int | None], None]
"""Gets what is counted, how many there are, and of how many (None: not known)."""


class Narrator:
    """Tells the events of a trace in words."""

    def __init__(self, printer: Printer, quiet: bool) -> None:
        self.printer = printer
        self.quiet = quiet
        self._expanded = 0  # places that a model was asked about

    def tell(self, event: dict[str, Any]) -> None:
        """Print what happened."""
        if self.quiet:
            return
        if event["event"] == "start" and "places" in event:
            self.printer.line(f"from {event['source']} to {event['destination']}, {event['places']} places")
            self._notes(event)
        elif event["event"] == "start":
            number = event["hidden"]
            hidden = f"{number} of them hidden at first" if number else "all known from the start"
            self.printer.line(f"{event['operators']} operators, {event['facts']} facts, {hidden}")
            self._notes(event)
        elif event["event"] == "step":
            self.printer.line(f"step {event['step']:>2}  {event['says']:<36}  {event['action']}")
            if event["seen"]:
                self.printer.line(f"         saw {_some(event['seen'])}", "dim")
            self._notes(event)
        elif event["event"] == "guide":
            self.printer.line(f"guide ({event['level']}): {'; '.join(event['lines']) or 'none'}")
            self._notes(event)
        elif event["event"] == "expand":
            self._ways(event["ways"])
            self._notes(event)
        elif event["event"] == "route":
            self.printer.line(f"route: {' -> '.join(event['stops'])}")
            self._notes(event)
        elif event["event"] == "back":
            self.printer.line(f"back to step {event['step']}: {event['reason']}")
            self._notes(event)
        elif event["event"] == "end":
            if self._expanded > SHOWN_PLACES:
                self.printer.line(f"and from {self._expanded - SHOWN_PLACES} more places", "dim")
            self._notes(event)

    def _ways(self, ways: dict[str, list[str]]) -> None:
        """Where the ways lead, of the first few places."""
        for place, ends in ways.items():
            self._expanded += 1
            if self._expanded <= SHOWN_PLACES:
                self.printer.line(f"from {place}: {_few(ends)}", "dim")

    def _notes(self, event: dict[str, Any]) -> None:
        notes = event["notes"]
        for note in notes[:SHOWN_NOTES]:
            self.printer.line(f"         note: {note}", "yellow")
        if len(notes) > SHOWN_NOTES:
            self.printer.line(f"         and {len(notes) - SHOWN_NOTES} more notes", "yellow")


@contextmanager
def progress(printer: Printer, quiet: bool) -> Iterator[Report]:
    """Gives a function that moves a bar on the terminal; without a terminal, it does nothing."""
    console = printer.console if printer.console.is_terminal else Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda what, count, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        row = bar.add_task("preparing", total=None)

        def report(what: str, count: int, total: int | None) -> None:
            bar.update(row, description=what, completed=count, total=total)

        yield report


def _few(ways: list[str]) -> str:
    shown = ", ".join(ways[:SHOWN_WAYS])
    return f"{len(ways)}: {shown}{' …' if len(ways) > SHOWN_WAYS else ''}" if ways else "nowhere"


def _some(facts: list[str]) -> str:
    shown = " ".join(facts[:SHOWN_FACTS])
    return f"{len(facts)}: {shown}{' …' if len(facts) > SHOWN_FACTS else ''}"
