"""An event loop for a caller that waits, also where its thread runs one already, as notebooks and servers do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from commonsense_planning.support.interrupts import held

Result = TypeVar("Result")


class EventLoopThread:
    """Runs coroutines and waits for each: in the caller's thread, or from the first time on that this runs an event
    loop itself, in a thread beside it. All run on one event loop, since connections belong to it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)  # which leaves the caller's loop as it is
        self._beside: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """What the coroutine gives. It is cancelled where waiting is interrupted."""
        if not self._is_beside():
            return self._runner.run(coroutine)
        future = None
        try:
            with held():  # else it may run before we know what to cancel
                future = asyncio.run_coroutine_threadsafe(coroutine, self._runner.get_loop())
            return future.result()
        except BaseException:
            if future is not None:
                future.cancel()
            raise

    def close(self) -> None:
        """End the loop, with all that still runs on it."""
        if self._is_beside() and self._beside is not None:
            loop = self._runner.get_loop()
            loop.call_soon_threadsafe(loop.stop)
            self._beside.join()
        else:
            self._runner.close()

    def _is_beside(self) -> bool:
        """Whether the loop runs in a separate thread; that is started if necessary."""
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
