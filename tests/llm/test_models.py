"""The model of a run: opened once, when needed, closed with the run, also in notebooks; wrong settings are refused."""

import asyncio
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning.config import AskBy, BudgetConfig, ModelConfig
from commonsense_planning.errors import BudgetError, MissingError, UsageError
from commonsense_planning.llm.adapters import MODELS, Adapter
from commonsense_planning.llm.loop import EventLoopThread
from commonsense_planning.llm.model import ChatRequest, Completion, Endpoint, LanguageModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.wording.questions import Placement, Scene
from tests.chat_server import ChatServer
from tests.chat_troubles import status

QUESTION = Placement("apple", ("inside fridge", "on sofa"))


class Fridge(Endpoint):
    """A plug-in's endpoint that always says the same, and what ``told`` says of its cost; it knows no budget, and
    whether it is open."""

    def __init__(self, **told: Any) -> None:
        self.closed = False
        self.asked = 0
        self.told = told

    async def complete(self, request: ChatRequest) -> Completion:
        self.asked += 1
        return Completion(("inside fridge",) * request.parameters["n"], **self.told)

    async def close(self) -> None:
        self.closed = True


def models_of(
    made: list[Fridge], config: ModelConfig | None = None, limits: BudgetConfig | None = None, **told: Any
) -> ModelSession:
    """Models whose endpoints are noted as they are made."""

    def make() -> Fridge:
        made.append(Fridge(**told))
        return made[-1]

    models = ModelSession(config, limits)
    models.adapter = Adapter(("fridge",), "", lambda context: context.chat(make), costs=False)
    return models


def opened(models: ModelSession) -> LanguageModel:
    return models.open(Scene(), None, LexicalMatcher(), np.random.default_rng(0))


def is_interrupted_in_a_notebook(call: Callable[[], object]) -> None:
    """Fails unless a call ends by an interrupt, where an event loop runs already."""

    async def notebook() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a loop of its own would cancel its task instead
        with pytest.raises(KeyboardInterrupt):
            call()

    asyncio.run(notebook())


def test_one_endpoint_serves_all_tasks_and_is_closed_with_the_run() -> None:
    made: list[Fridge] = []
    with models_of(made) as models:
        assert not made
        for _ in range(2):
            assert opened(models).ask([QUESTION], 2) == [["inside fridge"] * 2]
        assert [endpoint.closed for endpoint in made] == [False]
        assert models.usage.questions == 2
    assert [endpoint.closed for endpoint in made] == [True]
    models.close()  # a second time does no harm
    assert opened(models).ask([QUESTION], 1) == [["inside fridge"]]
    assert len(made) == 2
    models.close()


def test_a_recording_is_closed_with_the_endpoint_behind_it(tmp_path: Path) -> None:
    made: list[Fridge] = []
    tape = tmp_path / "tape.jsonl"
    with models_of(made) as models:
        models.config = ModelConfig("openai:m", record=tape)
        opened(models).ask([QUESTION], 1)
    assert made[0].closed
    with models_of(made) as models:
        models.config = ModelConfig("openai:m", replay=tape)
        assert opened(models).ask([QUESTION], 1) == [["inside fridge"]]
    assert len(made) == 1


def test_no_price_is_needed_where_nothing_costs() -> None:
    models = models_of([], limits=BudgetConfig(max_usd=1.0))
    opened(models).ask([QUESTION], 1)
    assert models.usd == 0.0 and models.price is None
    assert ModelSession().usd is None
    models.close()


