"""Ctrl-C and other signals that end the process: they take effect at once, except where that would leave something half
done."""

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


def _gets_signals() -> bool:
    """Whether this is the main thread, which gets the signals."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def ending_in_order() -> Iterator[list[int]]:
    """A context in which ending signals raise KeyboardInterrupt, unless they have other handlers; yields the list of
    the signals received. A signal after the block interrupts nothing."""
    came: list[int] = []
    over = False

    def end(number: int, _: object) -> None:
        came.append(number)
        if not over:
            raise KeyboardInterrupt

    ours = [number for number, usual in ENDING.items() if _gets_signals() and signal.getsignal(number) == usual]
    try:
        for number in ours:
            signal.signal(number, end)
        with _heard_at_once(came) if ours else nullcontext():
            try:
                yield came
            finally:
                over = True
                if came and isinstance(sys.exception(), Exception):
                    raise KeyboardInterrupt  # compiled code, such as NumPy's, took it for an internal error
    finally:
        for number in ours:
            signal.signal(number, ENDING[number])


@contextmanager
def held() -> Iterator[None]:
    """A context that delays an ending signal until the block is left, which must be soon; a second signal is not
    delayed."""
    before = {number: signal.getsignal(number) for number in ENDING if _gets_signals()}
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
    """A context that repeats a signal to the main thread until it is in ``came``. Python handles signals between two
    steps of a program, so one that comes just before the main thread begins to wait, for a child or an endpoint, would
    be handled only after that. One that comes where Python ignores exceptions, such as in a finalizer, would be
    lost."""
    main, (told, tell) = threading.get_ident(), socket.socketpair()
    tell.setblocking(False)

    def listen() -> None:
        while number := told.recv(1):
            time.sleep(NUDGE)  # usually it is handled by then
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
