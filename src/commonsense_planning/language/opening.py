"""From a model's name to a model that answers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.language.budget import PRICES, Budget, Prices
from commonsense_planning.language.cassette import Cassette, Mode
from commonsense_planning.language.completion import Endpoint
from commonsense_planning.language.embedded import EmbeddedModel
from commonsense_planning.language.matching import Matcher
from commonsense_planning.language.model import LanguageModel
from commonsense_planning.language.questions import Scene

PREFIX = "openai:"


@dataclass(frozen=True)
class Opened:
    """A model, and the budget that counts what is ``spent`` on it, None where it costs nothing."""

    model: LanguageModel
    spent: Budget | None = None

    @property
    def usd(self) -> float | None:
        """US dollars spent in this run, None if there is nothing to pay or the price is not known."""
        return self.spent.usd if self.spent is not None else None


def open_model(
    config: ModelConfig,
    limits: BudgetConfig,
    scene: Scene,
    prompts: Path | None,
    matcher: Matcher,
    rng: np.random.Generator,
) -> Opened:
    """The model that ``config`` names, for the task of ``scene``, whose domain may have ``prompts`` of its own.

    Raises UsageError for an unknown model, and for a limit on money where the price is not known; MissingError for a
    model that cannot be used; InputError for files that are wrong.
    """
    if config.embedded:
        return Opened(EmbeddedModel(rng))
    if not config.name.startswith(PREFIX):
        raise UsageError(f"no model is called {config.name}; there are embedded and {PREFIX}NAME, any chat endpoint's")
    from commonsense_planning.language.chat import ChatModel
    from commonsense_planning.language.examples import Shots, read_examples
    from commonsense_planning.language.prompts import Prompts

    name = config.name.removeprefix(PREFIX)
    price = Prices.read(PRICES, *([limits.prices] if limits.prices else [])).of(name)
    budget = Budget(limits, price, name)
    shots = Shots(read_examples(config.examples), config.shots, matcher) if config.examples else None
    folders = [folder for folder in (config.prompts, prompts) if folder is not None]
    note = "a language model behind an endpoint"
    if config.replay is not None:
        note = f"a language model's answers, from the recording {config.replay.name}"
    endpoint = _endpoint(config, budget)
    return Opened(ChatModel(name, note, endpoint, Prompts(folders, scene, shots), config), budget)


def _endpoint(config: ModelConfig, budget: Budget) -> Endpoint:
    if config.replay is not None:
        return Cassette(config.replay, Mode.REPLAY, None)
    from commonsense_planning.language.openai_api import OpenAiEndpoint

    endpoint: Endpoint = OpenAiEndpoint(config, _key(config), budget)
    if config.cache is not None:
        endpoint = Cassette(config.cache, Mode.CACHE, endpoint)
    if config.record is not None:
        endpoint = Cassette(config.record, Mode.RECORD, endpoint)
    return endpoint


def _key(config: ModelConfig) -> str:
    key = os.environ.get("OPENAI_API_KEY", "")
    if key:
        return key
    if config.base_url is None and not os.environ.get("OPENAI_BASE_URL"):
        raise MissingError(
            f"the model {config.name} needs an endpoint: set OPENAI_API_KEY for OpenAI's own, or name another with "
            "--base-url, such as http://localhost:11434/v1 for Ollama or http://localhost:8000/v1 for vLLM; "
            "--model embedded needs none"
        )
    return "none"  # servers of one's own want a key to be sent and look at none