@pytest.mark.parametrize(("limits", "told", "asked"), [
    ({"max_calls": 1}, {}, 1),
    ({"max_calls": 3}, {}, 3),
    ({"max_calls": 5}, {"calls": 3, "retries": 2}, 2),  # its own repetitions are known when it has answered
    ({"max_calls": 2}, {"calls": 0}, 2),  # who says that it made none was asked all the same
    ({"max_tokens": 10}, {"prompt_tokens": 3, "completion_tokens": 2}, 2),
    ({"max_tokens": 10}, {"prompt_tokens": 10, "completion_tokens": -10}, 1),
])  # fmt: skip
def test_budgets_hold_for_an_endpoint_that_knows_of_none(
    limits: dict[str, int], told: dict[str, int], asked: int
) -> None:
    made: list[Fridge] = []
    with models_of(made, limits=BudgetConfig(**limits), **told) as models:
        model = opened(models)
        for _ in range(asked):
            model.ask([QUESTION], 1)
        with pytest.raises(BudgetError, match="the limit of"):
            model.ask([QUESTION], 1)
        assert made[0].asked == models.usage.questions == asked


@pytest.mark.parametrize("logprobs", [(), (("inside fridge", -1.0),)])
@pytest.mark.parametrize("ask_by", [way for way in AskBy if way is not AskBy.AUTO])
def test_an_answer_with_nothing_in_it_is_none(ask_by: AskBy, logprobs: tuple[tuple[str, float], ...]) -> None:
    class Empty(Fridge):
        async def complete(self, request: ChatRequest) -> Completion:
            return Completion((), logprobs=logprobs)

    with models_of([], ModelConfig("openai:m", ask_by=ask_by)) as models:
        models.adapter = Adapter(("empty",), "", lambda context: context.chat(Empty), weighs=True)
        (weights,) = opened(models).weigh([QUESTION], 3)
        assert not weights.said
        assert logprobs or models.usage.failures == 1


def test_questions_that_are_put_at_once_are_within_the_budget_too() -> None:
    made: list[Fridge] = []
    with models_of(made, limits=BudgetConfig(max_calls=3)) as models:
        with pytest.raises(BudgetError, match="the limit of 3 calls"):
            opened(models).ask([QUESTION] * 10, 1)
        assert made[0].asked == models.usage.questions == 3


def test_an_endpoint_s_own_timeout_is_not_taken_for_the_deadline() -> None:
    class Slow(Fridge):
        async def complete(self, request: ChatRequest) -> Completion:
            raise TimeoutError("its socket's")

    with models_of([]) as models:
        models.adapter = Adapter(("slow",), "", lambda context: context.chat(Slow))
        with pytest.raises(TimeoutError, match="its socket's"):
            opened(models).ask([QUESTION], 1)


def test_what_answers_is_called_what_its_adapter_says(tmp_path: Path) -> None:
    with models_of([], ModelConfig("openai:m", record=tmp_path / "tape.jsonl")) as models:
        assert opened(models).note == "a plug-in's model"
        models.adapter = replace(models.adapter, kind="a shell script", where="in the kitchen")
        model = opened(models)
        assert (model.note, models.note) == ("a shell script in the kitchen",) * 2
        model.ask([QUESTION], 1)
    with models_of([], ModelConfig("openai:m", replay=tmp_path / "tape.jsonl")) as models:
        assert opened(models).note == "a plug-in's model's answers, from the recording tape.jsonl"
    for name, note in [("openai:m", "a language model behind an endpoint"), ("embedded", "not a language model")]:
        with ModelSession(ModelConfig(name, base_url="http://localhost/v1" if name != "embedded" else None)) as models:
            assert opened(models).note.endswith(note)


