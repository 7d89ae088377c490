"""Settings that the user need not repeat on each command line: ``cplan.toml``, and environment variables.

The first of these that gives a value wins: the command line; the environment (``CPLAN_MODEL`` for
``--model``); ``cplan.toml`` of the current folder, or of the nearest one above that has one; the user's own
``cplan/cplan.toml`` (below ``$XDG_CONFIG_HOME``, else ``~/.config``); the defaults. ``CPLAN_CONFIG`` names a file in
place of these two, or none if it is empty.

A key is an option's name without the dashes. At the top of a file it is for all commands that have the option; in a
table with a command's name, ``[solve]`` or ``[bench.household]``, for that command only, and takes precedence over
the top. Click knows the order (an option's ``envvar``, a context's ``default_map``); here it gets the values.

A folder may be a stranger's, and a user who runs cplan there may not have read its file. So that file cannot have
anything read or written outside the folder, raise a limit of the user's own file, or decide where questions and keys
are sent and who may connect (``Trusted``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.options import COMPLETION, YOURS, Trusted
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.support.english import did_you_mean
from commonsense_planning.support.reading import read_text, reading

FILE = "cplan.toml"
PREFIX = "CPLAN_"
CONFIG = f"{PREFIX}CONFIG"

Words = tuple[str, ...]
"""A command as the words that follow ``cplan``; no words: all commands."""

_FOUND = "commonsense_planning.settings"  # in the ``meta`` of contexts
_HEADER = re.compile(r"\s*\[([^\[\]]+)\]")
_FROM_THE_FILE = ("./", "../")
_LIMIT = re.compile(r"max-.+|answer-tokens|call-timeout|deadline|evaluations|retries")


@dataclass(frozen=True)
class Setting:
    """The value that a file gives an option, and its place. ``own``: whether the file is the user's or was named
    explicitly, and is not just the folder's."""

    key: str
    value: Any
    command: Words
    path: Path
    line: int
    own: bool

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def words(self) -> list[str]:
        """The value, or each of several, with paths relative to the file."""
        said = map(str, self.value if isinstance(self.value, list) else [self.value])
        return [str(self.path.parent / word) if word.startswith(_FROM_THE_FILE) else word for word in said]

    def refused_by(self, option: click.Option) -> str:
        """Why an option may not take its value from this file; empty if it may."""
        kind, folder = option.type, self.path.parent
        if self.own or option.is_flag or not isinstance(kind, click.Path | click.types.StringParamType):
            return ""
        for word in self.words:
            if isinstance(kind, Trusted) and (why := kind.refused(word)):
                return why
            if leads := _outside(folder, word, isinstance(kind, click.Path)):
                return (
                    f"a folder's cplan.toml cannot have anything outside that folder read or written: {leads}; {YOURS}"
                )
        return ""


def _outside(folder: Path, word: str, path: bool) -> str:
    """Where a value leads out of a folder, links resolved, empty if it does not: a ``path``, or a text that may be one
    or, as ``local:FILE``, end with one; also by a link below a folder that it names."""
    named = [word, *filter(None, [word.partition(":")[2]])]
    with suppress(OSError, ValueError):  # it is no path
        named += [str(below) for below in (Path(word).rglob("*") if path else ()) if below.is_symlink()]
    for each in named:
        leads = os.path.realpath(each) if "\0" not in each else ""
        if leads and not Path(leads).is_relative_to(os.path.realpath(folder)):
            return each if each == leads else f"{each}, which is {leads}"
    return ""


def keys_of(option: click.Option) -> list[str]:
    """The keys under which an option is set: its long names."""
    return [name.removeprefix("--") for name in option.opts if name.startswith("--")]


def variables_of(option: click.Option) -> list[str]:
    """The variables of the environment that set an option."""
    return [PREFIX + key.upper().replace("-", "_") for key in keys_of(option)]


def options_of(command: click.Command) -> list[click.Option]:
    """All options that a command may have; a command whose options depend on others lists them itself
    (``MethodCommand``)."""
    possible: Iterable[click.Parameter] = getattr(command, "possible_params", command.params)
    return [parameter for parameter in possible if isinstance(parameter, click.Option)]


