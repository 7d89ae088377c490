"""The entry point: finds the command, and gives every outcome its exit code."""

from __future__ import annotations

import atexit
import errno
import json
import signal
import sys
from collections.abc import Sequence

import click

from commonsense_planning import __version__
from commonsense_planning.cli.lazy import LazyGroup
from commonsense_planning.cli.output import complain
from commonsense_planning.cli.streams import logging_to_stderr, losing_nothing
from commonsense_planning.errors import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_SOLVED, CplanError, InputError, UsageError
from commonsense_planning.support.interrupts import ending_in_order
from commonsense_planning.support.limits import default_megabytes, within_memory

COMMANDS = {
    "Plan": {
        "solve": "solve:command",
        "compare": "compare:command",
        "validate": "validate:command",
        "check": "check:check",
        "explain": "explain:command",
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


def main(args: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code; errors raised on purpose become a message on stderr."""
    try:
        return _heard(args)
    except KeyboardInterrupt:  # before anything has begun, or another one while the first was being reported
        return EXIT_INTERRUPTED


def _heard(args: Sequence[str] | None) -> int:
    """Runs the command line; interrupts and lost output are reported."""
    with losing_nothing() as lost, ending_in_order() as came:
        code = _run(args)
        # only clean-up is left: an interrupt would print nothing but a traceback
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    if lost:
        complain(f"cplan: cannot write to standard output: {lost[0].strerror}")
        return EXIT_INPUT
    return 128 + came[-1] if came and code == EXIT_INTERRUPTED else code


def _run(args: Sequence[str] | None) -> int:
    asked = {"as_json": "--json" in (sys.argv if args is None else args)}  # else, see ``options.py``
    hint = ""
    try:
        with within_memory(default_megabytes()), logging_to_stderr():
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
    complain(failed.line + hint)
    if asked["as_json"]:
        click.echo(json.dumps(failed.as_json(), indent=2))
    return failed.exit_code
