"""One budget for all episodes of an experiment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import BudgetError, CplanError
from commonsense_planning.runner.rows import Row, RowFile, read_rows


class Spending:
    """Adds up what the new rows of a run cost. The limits are looked at between episodes, so they can be exceeded by
    what the episodes under way cost."""

    def __init__(self, limits: BudgetConfig) -> None:
        self._limits = {"calls": limits.max_calls, "tokens": limits.max_tokens, "usd": limits.max_usd}
        self._spent = dict.fromkeys(self._limits, 0.0)

    def check(self, row: Row) -> None:
        """Take a row into account. Raises BudgetError when a limit is reached."""
        for name, limit in self._limits.items():
            self._spent[name] += row.get(name) or 0
            if limit is not None and self._spent[name] >= limit:
                raise BudgetError(
                    f"the limit of {limit:g} {name} for all episodes is reached; what is done is kept: "
                    "the same command with a higher limit goes on from there"
                )


class Episode(Protocol):
    """One run of one method on one task: a small frozen value that can be sent to another process."""

    @property
    def key(self) -> str:
        """What tells the episode from all others of its experiment, the same in every run."""

    @property
    def labels(self) -> Row:
        """The columns of its row that are known beforehand: task, method, seed and the like."""

    def run(self) -> Row:
        """Do it; what was measured, as JSON values.

        A CplanError ends the whole run, since it would come again with every other episode: an endpoint that never
        answers, a file that is wrong, a budget that is used up. Any other exception is this episode's own failure.
        """


Keep = Callable[[Episode, Row], None]
"""Gets what came of an episode; what it raises ends the run."""


class Engine(Protocol):
    """Where episodes run."""

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Have each episode of ``todo`` run by ``attempt`` and give its row to ``keep`` at once, in whatever order.

        An episode that kills its process every time gets a row with an ``error``; one that a dying process or machine
        took with it is run again. Whatever is raised, here or by ``keep``, nothing is left running.
        """


Report = Callable[[int, int, int], None]
"""Gets (episodes done, episodes in all, of these failed) after every episode."""


@dataclass(frozen=True)
class Summary:
    """``total`` episodes were wanted; ``found`` of them were done before, ``done`` now, of which ``failed`` are
    recorded with an error."""

    total: int
    found: int
    done: int
    failed: int
    seconds: float

    def __add__(self, other: Summary) -> Summary:
        """Of this run and another one with other episodes."""
        both = zip(astuple(self), astuple(other), strict=True)
        return Summary(*(mine + its for mine, its in both))


def run(
    episodes: Sequence[Episode],
    out: Path,
    engine: Engine,
    report: Report = lambda done, total, failed: None,
    check: Callable[[Row], None] = lambda row: None,
    again: bool = False,
) -> Summary:
    """Have ``engine`` run the episodes that ``out`` has no row of.

    ``check`` sees every new row, and ends the run by raising, with a BudgetError say. ``again``: those that failed
    are done again. Raises InputError if the folder cannot be written or another run is at it, and the CplanError of
    an episode or of the engine. An interrupt or an error leaves the rows so far in place and no process behind.
    """
    started = time.monotonic()
    with RowFile(out) as file:
        kept = {row["key"] for row in read_rows(out) if not (again and row.get("error"))}
        wanted = {episode.key: episode for episode in episodes}
        todo = [episode for key, episode in wanted.items() if key not in kept]
        found, done, failed = len(wanted) - len(todo), 0, 0
        report(found, len(wanted), failed)

        def keep(episode: Episode, row: Row) -> None:
            nonlocal done, failed
            file.append({"key": episode.key, **episode.labels, **row})
            done += 1
            failed += bool(row.get("error"))
            report(found + done, len(wanted), failed)
            check(row)

        if todo:
            engine.run(todo, keep)
    return Summary(len(wanted), found, done, failed, time.monotonic() - started)


def attempt(episode: Episode) -> Row:
    """What the episode gives; what it failed of, where it fails twice."""
    for _ in range(2):
        with _Caught() as caught:
            return episode.run()
    return {"error": caught.text}


class _Caught:
    """Takes up any exception of an episode: none may end the others' run. ``text``: its last line."""

    text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, CplanError):
            return False
        self.text = " ".join(f"{type(error).__name__}: {error}".split())
        return True
