"""Ctrl-C and other signals that tell us to end: heard at once, except where half of something would be left."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

ENDING: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
"""The signals that ask the process to end, and Python's default handlers for them."""
NUDGE = 0.1  # seconds between two notifications of the main thread about a signal


def _alone() -> bool:
    """Whether this thread is the one that gets signals."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def ending_in_order() -> Iterator[list[int]]:
    """Let the signals to end interrupt, unless they have other handlers; yields the list of the signals that came.
    One that comes when the block has been left finds nothing to interrupt."""
    came: list[int] = []
    over = False

    def end(number: int, _: object) -> None:
        came.append(number)
        if not over:
            raise KeyboardInterrupt

    ours = [number for number, usual in ENDING.items() if _alone() and signal.getsignal(number) == usual]
    try:
        for number in ours:
            signal.signal(number, end)
        with _heard_at_once(came) if ours else nullcontext():
            try:
                yield came
            finally:
                over = True
                if came and isinstance(sys.exception(), Exception):
                    raise KeyboardInterrupt  # compiled code, such as NumPy's, has mistaken it for an internal error
    finally:
        for number in ours:
            signal.signal(number, ENDING[number])


@contextmanager
def held() -> Iterator[None]:
    """Let a signal to end wait until the block is left, which must be soon; a second one does not wait."""
    before = {number: signal.getsignal(number) for number in ENDING if _alone()}
    came: list[int] = []

    def wait(number: int, frame: Any) -> None:
        came.append(number)
        handler = before[signal.Signals(number)]
        if len(came) > 1 and callable(handler):
            handler(number, frame)

    handled = {number: handler for number, handler in before.items() if callable(handler)}
    for number in handled:
        signal.signal(number, wait)
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
    for first in came[:1]:
        handled[signal.Signals(first)](first, None)


@contextmanager
def _heard_at_once(came: list[int]) -> Iterator[None]:
    """Send a signal to the main thread again until it is among those that ``came``. Python handles one between two
    steps of a program: one that comes just before the main thread begins to wait, for a child or an endpoint, would
    else be heard when that is over. And one that comes where Python ignores what is raised, such as in a finalizer,
    would be heard by nobody."""
    main, (told, tell) = threading.get_ident(), socket.socketpair()
    tell.setblocking(False)

    def listen() -> None:
        while number := told.recv(1):
            time.sleep(NUDGE)  # as a rule it is heard by then
            while number[0] in ENDING and number[0] not in came and tell.fileno() >= 0:
                signal.pthread_kill(main, number[0])
                time.sleep(NUDGE)

    def ignored(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is KeyboardInterrupt and came:
            tell.send(bytes([came.pop()]))
        else:
            otherwise(what)

    listener = threading.Thread(target=listen, daemon=True)
    before = signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
    otherwise, sys.unraisablehook = sys.unraisablehook, ignored
    listener.start()
    try:
        yield
    finally:
        sys.unraisablehook = otherwise
        signal.set_wakeup_fd(before)
        tell.close()
        listener.join()
        told.close()
