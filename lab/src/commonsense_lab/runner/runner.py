"""Runs the episodes of an experiment, and writes every result as soon as it is there.

An experiment may be killed at any moment and started again: it skips episodes that have a result. An episode that fails
is tried once more, then recorded with its error. An engine runs the episodes, on the cores of this machine or on a
cluster (``cluster.py``); the rows are written here. What all experiments share about their models is here too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from commonsense_lab.runner.rows import NAME, EpisodeOutcome, Failed, Labels, Unanswered, as_json, read_lines
from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import BudgetError, CplanError, EndpointError, Status, UnansweredError, WaitingError
from commonsense_planning.llm.model import Usage
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import solve
from commonsense_planning.support.english import counted
from commonsense_planning.support.pool import DIED, completed
from commonsense_planning.support.row_file import RowFile


class Episode(Protocol):
    """One run of one method on one task: a small frozen value that can be sent to another process."""

    @property
    def labels(self) -> Labels:
        """The part of its row that is known beforehand: key, task, method, seed and the like."""

    def run(self) -> EpisodeOutcome:
        """Runs the episode; returns the measured part of its row.

        A CplanError ends the whole run, since every other episode would raise it too: an endpoint that never answers, a
        wrong file, a spent budget. An UnansweredError ends this episode alone; any other exception is its failure.
        """


Keep = Callable[[Episode, EpisodeOutcome], None]
"""Gets the outcome of an episode; what it raises ends the run."""


class Engine(Protocol):
    """Where episodes run."""

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Has ``attempt`` run each episode of ``todo`` and gives its outcome to ``keep`` at once, in any order.

        An episode that kills its process every time has ``Failed``; one whose process or machine died because of
        another is run again. Whatever is raised, here or by ``keep``, nothing is left running.
        """


@dataclass(frozen=True)
class Local(Engine):
    """The cores of this machine: ``workers`` processes; for one worker, or one episode, this process."""

    workers: int

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Runs ``todo``; an episode that kills its process twice is recorded as failed."""
        if min(self.workers, len(todo)) <= 1:
            for episode in todo:
                keep(episode, attempt(episode))
            return
        with closing(completed(attempt, todo, self.workers)) as outcomes:
            for number, outcome in outcomes:
                keep(todo[number], outcome or Failed(error=DIED))


Report = Callable[[int, int, int], None]
"""Gets (episodes done, episodes in all, of these failed) after every episode."""


@dataclass(frozen=True)
class Summary:
    """``total`` episodes were wanted; ``found`` had been done before, ``done`` were done now, of which ``failed`` have
    an error. ``unanswered``: (key, question) of episodes without a row, since the recording lacks the answer."""

    total: int
    found: int
    done: int
    failed: int
    seconds: float
    unanswered: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Summary) -> Summary:
        """Sums this run and another one with other episodes."""
        both = zip(astuple(self), astuple(other), strict=True)
        return Summary(*(mine + its for mine, its in both))


def run(
    episodes: Sequence[Episode],
    out: Path,
    engine: Engine,
    report: Report = lambda done, total, failed: None,
    check: Callable[[EpisodeOutcome], None] = lambda outcome: None,
    again: bool = False,
    settle: Callable[[Labels, EpisodeOutcome], tuple[Labels, EpisodeOutcome]] | None = None,
) -> Summary:
    """Has ``engine`` run the episodes that have no row in ``out``.

    ``check`` sees every new outcome, and may end the run by raising, for example a BudgetError. ``again``: repeat
    failed episodes. ``settle`` changes a row before it is written. Raises InputError if the folder cannot be written or
    another run uses it, the CplanError of an episode or of the engine, and WaitingError, once all others are done, if
    episodes wait for answers. Interrupts and errors leave the rows so far in place and no process behind.
    """
    started = time.monotonic()
    with RowFile(out / NAME) as file:
        kept = {line.key for line in read_lines(out) if not (again and line.error)}
        wanted = {episode.labels.key: episode for episode in episodes}
        todo = [episode for key, episode in wanted.items() if key not in kept]
        found, done, failed = len(wanted) - len(todo), 0, 0
        waiting: list[str] = []
        unanswered: list[tuple[str, str]] = []
        report(found, len(wanted), failed)

        def keep(episode: Episode, outcome: EpisodeOutcome) -> None:
            nonlocal done, failed
            if isinstance(outcome, Unanswered):
                if outcome.later:
                    waiting.append(outcome.reason)
                else:
                    unanswered.append((episode.labels.key, outcome.reason))
                return
            labels = episode.labels
            if settle is not None:
                labels, outcome = settle(labels, outcome)
            file.append({**as_json(labels), **as_json(outcome)})
            done += 1
            failed += isinstance(outcome, Failed)
            report(found + done, len(wanted), failed)
            check(outcome)

        if todo:
            engine.run(todo, keep)
    if waiting:
        raise WaitingError(f"{counted(len(waiting), 'episode')} not run to the end: {waiting[0]}")
    return Summary(len(wanted), found, done, failed, time.monotonic() - started, tuple(sorted(unanswered)))


class Spending:
    """One budget for all episodes of a run. It is checked between episodes, so running episodes may exceed it."""

    def __init__(self, limits: BudgetConfig) -> None:
        self._limits = {"calls": limits.max_calls, "tokens": limits.max_tokens, "usd": limits.max_usd}
        self._spent = dict.fromkeys(self._limits, 0.0)

    def check(self, outcome: EpisodeOutcome) -> None:
        """Counts an episode. Raises BudgetError when a limit is reached."""
        for name, limit in self._limits.items():
            self._spent[name] += getattr(outcome, name, None) or 0.0
            if limit is not None and self._spent[name] >= limit:
                raise BudgetError(
                    f"the limit of {limit:g} {name} for all episodes is reached; what is done is kept: "
                    "the same command with a higher limit goes on from there"
                )


def attempt(episode: Episode) -> EpisodeOutcome:
    """Runs an episode, twice if it fails; returns its outcome, or its error as ``Failed``."""
    for _ in range(2):
        with _Caught() as caught:
            try:
                return episode.run()
            except (WaitingError, UnansweredError) as error:
                return Unanswered(reason=str(error), later=isinstance(error, WaitingError))
    return Failed(error=caught.text)


class _Caught:
    """Catches any exception of an episode, so that none ends the others' run. ``text``: its last line."""

    text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, CplanError):
            return False
        self.text = " ".join(f"{type(error).__name__}: {error}".split())
        return True


def solution_of(request: Request) -> Solution:
    """Solves an episode's task, which may end at a limit of the method. Raises BudgetError at a limit of the model,
    which is for all episodes, EndpointError if the model gives no more answers, and KeyboardInterrupt."""
    solution = solve(request)
    if solution.usage is not None and solution.usage.lost:
        raise EndpointError(solution.reason)
    if solution.status is Status.BUDGET and request.models.used_up:
        raise BudgetError(solution.reason)
    if solution.interrupted:
        raise KeyboardInterrupt
    return solution


def spent(usage: Usage, usd: float | None) -> dict[str, Any]:
    """Returns the fields of ``Asked`` but ``seconds``: what an episode asked of its model, and what that cost."""
    names = ("questions", "calls", "failures", "tokens", "prompts")
    return {"usd": usd, **{name: getattr(usage, name) for name in names}}
