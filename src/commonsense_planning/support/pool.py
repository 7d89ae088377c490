"""Worker processes for several items at once, which never outlive this process.

If a worker process dies, the items of all workers are lost, since the pool does not report which one it was. These are
repeated, each in a separate process, and only an item whose process dies twice is given up.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import TypeVar

from commonsense_planning.errors import MissingError

DIED = "the process died twice, as of a crash or of too little memory"
"""The reason for an item without a result."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(ProcessPoolExecutor):
    """Worker processes that end with this process, however it ends, and at once when an exception leaves the block.
    Raises MissingError if the system has no semaphores for them, as with a read-only ``/dev/shm``."""

    def __init__(self, workers: int) -> None:
        try:
            # a fork would copy locks and threads of compiled code in an arbitrary state
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
    """Prepares a worker: it ignores interrupts, since the main process ends its workers, and watches the main process,
    which cannot end them if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def completed(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int
) -> Generator[tuple[int, Result | None], None, None]:
    """The number of each item with its result, as soon as it is available; None for an item whose process dies twice.
    ``work``, its items and its results must be picklable; exceptions of ``work`` are raised here.

    Items begin in their order, ``workers`` at a time. Closing the iterator early ends all processes.
    """
    waiting = list(reversed(range(len(items))))
    while waiting:
        under_way: dict[Future[Result], int] = {}
        with Pool(min(workers, len(waiting))) as pool:
            try:
                while waiting or under_way:
                    # no more than can run: after a death, any of these may have caused it
                    while waiting and len(under_way) < workers:
                        future = pool.submit(work, items[waiting[-1]])
                        under_way[future] = waiting.pop()
                    for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                        result = future.result()
                        yield under_way.pop(future), result
            except BrokenProcessPool:
                for future in [future for future in under_way if future.done() and future.exception() is None]:
                    yield under_way.pop(future), future.result()
        for number in under_way.values():
            yield number, _alone(work, items[number])


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """The results by number from 0 on, each as soon as all before it are available."""
    early: dict[int, Result] = {}
    following = 0
    for number, result in results:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1


def _alone(work: Callable[[Item], Result], item: Item) -> Result | None:
    """The result of an item whose process may have died of it, or of another's; None if it dies twice."""
    for _ in range(2):
        with Pool(1) as pool:
            future = pool.submit(work, item)
            if not isinstance(future.exception(), BrokenProcessPool):
                return future.result()
    return None
