"""Waiting for what an event loop runs beside the caller's own."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import Any

import pytest

from commonsense_planning.llm.loop import EventLoopThread


def test_an_interrupt_while_a_coroutine_is_handed_over_cancels_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()
    hand_over = asyncio.run_coroutine_threadsafe

    def interrupted(*args: Any) -> Any:
        future = hand_over(*args)
        assert begun.wait(10)
        signal.raise_signal(signal.SIGINT)
        return future

    async def silent() -> None:
        begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    async def notebook() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a loop of its own would cancel its task instead
        with pytest.raises(KeyboardInterrupt):
            loop.run(silent())

    loop = EventLoopThread()
    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", interrupted)
    asyncio.run(notebook())
    assert ended.wait(10)
    loop.close()
