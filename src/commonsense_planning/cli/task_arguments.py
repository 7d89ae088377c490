"""The arguments that name a task: DOMAIN and PROBLEM, or PACK:PROBLEM instead; ``-`` is standard input.

A command that takes a task has one decorator, and gets the paths of files, whichever form the user chose:

    @click.command(name="view")
    @task_arguments()                              # domain: Path, problem: Path
    @task_arguments("plan")                        # domain, problem, and plan: Path, a separate file
    @task_arguments(several=True)                  # domain: Path, problems: tuple[Path, ...], at least one
    @task_arguments(several=True, optional=True)   # domain: Path, problems: tuple[Path, ...]
    @task_arguments(optional=True)                 # domain: Path | None, problem: Path | None

and, of each, ``strict: bool``, how the files are read.

Other callers (a server, Python) get them from ``pddl.packs.task_files``, as this module does; ``read_task`` takes the
names unchanged.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from commonsense_planning.cli.completion import tasks
from commonsense_planning.cli.options import STANDARD, strict_option
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.pddl.packs import task_files
from commonsense_planning.pddl.syntax import MAX_BYTES
from commonsense_planning.support.reading import MOST_BYTES, reading

Function = TypeVar("Function", bound=Callable[..., Any])

_SHAPES = {  # by (several, optional)
    (False, False): "DOMAIN PROBLEM | PACK:PROBLEM",
    (True, False): "DOMAIN PROBLEM... | PACK:PROBLEM...",
    (True, True): "DOMAIN [PROBLEM...] | PACK:PROBLEM...",
    (False, True): "[DOMAIN PROBLEM | PACK:PROBLEM]",
}


def task_arguments(*then: str, several: bool = False, optional: bool = False) -> Callable[[Function], Function]:
    """Adds the arguments to a command. ``then``: the names of files that follow the task, unless ``several``.
    ``optional``: the problem may be left out, and without ``several`` the domain too."""
    shape = _SHAPES[several, optional]
    metavar = " ".join([f"({shape})", *map(str.upper, then)]) if then else shape

    def take(context: click.Context, _: click.Parameter, words: tuple[str, ...]) -> None:
        if context.resilient_parsing:
            return
        if not words and not (optional and not several):
            raise _missing(context, "DOMAIN")
        if words.count(str(STANDARD)) > 1:
            raise UsageError("standard input can be read only once, and - is given twice")
        files = [standard_input(context, MAX_BYTES + 1) if word == str(STANDARD) else word for word in words]
        domain, problems = task_files(files[0]) if files else (None, ())
        rest = files[1:]
        if several or not problems:
            taken = rest if several else rest[:1]
            rest = rest[len(taken) :]
            problems = task_files(domain, [*problems, *taken])[1] if domain else ()
        if not problems and not optional:
            raise _missing(context, "PROBLEM..." if several else "PROBLEM")
        if len(rest) < len(then):
            raise _missing(context, then[len(rest)].upper())
        if len(rest) > len(then):
            raise click.UsageError(f"Got unexpected extra argument ({rest[len(then)]})", context)
        context.params["domain"] = domain
        context.params.update({"problems": problems} if several else {"problem": next(iter(problems), None)})
        context.params.update(zip(then, map(Path, rest), strict=True))

    task = click.argument("task", nargs=-1, metavar=metavar, expose_value=False, callback=take, shell_complete=tasks)
    return lambda function: task(strict_option(function))


def standard_input(context: click.Context, most: int = MOST_BYTES + 1) -> Path:
    """A file with the contents of standard input, at most ``most`` bytes, kept while the command runs: validators and
    planners need files. Raises InputError."""
    from commonsense_planning.support.processes import temporary_folder

    if sys.stdin is None:
        raise InputError(f"{STANDARD}: standard input is closed")
    file = Path(context.with_resource(temporary_folder())) / "stdin"
    with reading(STANDARD, "standard input"):
        file.write_bytes(sys.stdin.buffer.read(most))
    return file


def _missing(context: click.Context, name: str) -> click.MissingParameter:
    return click.MissingParameter(ctx=context, param_hint=f"'{name}'", param_type="argument")
