"""The options for the model that answers common-sense questions, its settings and its budget, shared by all commands
that ask."""

from __future__ import annotations

from typing import Any

import click

from commonsense_planning.cli.completion import matchers, models
from commonsense_planning.cli.options import OUT, TRUSTED, YOURS, Trusted, names, options_from
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.llm.adapters import MODELS, adapter_of
from commonsense_planning.support.registry import plug_ins

ASKED = {*ModelConfig.__dataclass_fields__, *BudgetConfig.__dataclass_fields__}


class Named(Trusted):
    """Names of models; a plug-in's may lead to an address or a command."""

    def refused(self, value: str) -> str:
        ours = plug_ins(MODELS.group).keys().isdisjoint(name.partition(":")[0] for name in names(value))
        return "" if ours else f"a folder's cplan.toml cannot choose a plug-in's model; {YOURS}"


_OWN: dict[str, dict[str, Any]] = {
    "name": {"type": Named(), "shell_complete": models},
    "base_url": {"type": TRUSTED},
    "parallel": {"default": None, "help": "Concurrent calls [default: depends on the model; see cplan models]."},
    "record": {"type": OUT},
    "cache": {"type": OUT},
    "ask_later": {"type": OUT},
    "matcher": {"shell_complete": matchers},
}
"""Attributes of click's options that are not part of the settings."""


class AskingCommand(click.Command):
    """A command whose help shows the options of this module in a separate section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(self.section(ctx, parameter.name or ""), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def section(self, ctx: click.Context, name: str) -> str:
        """The title of the section that an option belongs to."""
        return "Language model" if name in ASKED else "Options"


model_options = options_from(ModelConfig, BudgetConfig, **_OWN)
"""Adds all of these options to a command; ``take_model`` takes their values."""


def take_model(values: dict[str, Any]) -> tuple[ModelConfig, BudgetConfig]:
    """Takes the values of these options out of a command's ``values``: the model and its budget.

    Raises UsageError for an unknown model, and for settings that do not apply to it."""
    shared = {name: values.pop(name) for name in ModelConfig.__dataclass_fields__}
    if shared["parallel"] is None:
        shared["parallel"] = MODELS.find(shared["name"])[0].parallel
    model = ModelConfig.of(shared)
    adapter_of(model)  # invalid settings are reported before any work
    return model, BudgetConfig(**{name: values.pop(name) for name in BudgetConfig.__dataclass_fields__})
