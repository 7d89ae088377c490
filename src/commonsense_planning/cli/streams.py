"""Standard output and standard error of a command: their texts, and the exit if they cannot be written."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, TypeVar, cast

import click

from commonsense_planning.cli.output import complain

Result = TypeVar("Result")


class _Outlet:
    """A stream whose disk may be full or whose reader may be gone. After the first OSError, which is appended to
    ``lost``, output is discarded: the work continues, and its files are written."""

    def __init__(self, stream: TextIO, lost: list[OSError]) -> None:
        self._stream = stream
        self._lost = lost

    def write(self, text: str) -> int:
        """See TextIO."""
        return self._tried(lambda: self._stream.write(text))

    def flush(self) -> None:
        """Flush like the stream."""
        self._tried(self._stream.flush)

    def _tried(self, act: Callable[[], Result]) -> Result:
        try:
            return act()
        except OSError as error:
            self._lost.append(error)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())  # also for what the stream still holds
            os.close(nowhere)
            return act()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def losing_nothing() -> Iterator[list[OSError]]:
    """Lets the work continue if its output cannot be written. Yields the errors of standard output; a reader that has
    closed the pipe, such as ``head``, has lost nothing."""
    lost: list[OSError] = []
    with ExitStack() as redirected:
        for redirect, stream, found in ((redirect_stdout, sys.stdout, lost), (redirect_stderr, sys.stderr, [])):
            if stream is not None:  # the shell has closed it
                redirected.enter_context(redirect(cast(TextIO, _Outlet(stream, found))))
        try:
            yield lost
        finally:
            lost[:] = [error for error in lost if error.errno != errno.EPIPE]


class Complaints(logging.Handler):
    """Prints what the library and its dependencies log, unless the command is quiet."""

    def emit(self, record: logging.LogRecord) -> None:
        """See logging."""
        context = click.get_current_context(silent=True)
        if context is None or not context.params.get("quiet"):
            own = "cplan: " if record.name.startswith("commonsense_planning.") else ""
            complain(own + self.format(record))


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    handler, root = Complaints(logging.WARNING), logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
