"""``cplan config``: the settings in effect, and the source of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import click
from click.core import ParameterSource

from commonsense_planning.cli.options import Private, json_option
from commonsense_planning.cli.settings import (
    PREFIX,
    Words,
    chosen,
    commands_below,
    files,
    keys_of,
    options_of,
    settings,
    variables_of,
)
from commonsense_planning.errors import EXIT_SOLVED, UsageError

EPILOG = """\b
Examples:
  cplan config
  cplan config solve
  cplan config bench household

\b
The first of these that gives a value wins:
  1. the command line
  2. the environment: CPLAN_MODEL for --model, CPLAN_MAX_USD for --max-usd
  3. cplan.toml in the current folder, or in the nearest one above
  4. cplan/cplan.toml below $XDG_CONFIG_HOME, or below ~/.config
  5. the defaults
CPLAN_CONFIG names a file to read instead of 3 and 4; if it is empty, none is read.

\b
In a file, the keys are the options' names; a table such as [solve] is for that command only:
  model = "local"
  [solve]
  method = "llm-replan"
"""


DEFAULT, ALL = "default", "all commands"
_PRIVATE = re.compile(r"key|pass\w*|secre\w*|token")
_ASIDE = re.compile(r"(?<=//)[^/\s]*(?=@)|(?<=\?)\S+")


@click.command(name="config", short_help="Show the settings in effect, and their source.", epilog=EPILOG)
@click.argument("words", metavar="[COMMAND]", nargs=-1)
@json_option
@click.pass_context
def command(context: click.Context, /, words: Words, as_json: bool) -> int:
    """Show the settings in files and the environment; with a COMMAND, each of its options, its value and the value's
    source."""
    from commonsense_planning.cli.output import Printer, print_json

    printer = Printer(as_json)
    rows = list(_of_command(context, words)) if words else list(_given(context))
    read = [str(file) for file in files()]
    for file in read:
        printer.line(f"read: {file}")
    if not read:
        printer.line("no cplan.toml is read")
    printer.rows(rows, "  ", {row[-1]: "bold" for row in rows if row[-1] != DEFAULT})
    if as_json:
        given = [{"key": row[0], "value": row[1], "from": row[-1]} for row in rows]
        print_json({"files": read, "settings": given})
    return EXIT_SOLVED


def _given(context: click.Context) -> Iterator[tuple[str, str, str, str]]:
    """Each setting in a file or the environment: key, value, command, and its place or that it is refused."""
    root = context.find_root()
    assert isinstance(root.command, click.Group)
    options = [(words, option) for words, below in commands_below(root.command, root) for option in options_of(below)]
    for setting in settings(context):
        who = [option for words, option in options if setting.command in ((), words) and setting.key in keys_of(option)]
        why = next(filter(None, map(setting.refused_by, who)), "")
        place = f"{setting.place}: refused, {why}" if why else setting.place
        yield setting.key, _shown(setting.value, *who), " ".join(setting.command) or ALL, place
    for variable, value in sorted(os.environ.items()):
        if who := [option for _, option in options if variable in variables_of(option)]:
            yield variable.removeprefix(PREFIX).lower().replace("_", "-"), _shown(value, *who), ALL, variable


def _of_command(context: click.Context, words: Words) -> Iterator[tuple[str, str, str]]:
    """Every option of a command: key, value, place. Raises UsageError if there is no such command."""
    above = context.find_root()
    command: click.Command = above.command
    for word in words:
        if not isinstance(command, click.Group) or word not in command.list_commands(above):
            raise UsageError(f"there is no command {' '.join(words)}")
        _, found, _ = command.resolve_command(above, [word])
        assert found is not None
        command, above = found, found.make_context(word, [], parent=above, resilient_parsing=True)
    for parameter in command.get_params(above):
        if isinstance(parameter, click.Option) and parameter.name in above.params and keys_of(parameter):
            value = above.params[parameter.name]
            yield keys_of(parameter)[0], _shown(value, parameter), _place(above, parameter, words)


def _place(context: click.Context, option: click.Option, words: Words) -> str:
    """The source of an option's value."""
    source = context.get_parameter_source(option.name or "")
    if source is ParameterSource.ENVIRONMENT:
        return next(variable for variable in variables_of(option) if os.environ.get(variable))
    if source is ParameterSource.DEFAULT_MAP:
        return chosen(context, [option], words)[option.name or ""][0].place
    return DEFAULT


def _shown(value: Any, *options: click.Option) -> str:
    """An option's value, or values, for printing: of a private one only that it is "set"; of an address no part that
    may be a password or a key."""
    if any(map(_private, options)) and value not in (None, "", ()):
        return "set"
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(map(str, value))
    return _ASIDE.sub("…", str(value))


def _private(option: click.Option) -> bool:
    """Whether an option is private by its type or, for plug-ins, by its name."""
    return isinstance(option.type, Private) or any(map(_PRIVATE.fullmatch, keys_of(option)[0].split("-")))
