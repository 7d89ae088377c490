"""The registry of models: an adapter defines the names of one kind of models, their defaults, and how one is opened.

There are ``embedded``, ``embeddings`` and ``openai:NAME``, and those of plug-ins (entry points
``commonsense_planning.models``). A plug-in is one module with an :class:`Adapter` and, mostly, an ``Endpoint`` that
completes chats, as in ``examples/own_model``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from commonsense_planning.config import AskBy, ModelConfig
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.support.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from commonsense_planning.llm.model import Endpoint, LanguageModel, Usage
    from commonsense_planning.matching.matcher import Matcher

OPENAI_URL = "https://api.openai.com/v1"


class Chat(Protocol):
    """Returns a model that sends its questions as messages to the endpoint that ``make`` makes.

    ``speaker``: the model's name in requests and outputs, if it differs from ``which``.
    """

    def __call__(self, make: Callable[[], Endpoint], speaker: str = "") -> LanguageModel: ...


@dataclass(frozen=True)
class ModelContext:
    """What an adapter may use to open a model for a task.

    ``which``: the text after the adapter's name and the colon; ``config``: how answers are sampled; ``usage`` counts
    questions; ``rng``: the generator for random draws; ``matcher`` matches answers with options. ``own``: the folder of
    the domain's prompts and tables, if it has one. ``chat`` makes a model that asks an endpoint, with templates,
    recordings, caches, budgets and counts of usage. The endpoint is made when it is needed, once for all tasks of a
    run.
    """

    which: str
    config: ModelConfig
    usage: Usage
    rng: np.random.Generator
    matcher: Matcher
    chat: Chat
    own: Path | None = None


@dataclass(frozen=True)
class Adapter:
    """The names of one kind of models (``forms``: "openai:NAME"), a description, and how one is opened.

    ``costs``: whether answers cost money, so that there are prices, estimates and a limit. ``reads_prompts``: whether
    questions reach the model as messages, so that templates, examples, recordings and caches apply. Defaults:
    ``prior_samples`` answers to a placement question, ``parallel`` calls in flight. ``weighs``: whether the endpoint
    may support more than samples in free text, by the parameters ``response_format`` or ``score`` of a request
    (``llm/elicitation.py``). ``suits``: the elicitation methods that are tried by default. ``seeded``: whether each
    request carries a seed, drawn with ``ModelContext.rng``, so that equal runs get equal answers. ``kind`` and
    ``where`` describe the model in outputs, such as "a language model" "behind an endpoint".
    """

    forms: tuple[str, ...]
    summary: str
    open: Callable[[ModelContext], LanguageModel]
    costs: bool = True
    reads_prompts: bool = True
    prior_samples: int = 10
    parallel: int = 16
    weighs: bool = False
    suits: tuple[AskBy, ...] = (*AskBy,)
    seeded: bool = False
    kind: str = "a plug-in's model"
    where: str = ""


def adapter_of(config: ModelConfig) -> tuple[Adapter, str]:
    """Returns the adapter of a model's name, and the text after the colon. Raises UsageError for an unknown name, and
    for settings that do not apply to the model."""
    adapter, which = MODELS.find(config.name)
    if not adapter.reads_prompts:
        name = config.name
        if config.ask_later:
            raise UsageError(
                f"--ask-later is for a model that reads prompts, and {name} reads none: add --model openai:ANY, where "
                "ANY names whoever will answer; the recording keeps the name"
            )
        if config.recorded or config.replay or config.cache:
            raise UsageError(
                f"the {name} model needs no recording: --record, --replay and --cache are for models that read prompts"
            )
        if config.ask_by is not AskBy.AUTO:
            raise UsageError(f"the {name} model is asked in one way only: --ask-by is for models that read prompts")
        own_prompts = config.prompts and not config.as_in_papers  # the papers' way of asking applies to any model
        if config.base_url or own_prompts or config.examples or config.request_fields:
            raise UsageError(
                f"the {name} model reads no prompts: --base-url, --request-field, --prompts and --examples are for an "
                "endpoint, whose model --model openai:NAME names"
            )
    return adapter, which


def _embedded(context: ModelContext) -> LanguageModel:
    from commonsense_planning.llm.embedded import EmbeddedModel, read_kept
    from commonsense_planning.llm.prompts import read_preferences

    config = context.config
    told = read_preferences(config.preferences) if config.preferences else ()
    table = None if context.own is None else context.own / "kept.toml"
    kept = read_kept(table) if table is not None and table.is_file() else {}
    return EmbeddedModel(context.rng, context.usage, context.matcher, config.weight_temperature, told, kept)


def _embeddings(context: ModelContext) -> LanguageModel:
    from commonsense_planning.llm.embeddings import EmbeddingsModel, kept_matcher
    from commonsense_planning.llm.prompts import read_preferences

    config = context.config
    told = read_preferences(config.preferences) if config.preferences else ()
    return EmbeddingsModel(
        _embedded(context), kept_matcher(context.which), context.rng, config.weight_temperature, told
    )


def _openai(context: ModelContext) -> LanguageModel:
    def endpoint() -> Endpoint:
        from commonsense_planning.llm.openai_api import OpenAiEndpoint

        url = context.config.base_url or os.environ.get("OPENAI_BASE_URL", "")
        key = _key(context.config.name, url)
        return OpenAiEndpoint(replace(context.config, base_url=url or OPENAI_URL), key)

    return context.chat(endpoint)


def _key(model: str, url: str) -> str:
    from commonsense_planning.llm.connection import NO_KEY, key_from

    key = key_from("OPENAI_API_KEY")
    if not key and not url:
        raise MissingError(
            f"the model {model} needs an endpoint: set OPENAI_API_KEY for OpenAI's own, or name another with "
            "--base-url, such as http://localhost:11434/v1 for Ollama or http://localhost:8000/v1 for vLLM; "
            "--model embedded needs none"
        )
    return key or NO_KEY


EMBEDDED = Adapter(
    ("embedded",),
    "hand-written commonsense tables and a relaxed-plan planner, not a language model",
    _embedded,
    costs=False,
    reads_prompts=False,
    prior_samples=100,
    parallel=1,
)
EMBEDDINGS = Adapter(
    ("embeddings", "embeddings:MODEL_OR_FOLDER"),
    "similarity of names by sentence embeddings for where things are, else embedded; not a language model",
    _embeddings,
    costs=False,
    reads_prompts=False,
    prior_samples=100,
    parallel=1,
)
OPENAI = Adapter(
    ("openai:NAME",),
    "any endpoint that speaks OpenAI's chat completions",
    _openai,
    weighs=True,
    kind="a language model",
    where="behind an endpoint",
)
MODELS = Registry("model", "commonsense_planning.models", Adapter, (EMBEDDED, EMBEDDINGS, OPENAI))
