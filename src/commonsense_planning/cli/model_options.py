"""The options that say who answers common-sense questions, how, and at what cost; shared by the commands that ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.completion import matchers, models
from commonsense_planning.cli.options import OUT, TRUSTED, YOURS, Function, Trusted, names, options_from
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.adapters import MODELS, adapter_of
from commonsense_planning.support.registry import plug_ins

ASKED = {*ModelConfig.__dataclass_fields__, *BudgetConfig.__dataclass_fields__}


class Named(Trusted):
    """Models, by name: what stands behind a plug-in's may be an address or a command."""

    def refused_in(self, folder: Path, value: str) -> str:
        ours = plug_ins(MODELS.group).keys().isdisjoint(name.partition(":")[0] for name in names(value))
        return "" if ours else f"the settings of a folder name no plug-in's model, {YOURS}"


_OWN: dict[str, dict[str, Any]] = {
    "name": {"type": Named(), "shell_complete": models},
    "base_url": {"type": TRUSTED},
    "parallel": {"default": None, "help": "Calls in flight [default: what suits the model; see cplan models]."},
    "record": {"type": OUT},
    "cache": {"type": OUT},
    "ask_later": {"type": OUT},
    "matcher": {"shell_complete": matchers},
}
"""What click is to know of options beside what their settings say."""


class AskingCommand(click.Command):
    """A command whose help shows the options of this module in a section of their own."""

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
"""Adds all of them to a command; their values are for ``take_model``."""


def several_models_options(default: str) -> Callable[[Function], Function]:
    """The same for a command that asks several models; their values are for ``take_models``."""
    which = {"flag": "--models", "type": Named(), "metavar": "A,B", "default": default}
    return options_from(
        ModelConfig, BudgetConfig, **{**_OWN, "name": {**which, "help": "Who answers; see cplan models."}}
    )


def take_model(values: dict[str, Any]) -> tuple[ModelConfig, BudgetConfig]:
    """Take the values of these options out of a command's ``values``: who answers, and within which budget.
    Raises UsageError for an unknown model, and for settings that mean nothing to it."""
    (model,), limits = _taken(values, [values["name"]])
    adapter_of(model)  # what makes no sense is said before any work
    return model, limits


def take_models(values: dict[str, Any]) -> tuple[list[ModelConfig], BudgetConfig]:
    """The same for several models: each gets the settings that mean something to it. Raises UsageError for an unknown
    model, and for none."""
    named = names(values["name"])
    if not named:
        raise UsageError("--models names no model")
    models, limits = _taken(values, named)
    return [_fitting(model) for model in models], limits


def _taken(values: dict[str, Any], named: list[str]) -> tuple[list[ModelConfig], BudgetConfig]:
    shared = {name: values.pop(name) for name in ModelConfig.__dataclass_fields__}
    parallel = shared.pop("parallel")
    suits = {name: MODELS.find(name)[0].parallel if parallel is None else parallel for name in named}
    models = [ModelConfig.of({**shared, "name": name, "parallel": suits[name]}) for name in named]
    return models, BudgetConfig(**{name: values.pop(name) for name in BudgetConfig.__dataclass_fields__})


def _fitting(model: ModelConfig) -> ModelConfig:
    """The model without what is for those that read prompts, if it does not."""
    if MODELS.find(model.name)[0].reads_prompts:
        return model
    unkept = replace(model, record=None, replay=None, cache=None, ask_later=None)
    return replace(unkept, base_url=None, prompts=None, examples=None)
