"""The options that say who answers common-sense questions, how, and at what cost; shared by the commands that ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from commonsense_planning.cli.completion import matchers, models
from commonsense_planning.cli.options import FILE, OUT, TRUSTED, YOURS, Trusted, names
from commonsense_planning.config import AskBy, BudgetConfig, ModelConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.adapters import MODELS, adapter_of
from commonsense_planning.support.registry import plug_ins

Function = TypeVar("Function", bound=Callable[..., Any])

ASKED = {*ModelConfig.__dataclass_fields__, *BudgetConfig.__dataclass_fields__}


class Named(Trusted):
    """Models, by name: what stands behind a plug-in's may be an address or a command."""

    def refused_in(self, folder: Path, value: str) -> str:
        ours = plug_ins(MODELS.group).keys().isdisjoint(name.partition(":")[0] for name in names(value))
        return "" if ours else f"the settings of a folder name no plug-in's model, {YOURS}"


_DEFAULT = ModelConfig()
_MODEL = click.option(
    "--model",
    "name",
    type=Named(),
    default="embedded",
    show_default=True,
    shell_complete=models,
    help="Who answers common-sense questions: embedded, local or local:FILE.gguf for a language "
    "model on this machine, openai:NAME for any OpenAI-compatible endpoint, or a plug-in's; see cplan models.",
)
_OPTIONS = (
    click.option("--base-url", type=TRUSTED, help="Of the endpoint [default: OPENAI_BASE_URL, else OpenAI's own]."),
    click.option(
        "--temperature",
        type=click.FloatRange(min=0),
        help="Of the model's answers [default: 0 to 0.7, by the question].",
    ),
    click.option("--top-p", type=click.FloatRange(0, 1), help="Of the model's answers [default: the endpoint's]."),
    click.option("--presence-penalty", type=float, help="Of the model's answers [default: the endpoint's]."),
    click.option("--frequency-penalty", type=float, help="Of the model's answers [default: the endpoint's]."),
    click.option(
        "--parallel",
        type=click.IntRange(min=1),
        help="Calls in flight [default: what suits the model; see cplan models].",
    ),
    click.option(
        "--call-timeout",
        "call_seconds",
        type=click.FloatRange(min=0, min_open=True),
        help="Seconds for one call [default: 60, and 600 for the local model].",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=_DEFAULT.retries,
        show_default=True,
        help="How often a failing call is repeated.",
    ),
    click.option(
        "--retry-pause",
        "pause",
        type=click.FloatRange(min=0),
        default=_DEFAULT.pause,
        show_default=True,
        help="Seconds before the first repetition; doubled each time.",
    ),
    click.option("--record", type=OUT, help="Add the model's answers to this file; what is there is not asked again."),
    click.option("--replay", type=FILE, help="Answer from this file alone: no key, no network."),
    click.option("--cache", type=OUT, help="As --record, but the same question always gets the same answer."),
    click.option("--prompts", type=FILE, help="paper for the papers' own words, or a folder with templates."),
    click.option("--preferences", type=FILE, help='Lines such as "yellow shirts go into the drawer", for the belief.'),
    click.option("--examples", type=FILE, help="Solved tasks, as JSON lines, for the action prompt."),
    click.option(
        "--shots",
        type=click.IntRange(min=0),
        default=_DEFAULT.shots,
        show_default=True,
        help="How many of the examples, the most similar ones, enter the prompt.",
    ),
    click.option(
        "--matcher",
        default=_DEFAULT.matcher,
        show_default=True,
        shell_complete=matchers,
        help="What compares a model's words with names and actions: lexical, embeddings, embeddings:MODEL, "
        "or a plug-in's.",
    ),
    click.option(
        "--ask-by",
        type=click.Choice([str(way) for way in AskBy]),
        default=str(AskBy.AUTO),
        show_default=True,
        callback=lambda context, parameter, value: AskBy(value),
        help="How a model weighs listed options: by scores, letters, a list, samples under a schema or plain samples; "
        "auto: the first of these that the endpoint is able to.",
    ),
    click.option(
        "--weight-temperature",
        type=click.FloatRange(min=0, min_open=True),
        default=_DEFAULT.weight_temperature,
        show_default=True,
        help="Of what a model gives to listed options: above 1 flatter, below 1 sharper; cplan belief fits it.",
    ),
    click.option("--max-calls", type=click.IntRange(min=0), help="Limit on calls of the endpoint."),
    click.option("--max-tokens", type=click.IntRange(min=0), help="Limit on tokens, of prompts and answers together."),
    click.option("--max-usd", type=click.FloatRange(min=0), help="Limit on money, in US dollars."),
    click.option("--prices", type=FILE, help="Prices of models, as TOML, that win over the built-in table."),
)


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


def model_options(function: Function) -> Function:
    """Add all of them to a command; their values are for ``take_model``."""
    for option in reversed((_MODEL, *_OPTIONS)):
        function = option(function)
    return function


def several_models_options(default: str) -> Callable[[Function], Function]:
    """The same for a command that asks several models; their values are for ``take_models``."""
    which = click.option(
        "--models",
        "name",
        type=Named(),
        metavar="A,B",
        default=default,
        show_default=True,
        help="Who answers; see cplan models.",
    )

    def add(function: Function) -> Function:
        for option in reversed((which, *_OPTIONS)):
            function = option(function)
        return function

    return add


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
    models = [
        ModelConfig(**{**shared, "name": name, "parallel": parallel or MODELS.find(name)[0].parallel}) for name in named
    ]
    return models, BudgetConfig(**{name: values.pop(name) for name in BudgetConfig.__dataclass_fields__})


def _fitting(model: ModelConfig) -> ModelConfig:
    """The model without what is for those that read prompts, if it does not."""
    if MODELS.find(model.name)[0].reads_prompts:
        return model
    return replace(model, base_url=None, record=None, replay=None, cache=None, prompts=None, examples=None)
