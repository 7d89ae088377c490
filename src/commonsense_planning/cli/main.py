"""The entry point: finds the command, and gives every outcome its exit code."""

from __future__ import annotations

import atexit
import errno
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, TypeVar, cast

import click

from commonsense_planning import __version__
from commonsense_planning.cli.lazy import LazyGroup
from commonsense_planning.errors import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_SOLVED, CplanError, InputError, UsageError
from commonsense_planning.support.interrupts import ending_in_order
from commonsense_planning.support.limits import default_megabytes, within_memory

COMMANDS = {
    "Plan": {
        "solve": "solve:command",
        "validate": "validate:command",
        "check": "check:check",
        "packs": "catalogue:packs",
        "methods": "catalogue:methods",
        "view": "view:command",
    },
    "Models": {"models": "catalogue:models", "answer": "answer:command"},
    "Tools": {
        "doctor": "doctor:command",
        "config": "config:command",
        "completion": "completion:command",
        "new-domain": "new_domain:command",
        "ground": "check:ground",
        "serve": "serve:command",
        "mcp": "mcp:command",
    },
}
"""The core's commands, in the groups that ``--help`` shows; those of plug-ins come from the entry points of
``PLUG_INS``, in the group ``PLUG_INS_BELOW``."""

MOVED = {
    "export-virtualhome": "data export-virtualhome",
    "import-flights": "data import-flights",
    "import-virtualhome": "data import-virtualhome",
    "mdl": "bench mdl",
    "tasks": "data tasks",
}
"""Former name of a command → its name now."""

_WRONG_NAMES = (errno.ENAMETOOLONG, errno.EACCES, errno.ELOOP)
"""Errors of the system for a name that cannot be a file, when a command line only asks whether the file exists."""

Result = TypeVar("Result")

PLUG_INS, PLUG_INS_BELOW = "commonsense_planning.commands", "Experiments and other plug-ins"

EPILOG = """\b
Start with:
  cplan doctor                           does everything work here?
  cplan methods                          the ways to solve a task
  cplan solve household:demo             solve a task that ships; cplan packs lists them
  cplan solve domain.pddl problem.pddl   solve your own

\b
Exit codes: 0 solved or valid, 1 not solved or plan invalid, 2 bad input or usage,
3 something needed is missing, 4 time, memory or budget used up, 130 interrupted,
143 ended by SIGTERM, 129 by SIGHUP: results so far are kept, and no process is left behind.
"""


@click.group(
    cls=LazyGroup,
    own=COMMANDS,
    plug_ins=PLUG_INS,
    plug_ins_below=PLUG_INS_BELOW,
    moved=MOVED,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="cplan %(version)s", help=None)
def cplan() -> None:
    """Planning in PDDL, guided by a language model's common sense."""


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
def _losing_nothing() -> Iterator[list[OSError]]:
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


def main(args: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code; errors raised on purpose become a message on stderr."""
    try:
        return _heard(args)
    except KeyboardInterrupt:  # before anything has begun, or another one while the first was being reported
        return EXIT_INTERRUPTED


def _heard(args: Sequence[str] | None) -> int:
    """Runs the command line; interrupts and lost output are reported."""
    with _losing_nothing() as lost, ending_in_order() as came:
        code = _run(args)
        # only clean-up is left: an interrupt would print nothing but a traceback
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    if lost:
        _complain(f"cplan: cannot write to standard output: {lost[0].strerror}")
        return EXIT_INPUT
    return 128 + came[-1] if came and code == EXIT_INTERRUPTED else code


class Complaints(logging.Handler):
    """Prints what the library and its dependencies log, unless the command is quiet."""

    def emit(self, record: logging.LogRecord) -> None:
        """See logging."""
        context = click.get_current_context(silent=True)
        if context is None or not context.params.get("quiet"):
            own = "cplan: " if record.name.startswith("commonsense_planning.") else ""
            _complain(own + self.format(record))


@contextmanager
def _logging() -> Iterator[None]:
    handler, root = Complaints(logging.WARNING), logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def _run(args: Sequence[str] | None) -> int:
    asked = {"as_json": "--json" in (sys.argv if args is None else args)}  # else, see ``options.py``
    hint = ""
    try:
        with within_memory(default_megabytes()), _logging():
            code = cplan.main(args, prog_name="cplan", standalone_mode=False, obj=asked)
        return code if isinstance(code, int) else EXIT_SOLVED
    except CplanError as error:
        failed = error
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return EXIT_INPUT
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"\nSee: {context.command_path} --help" if context else ""
        failed = UsageError(error.format_message())
    except OSError as error:
        if error.errno not in _WRONG_NAMES:
            raise
        failed = InputError(f"{error.filename}: {error.strerror}")
    except (KeyboardInterrupt, click.Abort):
        click.echo("cplan: interrupted", err=True)
        return EXIT_INTERRUPTED
    _complain(failed.line + hint)
    if asked["as_json"]:
        click.echo(json.dumps(failed.as_json(), indent=2))
    return failed.exit_code


def _complain(text: str) -> None:
    from commonsense_planning.cli.output import complain  # slow to import

    complain(text)
