"""The options for the model that answers common-sense questions, its settings and its budget, shared by all commands
that ask."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import click

from commonsense_planning.cli.completion import matchers, models
from commonsense_planning.cli.options import OUT, TRUSTED, YOURS, Field, Trusted, field_of, names, options_from
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.adapters import MODELS, adapter_of
from commonsense_planning.support.registry import plug_ins

_RECORDINGS = ("record", "replay", "cache", "ask_later")
_CALLS = ("parallel", "call_seconds", "answer_tokens", "retries", "pause", *BudgetConfig.__dataclass_fields__)
_GROUPS = {
    "Language model": {*ModelConfig.__dataclass_fields__} - {*_RECORDINGS, *_CALLS},
    "Recordings of answers": _RECORDINGS,
    "Calls of an endpoint, and their limits": _CALLS,
}
_USUAL = ("name", "base_url", "record", "replay", "max_usd")
HELP_ALL = "--help-all"


class Named(Trusted):
    """Names of models; a plug-in's may lead to an address or a command."""

    def refused(self, value: str) -> str:
        ours = plug_ins(MODELS.group).keys().isdisjoint(name.partition(":")[0] for name in names(value))
        return "" if ours else f"a folder's cplan.toml cannot choose a plug-in's model; {YOURS}"


_OWN: dict[str, dict[str, Any]] = {
    "name": {"type": Named(), "shell_complete": models},
    "base_url": {"type": TRUSTED},
    "request_fields": {"type": Field(), "multiple": True, "show_default": False, "default": ()},
    "parallel": {"default": None, "help": "Concurrent calls [default: depends on the model; see cplan models]."},
    "record": {"type": OUT},
    "cache": {"type": OUT},
    "ask_later": {"type": OUT},
    "matcher": {"shell_complete": matchers},
}
"""Attributes of click's options that are not part of the settings."""


def _show_all(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[HELP_ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


def _help_all() -> click.Option:
    """The option ``--help-all``, as click makes ``--help``."""
    help = "Show all options, in groups."
    return click.Option([HELP_ALL], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help=help)


class AskingCommand(click.Command):
    """A command with so many options that ``--help`` shows the ``usual`` ones, and ``--help-all`` all of them, in
    ``groups``: title → names of parameters. ``usual``: their names; None for all but most of those of this module."""

    def __init__(
        self,
        *args: Any,
        usual: Collection[str] | None = None,
        groups: Mapping[str, Collection[str]] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self._usual, self._groups = usual, {**groups, **_GROUPS}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, with ``--help-all``."""
        return [*super().get_params(ctx), _help_all()]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the usual options, or all of them, each below the title of its group."""
        every = HELP_ALL in ctx.meta
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            name = parameter.name or ""
            if record is not None and (every or self.is_usual(ctx, name)):
                sections.setdefault(self.group(ctx, name, every), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def group(self, ctx: click.Context, name: str, every: bool = True) -> str:
        """The title of the group that a parameter belongs to, among ``every`` parameter or the usual ones."""
        found = next((title for title, names in self._groups.items() if name in names), "Options")
        return found if every else "Options"

    def is_usual(self, ctx: click.Context, name: str) -> bool:
        """Whether ``--help`` shows a parameter."""
        if self._usual is not None:
            return name in self._usual or self.group(ctx, name) == "Options"
        return name in _USUAL or not any(name in names for names in _GROUPS.values())


model_options = options_from(ModelConfig, BudgetConfig, **_OWN)
"""Adds all of these options to a command; ``take_model`` takes their values."""

_SEVERAL = {"flag": "--models", "metavar": "X,Y", "help": "Models that answer, as for --model of cplan solve."}
models_options = options_from(ModelConfig, BudgetConfig, **{**_OWN, "name": {**_OWN["name"], **_SEVERAL}})
"""Does so with ``--models`` in place of ``--model``; ``take_models`` takes their values."""


def take_model(values: dict[str, Any]) -> tuple[ModelConfig, BudgetConfig]:
    """Takes the values of these options out of a command's ``values``: the model and its budget.

    Raises UsageError for an unknown model, and for settings that do not apply to it."""
    shared = {name: values.pop(name) for name in ModelConfig.__dataclass_fields__}
    if shared["parallel"] is None:
        shared["parallel"] = MODELS.find(shared["name"])[0].parallel
    shared["request_fields"] = dict(map(field_of, shared["request_fields"])) or None
    model = ModelConfig.of(shared)
    adapter_of(model)  # invalid settings are reported before any work
    return model, BudgetConfig(**{name: values.pop(name) for name in BudgetConfig.__dataclass_fields__})


def take_models(values: dict[str, Any]) -> tuple[list[ModelConfig], BudgetConfig]:
    """Takes the values of ``models_options``: the models and their budget. Of several models, those that read no
    prompts do without the settings of prompts. Raises as ``take_model`` does."""
    named = dict.fromkeys(names(values["name"]))
    reads = {name: MODELS.find(name)[0].reads_prompts for name in named}
    none = {"base_url": None, "request_fields": (), "examples": None, "ask_by": "auto", **dict.fromkeys(_RECORDINGS)}
    none["prompts"] = values["prompts"] if str(values["prompts"]) == "paper" else None
    several = any(reads.values())
    found = [take_model({**values, **(none if several and not reads[name] else {}), "name": name}) for name in named]
    if not found:
        raise UsageError("--models names no model")
    for name in (*ModelConfig.__dataclass_fields__, *BudgetConfig.__dataclass_fields__):
        del values[name]
    return [model for model, _ in found], found[0][1]
