"""Worker processes that never outlive the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType


class Pool(ProcessPoolExecutor):
    """Worker processes that end with this process, whichever way, and at once when an exception leaves the block."""

    def __init__(self, workers: int) -> None:
        # a fork would copy locks and threads of compiled code in any state
        super().__init__(workers, multiprocessing.get_context("spawn"), _start_worker)
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
