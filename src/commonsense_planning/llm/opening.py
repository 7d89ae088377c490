"""From a model's name to a model that answers."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.llm.model import LanguageModel, Usage

if TYPE_CHECKING:
    import asyncio

    import numpy as np

    from commonsense_planning.llm.budget import Budget, Price
    from commonsense_planning.llm.completion import Endpoint
    from commonsense_planning.llm.prompts import Prompts
    from commonsense_planning.llm.questions import Scene
    from commonsense_planning.matching.matching import Matcher

PREFIX = "openai:"
OPENAI = "https://api.openai.com/v1"
NO_KEY = "no-key-needed"  # servers of one's own want a key to be sent and look at none


class Models:
    """The model that ``config`` names, for as many tasks as a run has, within one budget and with one count of usage.

    Nothing is opened before it is needed. Raises UsageError for an unknown model.
    """

    def __init__(self, config: ModelConfig | None = None, limits: BudgetConfig | None = None) -> None:
        self.config = config or ModelConfig()
        self.limits = limits or BudgetConfig()
        self.usage = Usage()
        if not self.config.embedded and not self.config.name.startswith(PREFIX):
            raise UsageError(
                f"no model is called {self.config.name}; there are embedded and {PREFIX}NAME, any chat endpoint's"
            )

    def open(self, scene: Scene, prompts: Path | None, matcher: Matcher, rng: np.random.Generator) -> LanguageModel:
        """The model, for the task of ``scene``, whose domain may have ``prompts`` of its own.

        Raises MissingError for a model that cannot be used, InputError for files that are wrong, UsageError for a limit
        on money where the price is not known.
        """
        if self.config.embedded:
            from commonsense_planning.llm.embedded import EmbeddedModel

            return EmbeddedModel(rng, usage=self.usage)
        from commonsense_planning.llm.chat import ChatModel

        note = "a language model behind an endpoint"
        if self.config.replay is not None:
            note = f"a language model's answers, from the recording {self.config.replay.name}"
        templates = self.prompts(scene, prompts, matcher)
        return ChatModel(self.config, note, self._endpoint, templates, self._runner, self.usage)

    def prompts(self, scene: Scene, prompts: Path | None, matcher: Matcher) -> Prompts:
        """The templates, and the examples that go with them."""
        from commonsense_planning.llm.examples import Shots, read_examples
        from commonsense_planning.llm.prompts import Prompts

        config = self.config
        shots = Shots(read_examples(config.examples), config.shots, matcher) if config.examples else None
        return Prompts([folder for folder in (config.prompts, prompts) if folder is not None], scene, shots)

    @property
    def usd(self) -> float | None:
        """US dollars spent in this run; None if the price is not known, or nobody was to be paid."""
        return None if self.config.embedded or self.price is None else self._budget.usd

    def stop_at(self, end: float) -> None:
        """No call goes on after ``end``, in seconds of the monotonic clock."""
        if not self.config.embedded:
            self._budget.deadline = end

    @cached_property
    def price(self) -> Price | None:
        """The price of the model, None if it is not known."""
        from commonsense_planning.llm.budget import PRICES, Prices

        own = [self.limits.prices] if self.limits.prices else []
        return Prices.read(PRICES, *own).of(self.config.name.removeprefix(PREFIX))

    @cached_property
    def _budget(self) -> Budget:
        from commonsense_planning.llm.budget import Budget

        return Budget(self.limits, self.price, self.config.name.removeprefix(PREFIX))

    @cached_property
    def _runner(self) -> asyncio.Runner:
        import asyncio

        return asyncio.Runner()

    @cached_property
    def _endpoint(self) -> Endpoint:
        from commonsense_planning.llm.cassette import Cassette, Mode

        config = self.config
        if config.replay is not None:
            return Cassette(config.replay, Mode.REPLAY, None)
        from commonsense_planning.llm.openai_api import OpenAiEndpoint

        url = config.base_url or os.environ.get("OPENAI_BASE_URL", "")
        key = _key(config.name, url)
        endpoint: Endpoint = OpenAiEndpoint(replace(config, base_url=_checked(url or OPENAI)), key, self._budget)
        if config.cache is not None:
            endpoint = Cassette(config.cache, Mode.CACHE, endpoint)
        if config.record is not None:
            endpoint = Cassette(config.record, Mode.RECORD, endpoint)
        return endpoint


def _key(model: str, url: str) -> str:
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError("OPENAI_API_KEY holds characters that no key has; look at how it is set")
    if not key and not url:
        raise MissingError(
            f"the model {model} needs an endpoint: set OPENAI_API_KEY for OpenAI's own, or name another with "
            "--base-url, such as http://localhost:11434/v1 for Ollama or http://localhost:8000/v1 for vLLM; "
            "--model embedded needs none"
        )
    return key or NO_KEY


def _checked(url: str) -> str:
    """The URL, if it is one of an endpoint."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:
        fine = False
    if not fine:
        raise UsageError(f"--base-url: {url!r} is no URL of an endpoint, such as http://localhost:8000/v1")
    return url
