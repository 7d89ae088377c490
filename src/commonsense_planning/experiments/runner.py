"""Runs the episodes of an experiment on all cores, and keeps every result as soon as it is there.

An experiment may be killed at any moment and started again: what is in its folder is not done again. An episode that
fails is tried once more, then recorded with what it failed of. A worker process that dies takes with it the
episodes of all its fellows, since the pool does not say who did it: these are run again, each in a process of its
own, and only the one that kills its process a second time is recorded as failed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from commonsense_planning.errors import CplanError
from commonsense_planning.experiments.rows import Row, RowFile, read_rows

_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy locks and threads of compiled code in any state


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


def run(
    episodes: Sequence[Episode],
    out: Path,
    workers: int,
    report: Report = lambda done, total, failed: None,
    check: Callable[[Row], None] = lambda row: None,
    again: bool = False,
) -> Summary:
    """Run the episodes that ``out`` has no row of, with as many processes as ``workers`` says; one: in this process.

    ``check`` sees every new row, and ends the run by raising, with a BudgetError say. ``again``: those that failed
    are done again. Raises InputError if the folder cannot be written or another run is at it, and the CplanError of
    an episode. An interrupt or an error leaves the rows so far in place and no process behind.
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

        if workers > 1 and len(todo) > 1:
            _in_processes(todo, min(workers, len(todo)), keep)
        else:
            for episode in todo:
                keep(episode, attempt(episode))
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


def _in_processes(todo: Sequence[Episode], workers: int, keep: Callable[[Episode, Row], None]) -> None:
    """Run ``todo`` in a pool, and after the death of a worker go on with a new one."""
    waiting = list(reversed(todo))
    while waiting:
        for episode in _until_a_death(waiting, workers, keep):
            keep(episode, _alone(episode))


def _until_a_death(waiting: list[Episode], workers: int, keep: Callable[[Episode, Row], None]) -> list[Episode]:
    """Run what is ``waiting``, from its end, until nothing is left or a worker dies; the episodes that were under way
    then."""
    running: dict[Future[Row], Episode] = {}
    with _Pool(workers) as pool:
        try:
            while waiting or running:
                # no more than can run: after a death, these are the ones that may have caused it
                while waiting and len(running) < workers:
                    future = pool.submit(attempt, waiting[-1])
                    running[future] = waiting.pop()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    row = future.result()
                    keep(running.pop(future), row)
        except BrokenProcessPool:
            for future in [future for future in running if future.done() and future.exception() is None]:
                keep(running.pop(future), future.result())
    return list(running.values())


def _alone(episode: Episode) -> Row:
    """The second try of an episode whose process may have died of it."""
    with _Pool(1) as pool:
        future = pool.submit(attempt, episode)
        if isinstance(future.exception(), BrokenProcessPool):
            return {"error": "the process died twice, as of a crash or of too little memory"}
        return future.result()


class _Pool(ProcessPoolExecutor):
    """Worker processes that end with this process, whichever way, and at once when an exception leaves the block."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, _SPAWN, _start_worker)
        self._before = set(multiprocessing.active_children())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for process in set(multiprocessing.active_children()) - self._before:
                process.terminate()
        self.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """An interrupt is for the main process, which ends its workers. One that is killed cannot: so they watch it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