@pytest.mark.parametrize(("config", "said"), [
    (ModelConfig("gpt-4o"), "called gpt-4o; there are embedded, embeddings, .* and openai:NAME"),
    (ModelConfig("embeded"), "did you mean 'embedded'"),
    (ModelConfig("openai:"), "the model openai is asked for as openai:NAME"),
    (ModelConfig("embedded:x"), "the model embedded is asked for as embedded"),
    (ModelConfig(record=Path("x")), "the embedded model needs no recording"),
    (ModelConfig(ask_later=Path("x")), "embedded reads none: add --model openai:ANY"),
    (ModelConfig(prompts=Path("x")), "the embedded model reads no prompts"),
    (ModelConfig(request_fields={"top_k": 5}), "the embedded model reads no prompts"),
])  # fmt: skip
def test_what_means_nothing_is_refused(config: ModelConfig, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ModelSession(config)


def test_a_field_of_requests_is_a_json_value() -> None:
    with pytest.raises(UsageError, match="request-field: a must be a JSON value"):
        ModelConfig(request_fields={"a": object()})


def test_every_adapter_says_how_it_is_asked_for() -> None:
    for adapter in MODELS.usable():
        assert adapter.forms and adapter.summary
        assert adapter.prior_samples >= 1 and adapter.parallel >= 1


def test_it_is_asked_where_an_event_loop_runs_already_as_in_a_notebook() -> None:
    made: list[Fridge] = []
    models = models_of(made)
    assert opened(models).ask([QUESTION], 1) == [["inside fridge"]]

    async def notebook() -> None:
        for _ in range(2):
            assert opened(models).ask([QUESTION], 1) == [["inside fridge"]]

    threads = threading.active_count()
    asyncio.run(notebook())
    assert opened(models).ask([QUESTION], 1) == [["inside fridge"]]
    models.close()
    assert [endpoint.closed for endpoint in made] == [True]
    assert threading.active_count() == threads


def test_an_interrupt_reaches_a_call_within_a_notebook() -> None:
    ended = threading.Event()

    class Silent(Fridge):
        async def complete(self, request: ChatRequest) -> Completion:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            try:
                return await asyncio.get_running_loop().create_future()
            finally:
                ended.set()

    models = ModelSession()
    models.adapter = Adapter(("silent",), "", lambda context: context.chat(Silent), costs=False)
    is_interrupted_in_a_notebook(lambda: opened(models).ask([QUESTION], 1))
    assert ended.wait(10)
    models.close()


def test_what_was_asked_before_a_budget_ended_it_is_counted_and_recorded(tmp_path: Path) -> None:
    tape, usages = tmp_path / "tape.jsonl", []
    with ChatServer(lambda messages: "sofa") as server:
        server.always(status(500))
        config = ModelConfig("openai:m", server.base_url, ask_by=AskBy.SAMPLES, pause=0, retries=5, record=tape)
        for chosen in (config, replace(config, record=None, replay=tape)):
            with ModelSession(chosen, BudgetConfig(max_calls=2)) as models, pytest.raises(BudgetError, match="2 calls"):
                opened(models).weigh([QUESTION], 1)
            usages.append(models.usage)
        assert len(server.requests) == 2
    for usage, recorded in zip(usages, (0, 1), strict=True):
        assert (usage.questions, usage.failures, usage.recorded) == (1, 1, recorded)
        assert (usage.calls, usage.retries) == (2, 1)


def test_what_was_asked_of_an_endpoint_that_cannot_be_used_is_counted() -> None:
    with ChatServer(lambda messages: "sofa") as server:
        server.always(status(500))
        with ModelSession(ModelConfig("openai:m", server.base_url, pause=0)) as models:
            with pytest.raises(MissingError, match="cannot be used"):
                opened(models).ask([QUESTION], 1)
            usage = models.usage
        assert (usage.questions, usage.failures) == (1, 1)
        assert (usage.calls, usage.retries) == (len(server.requests), 5)


def test_an_interrupt_while_a_coroutine_is_handed_over_cancels_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()
    hand_over = asyncio.run_coroutine_threadsafe

    def interrupted(*args: Any) -> Any:
        future = hand_over(*args)
        assert begun.wait(10)
        signal.raise_signal(signal.SIGINT)
        return future

    async def silent() -> None:
        begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    loop = EventLoopThread()
    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", interrupted)
    is_interrupted_in_a_notebook(lambda: loop.run(silent()))
    assert ended.wait(10)
    loop.close()
