"""The model of a run: one budget and one count of usage for all of its tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.llm.adapters import ModelContext, adapter_of

if TYPE_CHECKING:
    import numpy as np

    from commonsense_planning.llm.budget import Budget, TokenPrice
    from commonsense_planning.llm.elicitation import ElicitationFallback
    from commonsense_planning.llm.loop import EventLoopThread
    from commonsense_planning.llm.model import Endpoint, LanguageModel, Usage
    from commonsense_planning.llm.prompts import Prompts
    from commonsense_planning.matching.matcher import Matcher
    from commonsense_planning.wording.questions import Scene


class ModelSession:
    """The model that ``config`` names, for all tasks of a run, within one budget and with one count of usage.

    ``part``: the run's part of a recording that several runs share. The endpoint is opened when it is needed, and
    closed by ``close`` or at the end of a ``with`` block. Raises UsageError for an unknown model, and for settings that
    do not apply to it.
    """

    def __init__(self, config: ModelConfig | None = None, limits: BudgetConfig | None = None, part: str = "") -> None:
        self.part = part
        self.config = config or ModelConfig()
        self.limits = limits or BudgetConfig()
        self.note = ""  # of the model that was opened last
        self.turn = threading.Lock()  # for threads that share the model
        self.adapter, self._which = adapter_of(self.config)
        self._endpoint: Endpoint | None = None

    @cached_property
    def usage(self) -> Usage:
        """The count of the usage by all tasks."""
        from commonsense_planning.llm.model import Usage

        return Usage()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the endpoint, if one was opened, with its files and connections."""
        if self._endpoint is not None:
            self._loop.run(self._endpoint.close())
            self._loop.close()
            self._endpoint = None
            del self._loop

    def open(self, scene: Scene, prompts: Path | None, matcher: Matcher, rng: np.random.Generator) -> LanguageModel:
        """Opens the model for the task of ``scene``, whose domain may have ``prompts``.

        Raises MissingError for a model that cannot be used, InputError for files that are wrong, UsageError for a limit
        on money where the price is not known.
        """

        def chat(make: Callable[[], Endpoint], speaker: str = "") -> LanguageModel:
            from commonsense_planning.llm.chat import ChatModel

            kind, kept = self.adapter.kind, self.config.replay or self.config.ask_later
            note = f"{speaker}, {kind} {self.adapter.where}" if speaker else f"{kind} {self.adapter.where}"
            if kept is not None:
                note = f"{speaker or kind}'s answers, from the recording {kept.name}"
            seeds = rng.spawn(1)[0] if self.adapter.seeded else None
            templates, endpoint, fallback = self.prompts(scene, prompts, matcher), self._opened(make), self._fallback
            loop, usage = self._loop, self.usage
            return ChatModel(
                self.config, note.rstrip(), endpoint, templates, fallback, matcher, loop, usage, speaker, seeds
            )

        model = self.adapter.open(ModelContext(self._which, self.config, self.usage, rng, matcher, chat, prompts))
        self.note = model.note
        return model

    def open_by_seed(self, scene: Scene, prompts: Path | None = None, seed: int = 0) -> LanguageModel:
        """Does as ``open``, with the matcher of the configuration and random numbers of ``seed``."""
        import numpy as np

        from commonsense_planning.matching.registry import matcher_named

        return self.open(scene, prompts, matcher_named(self.config.matcher), np.random.default_rng(seed))

    @cached_property
    def _fallback(self) -> ElicitationFallback:
        """The elicitation methods that the adapter's endpoint may support."""
        from commonsense_planning.llm.elicitation import ElicitationFallback
        from commonsense_planning.llm.schema import ELICITATION_METHODS

        able = [method for method in ELICITATION_METHODS if self.adapter.weighs or not method.needs]
        return ElicitationFallback(able, self.config.asks_by, self.adapter.suits)

    def prompts(self, scene: Scene, prompts: Path | None, matcher: Matcher) -> Prompts:
        """Returns the templates, with examples and preferences."""
        from commonsense_planning.llm.prompts import QUESTIONS, Prompts, Shots, read_examples, read_preferences

        config = self.config
        shots = Shots(read_examples(config.examples), config.shots, matcher) if config.examples else None
        folders = [folder for folder in (config.prompts, prompts) if folder is not None]
        name = QUESTIONS if config.prompts is None else config.prompts.resolve().name
        return Prompts(folders, scene, shots, name, read_preferences(config.preferences) if config.preferences else ())

    @property
    def usd(self) -> float | None:
        """US dollars spent in this run; None if the price is not known, or no endpoint is asked."""
        return self._budget.usd if self.adapter.reads_prompts else None

    @property
    def cost(self) -> float | None:
        """US dollars for all answers, at today's price also those that a recording gave; None if the price is not
        known."""
        return None if self.price is None else self.price.of(self.usage.prompt_tokens, self.usage.completion_tokens)

    @property
    def spent(self) -> dict[str, float]:
        """What this run has spent of each limit: the limit's name → a number. Recorded answers cost nothing."""
        budget: Budget | None = vars(self).get("_budget")
        if budget is None:
            return {}
        tokens = budget.prompt_tokens + budget.completion_tokens
        return {"max_calls": budget.calls, "max_tokens": tokens, "max_usd": budget.usd or 0.0}

    @property
    def used_up(self) -> bool:
        """Whether a limit on calls, tokens or money is reached."""
        return self.adapter.reads_prompts and self._budget.used_up

    def stop_at(self, end: float) -> None:
        """Sets the time after which no call continues, in seconds of ``time.monotonic``."""
        if self.adapter.reads_prompts:
            self._budget.deadline = end

    @cached_property
    def price(self) -> TokenPrice | None:
        """The price of the model, None if it is not known or there is none."""
        from commonsense_planning.llm.budget import PRICES, Prices

        if not self.adapter.costs:
            return None
        own = [self.limits.prices] if self.limits.prices else []
        return Prices.read(PRICES, *own).of(self._which)

    @cached_property
    def _budget(self) -> Budget:
        from commonsense_planning.llm.budget import FREE, Budget

        return Budget(self.limits, self.price if self.adapter.costs else FREE, self._which)

    @cached_property
    def _loop(self) -> EventLoopThread:
        from commonsense_planning.llm.loop import EventLoopThread

        return EventLoopThread()

    def _opened(self, make: Callable[[], Endpoint]) -> Endpoint:
        """Returns the endpoint within its budget, opened once; in a replay, the recording instead."""
        from commonsense_planning.llm.budget import WithinBudget
        from commonsense_planning.llm.cassette import Cassette, Mode
        from commonsense_planning.llm.later import AskedLater

        config = self.config
        if self._endpoint is None and config.replay is not None:
            self._endpoint = Cassette(config.replay, Mode.REPLAY, None, self.part)
        elif self._endpoint is None:
            later = None if config.ask_later is None else AskedLater(config.ask_later, self.part)
            endpoint: Endpoint = later or WithinBudget(self._budget, make())
            if config.cache is not None:
                endpoint = Cassette(config.cache, Mode.CACHE, endpoint)
            if config.recorded is not None:
                endpoint = Cassette(config.recorded, Mode.RECORD, endpoint, self.part)
            self._endpoint = endpoint
        return self._endpoint


def own_models(model: ModelConfig, limits: BudgetConfig, part: str, seed: int) -> ModelSession:
    """Returns the model for one episode, or for what several share. Its answers are recorded as ``part``, so that
    episodes do not get each other's answers in a replay. Each seed has a separate cache, so that repeats do not:
    ``answers.jsonl`` becomes ``answers.SEED.jsonl``."""
    path = model.cache
    if path is not None:
        model = replace(model, cache=path.with_name(f"{path.stem}.{seed}{path.suffix}"))
    return ModelSession(model, limits, part)
