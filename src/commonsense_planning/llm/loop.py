"""An event loop for synchronous callers, including those whose thread already runs one, as in notebooks and servers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from commonsense_planning.support.interrupts import held

Result = TypeVar("Result")


class EventLoopThread:
    """Runs coroutines and waits for each: in the caller's thread, or in a separate thread once the caller's thread runs
    an event loop itself. All coroutines run on one event loop, since connections belong to it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)  # does not replace the caller's loop
        self._beside: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Returns the coroutine's result. If waiting is interrupted, the coroutine is cancelled."""
        if not self._is_beside():
            return self._runner.run(coroutine)
        future = None
        try:
            with held():  # so that no interrupt comes before there is a future to cancel
                future = asyncio.run_coroutine_threadsafe(coroutine, self._runner.get_loop())
            return future.result()
        except BaseException:
            if future is not None:
                future.cancel()
            raise

    def close(self) -> None:
        """Ends the loop, and everything that still runs on it."""
        if self._is_beside() and self._beside is not None:
            loop = self._runner.get_loop()
            loop.call_soon_threadsafe(loop.stop)
            self._beside.join()
        else:
            self._runner.close()

    def _is_beside(self) -> bool:
        """Returns whether the loop runs in a separate thread, which is started if necessary."""
        if self._beside is None and _runs_here():
            self._beside = threading.Thread(target=self._serve, args=(self._runner.get_loop(),), daemon=True)
            self._beside.start()
        return self._beside is not None

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.run_forever()
        self._runner.close()


def _runs_here() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
