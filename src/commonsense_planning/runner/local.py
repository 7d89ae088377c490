"""Runs the episodes of an experiment on the cores of this machine, in worker processes that never outlive this one.

A worker process that dies takes with it the episodes of all its fellows, since the pool does not say who did it: these
are run again, each in a process of its own, and only one that kills such a process twice is recorded as failed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from types import TracebackType

from commonsense_planning.errors import MissingError
from commonsense_planning.runner.rows import Failed, Outcome
from commonsense_planning.runner.runner import Engine, Episode, Keep, attempt


class Pool(ProcessPoolExecutor):
    """Worker processes that end with this process, whichever way, and at once when an exception leaves the block.
    Raises MissingError where the system has no semaphores for them, as with a ``/dev/shm`` that is read-only."""

    def __init__(self, workers: int) -> None:
        try:
            # a fork would copy locks and threads of compiled code in any state
            super().__init__(workers, multiprocessing.get_context("spawn"), _start_worker)
        except OSError as error:
            raise MissingError(
                f"no semaphores for several processes, which Linux keeps in /dev/shm: {error.strerror or error}; "
                "one process does without: --jobs 1 or --workers 1"
            ) from error
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


@dataclass(frozen=True)
class Local(Engine):
    """As many processes as ``workers`` says; one, or one episode: in this process."""

    workers: int

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Run ``todo``, after the death of a worker in a new pool."""
        workers = min(self.workers, len(todo))
        if workers <= 1:
            for episode in todo:
                keep(episode, attempt(episode))
            return
        waiting = list(reversed(todo))
        while waiting:
            for episode in _until_a_death(waiting, workers, keep):
                keep(episode, _alone(episode))


def _until_a_death(waiting: list[Episode], workers: int, keep: Keep) -> list[Episode]:
    """Run what is ``waiting``, from its end, until nothing is left or a worker dies; the episodes that were under way
    then."""
    running: dict[Future[Outcome], Episode] = {}
    with Pool(workers) as pool:
        try:
            while waiting or running:
                # no more than can run: after a death, these are the ones that may have caused it
                while waiting and len(running) < workers:
                    future = pool.submit(attempt, waiting[-1])
                    running[future] = waiting.pop()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    outcome = future.result()
                    keep(running.pop(future), outcome)
        except BrokenProcessPool:
            for future in [future for future in running if future.done() and future.exception() is None]:
                keep(running.pop(future), future.result())
    return list(running.values())


def _alone(episode: Episode) -> Outcome:
    """Run an episode whose process may have died of it: it had perhaps not even begun when another's did."""
    for _ in range(2):
        with Pool(1) as pool:
            future = pool.submit(attempt, episode)
            if not isinstance(future.exception(), BrokenProcessPool):
                return future.result()
    return Failed(error="the process died twice, as of a crash or of too little memory")
