"""Runs the episodes of an experiment, and keeps every result as soon as it is there.

An experiment may be killed at any moment and started again: what is in its folder is not done again. An episode that
fails is tried once more, then recorded with what it failed of. Where episodes run is an engine's business: on the
cores of this machine (``local.py``) or on a cluster (``cluster.py``); the rows are written here. What episodes tell of
their model, whose answers are whose, and what was spent, is the same for all experiments and stands here too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypedDict

from commonsense_lab.runner.rows import EpisodeOutcome, Failed, Labels, RowFile, Unanswered, Waiting, read_lines
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import BudgetError, CplanError, Status, UnansweredError, WaitingError
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import solve
from commonsense_planning.pddl.syntax import counted


class Episode(Protocol):
    """One run of one method on one task: a small frozen value that can be sent to another process."""

    @property
    def labels(self) -> Labels:
        """The part of its row that is known beforehand: key, task, method, seed and the like."""

    def run(self) -> EpisodeOutcome:
        """Do it; the rest of its row: what was measured.

        A CplanError ends the whole run, since it would come again with every other episode: an endpoint that never
        answers, a file that is wrong, a budget that is used up. An UnansweredError ends this one alone, and any other
        exception is its own failure.
        """


Keep = Callable[[Episode, EpisodeOutcome], None]
"""Gets what came of an episode; what it raises ends the run."""


class Engine(Protocol):
    """Where episodes run."""

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Have each episode of ``todo`` run by ``attempt`` and give its outcome to ``keep`` at once, in whatever order.

        An episode that kills its process every time has ``Failed``; one that a dying process or machine
        took with it is run again. Whatever is raised, here or by ``keep``, nothing is left running.
        """


Report = Callable[[int, int, int], None]
"""Gets (episodes done, episodes in all, of these failed) after every episode."""


@dataclass(frozen=True)
class Summary:
    """``total`` episodes were wanted; ``found`` of them were done before, ``done`` now, of which ``failed`` are
    recorded with an error. ``unanswered``: the keys of those that asked what the recording has no answer to, each with
    the question; they have no row."""

    total: int
    found: int
    done: int
    failed: int
    seconds: float
    unanswered: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Summary) -> Summary:
        """Of this run and another one with other episodes."""
        both = zip(astuple(self), astuple(other), strict=True)
        return Summary(*(mine + its for mine, its in both))


def run(
    episodes: Sequence[Episode],
    out: Path,
    engine: Engine,
    report: Report = lambda done, total, failed: None,
    check: Callable[[EpisodeOutcome], None] = lambda outcome: None,
    again: bool = False,
    settle: Callable[[Labels, EpisodeOutcome], tuple[Labels, EpisodeOutcome]] = (
        lambda labels, outcome: (labels, outcome)
    ),
) -> Summary:
    """Have ``engine`` run the episodes that ``out`` has no row of.

    ``check`` sees every new outcome, and ends the run by raising, with a BudgetError say. ``again``: those that failed
    are done again. ``settle``: what becomes of a row before it is written. Raises InputError if the folder cannot be
    written or another run is at it, and the CplanError of an episode or of the engine; WaitingError, once all others
    are done, if episodes wait for answers. An interrupt or an error leaves the rows so far in place and no process
    behind.
    """
    started = time.monotonic()
    with RowFile(out) as file:
        kept = {line.key for line in read_lines(out) if not (again and line.error)}
        wanted = {episode.labels.key: episode for episode in episodes}
        todo = [episode for key, episode in wanted.items() if key not in kept]
        found, done, failed = len(wanted) - len(todo), 0, 0
        waiting: list[Waiting] = []
        unanswered: list[tuple[str, str]] = []
        report(found, len(wanted), failed)

        def keep(episode: Episode, outcome: EpisodeOutcome) -> None:
            nonlocal done, failed
            if isinstance(outcome, Waiting):
                waiting.append(outcome)
                return
            if isinstance(outcome, Unanswered):
                unanswered.append((episode.labels.key, outcome.reason))
                return
            labels, outcome = settle(episode.labels, outcome)
            file.append(labels, outcome)
            done += 1
            failed += isinstance(outcome, Failed)
            report(found + done, len(wanted), failed)
            check(outcome)

        if todo:
            engine.run(todo, keep)
    if waiting:
        raise WaitingError(f"{counted(len(waiting), 'episode')} not run to the end: {waiting[0].reason}")
    return Summary(len(wanted), found, done, failed, time.monotonic() - started, tuple(sorted(unanswered)))


class Spending:
    """One budget for all episodes of a run. The limits are looked at between episodes, so they can be exceeded by
    what the episodes under way cost."""

    def __init__(self, limits: BudgetConfig) -> None:
        self._limits = {"calls": limits.max_calls, "tokens": limits.max_tokens, "usd": limits.max_usd}
        self._spent = dict.fromkeys(self._limits, 0.0)

    def check(self, outcome: EpisodeOutcome) -> None:
        """Take an episode into account. Raises BudgetError when a limit is reached."""
        for name, limit in self._limits.items():
            self._spent[name] += outcome.paid.get(name, 0.0)
            if limit is not None and self._spent[name] >= limit:
                raise BudgetError(
                    f"the limit of {limit:g} {name} for all episodes is reached; what is done is kept: "
                    "the same command with a higher limit goes on from there"
                )


def attempt(episode: Episode) -> EpisodeOutcome:
    """What the episode gives; what it failed of, where it fails twice."""
    for _ in range(2):
        with _Caught() as caught:
            try:
                return episode.run()
            except WaitingError as error:
                return Waiting(reason=str(error))
            except UnansweredError as error:
                return Unanswered(reason=str(error))
    return Failed(error=caught.text)


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


def own_models(model: ModelConfig, limits: BudgetConfig, part: str, seed: int) -> ModelSession:
    """The model for one episode, or for what several need alike. ``part`` of a recording is its own, since a replay
    gives what was recorded only if episodes do not get each other's answers; each seed has a cache of its own, since
    repeats must not: ``answers.jsonl`` becomes ``answers.SEED.jsonl``."""
    path = model.cache
    if path is not None:
        model = replace(model, cache=path.with_name(f"{path.stem}.{seed}{path.suffix}"))
    return ModelSession(model, limits, part)


def solution_of(request: Request) -> Solution:
    """What came of an episode's task; a limit that is the method's own is one way to end it. Raises BudgetError where a
    limit of the model's ended it, which is for all episodes, and an interrupt."""
    solution = solve(request)
    if solution.status is Status.BUDGET and request.models.used_up:
        raise BudgetError(solution.reason)
    if solution.interrupted:
        raise KeyboardInterrupt
    return solution


class Spent(TypedDict):
    """The fields of ``Asked`` that say what an episode asked of its model, and what that cost."""

    questions: int
    calls: int
    failures: int
    tokens: int
    usd: float | None
    prompts: str


def spent(usage: Usage, usd: float | None) -> Spent:
    """What was asked, and what that cost."""
    return {
        "questions": usage.questions,
        "calls": usage.calls,
        "failures": usage.failures,
        "tokens": usage.tokens,
        "usd": usd,
        "prompts": usage.prompts,
    }