def commands_below(
    group: click.Group, context: click.Context, words: Words = ()
) -> Iterator[tuple[Words, click.Command]]:
    """Every command below a group, with its words. Loads all of them, which is slow."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            yield (*words, name), command
        if isinstance(command, click.Group):
            yield from commands_below(command, context, (*words, name))


def let_the_environment_set(command: click.Command) -> None:
    """Lets environment variables set the options of a command, and of those below it."""
    for option in command.params:
        if isinstance(option, click.Option):
            option.envvar = option.envvar or variables_of(option)
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        let_the_environment_set(below)


def files() -> list[Path]:
    """The files that exist, the one that wins last. Raises InputError if ``CPLAN_CONFIG`` names a file that does not
    exist."""
    named = os.environ.get(CONFIG)
    if named is not None:
        if named and not Path(named).is_file():
            raise InputError(f"{CONFIG}: {named}: no such file")
        return [Path(named)] if named else []
    above: list[Path] = []
    with suppress(FileNotFoundError):  # the folder was deleted
        above = [Path.cwd(), *Path.cwd().parents]
    nearest = next((folder / FILE for folder in above if (folder / FILE).is_file()), None)
    return [file for file in dict.fromkeys([_users_own(), nearest]) if file is not None and file.is_file()]


def _users_own() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "cplan" / FILE


def settings(context: click.Context) -> list[Setting]:
    """All settings in the files, the ones that win last; the files are read once per command line. Raises InputError
    for a file that cannot be read or is not TOML."""
    if _FOUND not in context.meta:
        context.meta[_FOUND] = [setting for path in files() for setting in _read(path)]
    found: list[Setting] = context.meta[_FOUND]
    return found


def values(context: click.Context, options: Iterable[click.Option], words: Words) -> dict[str, Any]:
    """The values in the files for some options of a command, by the names of their parameters. Raises a UsageError that
    gives the place of a value that the option does not take."""
    return {name: value for name, (_, value) in chosen(context, options, words).items()}


def chosen(context: click.Context, options: Iterable[click.Option], words: Words) -> dict[str, tuple[Setting, Any]]:
    """As ``values``, each with its setting. Of a limit in the user's own file and one in a folder's, the lower one."""
    by_key = {key: option for option in options for key in keys_of(option)}
    found: dict[str, tuple[Setting, Any]] = {}
    limits: dict[str, tuple[Setting, Any]] = {}
    for setting in settings(context):
        option = by_key.get(setting.key)
        if option is None or setting.command not in ((), words):
            continue
        name = option.name or ""
        if option.is_flag and setting.value is False:  # as if it were absent
            found.pop(name, None)
            continue
        found[name] = setting, _value(context, option, setting)
        if any(map(_LIMIT.fullmatch, keys_of(option))):
            if setting.own:
                limits[name] = found[name]
            elif name in limits and float(found[name][1]) > float(limits[name][1]):
                found[name] = limits[name]
    return found


def default_map(context: click.Context, command: click.Command, words: Words) -> dict[str, Any]:
    """The values of a command's options, and of those below it, as click needs them. Raises a UsageError that gives the
    place of an unknown key or table, or of a value that the option does not take."""
    if COMPLETION in os.environ or not settings(context):
        return {}
    known = {key for option in options_of(command) for key in keys_of(option)}
    if any(setting.key not in known or setting.command not in ((), words) for setting in settings(context)):
        _check(context)
    return _default_map(context, command, words)


def _default_map(context: click.Context, command: click.Command, words: Words) -> dict[str, Any]:
    found = values(context, [option for option in command.params if isinstance(option, click.Option)], words)
    for name, below in command.commands.items() if isinstance(command, click.Group) else ():
        found[name] = _default_map(context, below, (*words, name))
    return found


def _read(path: Path) -> list[Setting]:
    import tomllib

    text = read_text(path, "settings")
    with reading(path, "settings"):
        found = list(_flat(path, text, tomllib.loads(text), ()))
    return sorted(found, key=lambda setting: len(setting.command))


def _flat(path: Path, text: str, table: Mapping[str, Any], command: Words) -> Iterator[Setting]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(path, text, value, (*command, key))
        else:
            own = CONFIG in os.environ or path == _users_own()
            yield Setting(key, value, command, path, _line(text, command, key), own)


def _line(text: str, command: Words, key: str) -> int:
    """The line in which a key of a table is set (from 1); 1 if it is not written in the usual way."""
    within: Words = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            within = tuple(word.strip(" \"'") for word in header[1].split("."))
        elif within == command and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", line):
            return number
    return 1


def _check(context: click.Context) -> None:
    """Raises UsageError for the first setting that no command has."""
    root = context.find_root()
    assert isinstance(root.command, click.Group)
    keys: dict[Words, list[str]] = {
        words: [key for option in options_of(command) for key in keys_of(option)]
        for words, command in commands_below(root.command, root)
    }
    everywhere = [key for found in keys.values() for key in found]
    for setting in settings(context):
        name = " ".join(setting.command)
        if setting.command and setting.command not in keys:
            raise UsageError(f"{setting.place}: there is no command {name}{did_you_mean(name, map(' '.join, keys))}")
        here = keys[setting.command] if setting.command else everywhere
        if setting.key not in here:
            who = f"cplan {name} has no option" if name else "no command has an option"
            raise UsageError(f"{setting.place}: {who} {setting.key}{did_you_mean(setting.key, here)}")


def _value(context: click.Context, option: click.Option, setting: Setting) -> Any:
    value, wrong = setting.value, f"{setting.place}: {setting.key}"
    if option.is_flag:
        if value is not True:
            raise UsageError(f"{wrong} must be true or false, not {value!r}")
        return option.flag_value is not False  # false only for --no-…, which turns off a default
    several = value if isinstance(value, list) and option.multiple else [value]
    for one in several:
        if not isinstance(one, str | int | float) or isinstance(one, bool):
            raise UsageError(f"{wrong} must be a text or a number, not of type {type(one).__name__}")
    words = setting.words
    try:
        for word in words:
            option.type.convert(word, option, context)
    except click.BadParameter as error:
        raise UsageError(f"{wrong}: {error.message}") from error
    if refused := setting.refused_by(option):
        raise UsageError(f"{wrong}: {refused}")
    return words if option.multiple else words[0]
