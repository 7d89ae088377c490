"""``--dry-run`` of the experiments: the number of episodes, and what the remaining ones would ask, cost and take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from commonsense_lab.report.document import NOTHING
from commonsense_lab.runner.forecast import MEASURES, Forecast, forecasts, in_all
from commonsense_lab.runner.rows import NAME, read_lines
from commonsense_planning.cli.output import Printer, print_json
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.support.english import counted

if TYPE_CHECKING:
    from commonsense_lab.runner.runner import Episode

HEAD = ("what", "episodes", "there", "to run", "questions", "calls", "tokens", "US dollars", "seconds", "known from")


def show_forecast(
    episodes: Sequence[Episode],
    out: Path,
    models: ModelSession | None,
    printer: Printer,
    *,
    again: bool,
    more: bool,
    as_json: bool,
) -> None:
    """Prints what the ``episodes`` without a row in ``out`` would take; runs, writes and asks nothing. ``more``: others
    follow that depend on their results."""
    lines = read_lines(out) if (out / NAME).is_file() else []
    found = forecasts(episodes, lines, models, again)
    whole = in_all(found)
    printer.line(f"{counted(whole.total, 'episode')}: {whole.found} are there, {whole.left} to run; nothing is run now")
    printer.rows([HEAD, *map(_row, found), *([_row(whole)] if len(found) > 1 else [])], "  ")
    for text in (
        f"{NOTHING}: not known. Seconds: of one episode after another; several run at a time (--workers, --ray).",
        "Finished episodes are the best measure: run a few, then ask again.",
        "A method's estimate is from a short episode to an upper bound, without retries, the thoughts of a model that "
        "thinks first, and the translation of an instruction.",
        *(["Further episodes depend on the results of these: they are not counted."] if more else []),
    ):
        printer.line(text, "dim")
    if as_json:
        print_json({**asdict(whole), "parts": [asdict(each) for each in found]})


def _row(forecast: Forecast) -> tuple[str, ...]:
    numbers = map(str, (forecast.total, forecast.found, forecast.left))
    return forecast.what, *numbers, *(_cell(forecast, name) for name in MEASURES), forecast.known_from


def _cell(forecast: Forecast, name: str) -> str:
    ends = [f"{number:,.{2 * (name == 'usd')}f}" for number in forecast.needs.get(name, ())]
    return " to ".join(dict.fromkeys(ends)) or NOTHING
