"""Arguments and options that several commands share, and options that take several values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click

from commonsense_planning.config import MAX_OPERATORS, REQUEST_FIELD, OptionField, Options
from commonsense_planning.support.limits import SHARE, within_memory

Function = TypeVar("Function", bound=Callable[..., Any])

LARGEST = 2**63 - 1

FILE = click.Path(path_type=Path)  # the file's reader reports it, with the reason, if it cannot be read
OUT = click.Path(path_type=Path)  # a file or a folder that is written


class Trusted(click.types.StringParamType):
    """A value that decides where data and keys are sent, and who may connect."""

    def refused(self, value: str) -> str:
        """Why the settings of a folder, which may be a stranger's, may not give this value; empty if they may."""
        return f"a folder's cplan.toml cannot decide where data is sent and who may connect; {YOURS}"


class Field(Trusted):
    """KEY=JSON: a name and a JSON value."""

    envvar_list_splitter = "\n"  # JSON may have blanks

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See StringParamType."""
        try:
            field_of(value)
        except (ValueError, RecursionError) as error:
            self.fail(f"{value!r} is not KEY=JSON ({error}); write it as in {REQUEST_FIELD}", param, ctx)
        return str(value)


def field_of(text: str) -> tuple[str, Any]:
    """The name and the value of KEY=JSON. Raises ValueError and RecursionError for another text."""
    key, given, value = text.partition("=")
    if not (given and key.strip()):
        raise ValueError("there is no KEY= before it")
    return key.strip(), json.loads(value)


class Private(Trusted):
    """A value that is never printed."""


TRUSTED = Trusted()
YOURS = "give it on the command line, in the environment or in your own settings"
COMPLETION = "_CPLAN_COMPLETE"
"""The variable that is set where a shell asks which words may come next; the name is click's."""
STANDARD = Path("-")
"""Standard input, or standard output, in place of a file."""


class Number(click.FloatRange):
    """A finite number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """See FloatRange."""
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{found} is not a finite number.", param, ctx)
        return found


class Whole(click.IntRange):
    """A whole number in a range, of 64 bits at most."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See IntRange."""
        found: int = super().convert(value, param, ctx)
        if abs(found) > LARGEST:
            self.fail(f"{found} is larger than {LARGEST}.", param, ctx)
        return found


def count_option(flag: str, default: int, help: str, least: int = 1) -> Callable[[Function], Function]:
    """Adds an option that is a number, no less than ``least``."""
    return click.option(flag, type=Whole(min=least), default=default, show_default=True, help=help)


def seed_option(help: str = "Seed of all random choices.") -> Callable[[Function], Function]:
    """Adds ``--seed``."""
    return count_option("--seed", 0, help, 0)


def seconds_option(*flags: str, help: str, default: float | None = None) -> Callable[[Function], Function]:
    """Adds an option that is a time in seconds, above 0."""
    kind = Number(min=0, min_open=True)
    return click.option(*flags, type=kind, default=default, show_default=default is not None, help=help)


def _note_json(context: click.Context, option: click.Parameter, value: bool) -> bool:
    context.ensure_object(dict)["as_json"] = value  # for errors (``main.py``), also those of later options
    return value


json_option = click.option(
    *("--json", "as_json"),
    is_flag=True,
    is_eager=True,
    callback=_note_json,
    help="Print one JSON object on stdout, and everything else on stderr.",
)
require_model_option = click.option(
    "--require-model", is_flag=True, help="Exit with code 3 if no answer of the model could be used."
)
strict_option = click.option("--strict", is_flag=True, help="Treat warnings about the PDDL files as errors.")
sensors_option = click.option(
    "--sensors", type=FILE, help="What the agent can see [default: sensors.pddl beside the domain]."
)
hide_rooms_option = click.option(
    "--hide-rooms", is_flag=True, help="Also hide which room furniture is in (sensors-hidden-rooms.pddl)."
)

max_operators_option = count_option(
    "--max-operators", MAX_OPERATORS, "Limit on the operators, and on the facts, of the grounded task."
)
lexicon_option = click.option(
    "--lexicon", type=FILE, help="How things are called [default: lexicon.toml beside the domain]."
)


def sensing_options(function: Function) -> Function:
    """Add the options that say what an agent sees, and how things are called."""
    return sensors_option(hide_rooms_option(lexicon_option(function)))


max_memory_option = click.option(
    "--max-memory",
    type=Whole(min=100),
    metavar="MB",
    callback=lambda context, option, value: context.with_resource(within_memory(value)) if value else None,
    expose_value=False,
    help=f"Limit on the memory of cplan and of each process that it starts [default: {SHARE:.0%} of the machine's].",
)


def attributes(setting: OptionField) -> dict[str, Any]:
    """The attributes of a setting's click option. Only ``Options`` checks ranges, so that all callers get the same
    message."""
    given, default = setting.option, setting.default
    if setting.value_type is bool:
        return {"help": given.help, "is_flag": True, "flag_value": not default, "default": default}
    word: Any = setting.value_type
    if issubclass(setting.value_type, StrEnum):
        word = click.Choice([str(member) for member in setting.value_type])
    elif issubclass(setting.value_type, Path):
        word = FILE
    default = str(default) if isinstance(default, StrEnum) else default
    shown = default not in (None, "")
    text = given.help
    if given.range or given.needed:
        notes = [f"default: {default}"] if shown else []
        notes += [given.range] if given.range else []
        notes += ["required"] if given.needed else []
        text = f"{text} [{'; '.join(notes)}]"
        shown = False
    return {"type": word, "default": default, "show_default": shown, "metavar": given.metavar, "help": text}


def click_option(setting: OptionField) -> click.Option:
    """Makes an option of a setting, for a command that exists already."""
    return click.Option([setting.flag, setting.name], **attributes(setting))


def options_from(*kinds: type[Options], **own: Mapping[str, Any]) -> Callable[[Function], Function]:
    """Adds all settings of some classes to a command; ``own``: further attributes of click's option, by the setting's
    name."""

    def add(function: Function) -> Function:
        for setting in reversed([setting for kind in kinds for setting in kind.settings()]):
            told = {**attributes(setting), **own.get(setting.name, {})}
            function = click.option(told.pop("flag", setting.flag), setting.name, **told)(function)
        return function

    return add


def names(text: str) -> list[str]:
    """The words of an option that takes several, separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
