"""Which actions a model may name: all applicable ones in the paper's methods, and what comes of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.config import Actions, AskBy, ModelConfig
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Event, Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.task import Task, read_task
from tests.chat_server import ChatServer, Messages
from tests.scripted import HOUSEHOLD

APPLE = "(walk-to-item apple_3 coffeetable_1 livingroom)"
NAMED = "walk to the apple"  # the example of Listing 1


@pytest.fixture(scope="module")
def two_apples() -> Task:
    return read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "two-apples.pddl")


def first_step(
    task: Task, method: str, prompts: str | None, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> tuple[Event, Sequence[str]]:
    """The first step of one to whom a model says ``NAMED``, and what was noted until then."""

    def says(messages: Messages) -> str:
        prompt = messages[-1]["content"].rstrip()
        return NAMED if prompt.endswith(("Next action:", "Next actions:")) else "inside fridge"

    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    events: list[Event] = []
    with ChatServer(says) as server:
        paper = None if prompts is None else Path(prompts)
        config = ModelConfig("openai:m", server.base_url, prompts=paper, ask_by=AskBy.SAMPLES, parallel=2)
        with ModelSession(config) as models:
            given = METHODS[method].Options.of({"max_steps": 1, **options})
            solve(Request(task, METHODS[method], given, models, emit=events.append))
    step = next(event for event in events if event["event"] == "step")
    return step, [note for event in events for note in event.get("notes", ())]


@pytest.mark.parametrize("prompts", [None, "paper"])
def test_what_can_be_done_is_done_as_said(
    prompts: str | None, two_apples: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, notes = first_step(two_apples, "llm-policy", prompts, monkeypatch)
    assert (step["action"], step["why"]["said"]) == (APPLE, NAMED)
    assert notes == []


@pytest.mark.parametrize("prompts", [None, "paper"])
@pytest.mark.parametrize("prior", ["model", "uniform"])
def test_what_can_be_done_leads_the_papers_search(
    prior: str, prompts: str | None, two_apples: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"simulations": 2, "depth": 1, "samples": 2, "prior": prior}
    step, notes = first_step(two_apples, "llm-mcts-paper", prompts, monkeypatch, **few)
    assert step["action"] == APPLE
    assert step["why"]["policy"] > 1 / step["why"]["of"] == 1 / 15
    assert notes == []


@pytest.mark.parametrize("prompts", [None, "paper"])
def test_relevant_actions_alone_may_be_named_where_that_is_said(
    prompts: str | None, two_apples: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, notes = first_step(two_apples, "llm-policy", prompts, monkeypatch, actions="relevant")
    assert step["why"]["random"]
    assert notes == [f'the model said "{NAMED}", which is none of the actions it may name: a random one is taken']


def test_methods_that_ask_word_for_word_name_all_by_default_and_no_others_can_choose() -> None:
    defaults = {
        name: setting.default
        for name, method in METHODS.items()
        for setting in method.Options.settings()
        if setting.name == "actions"
    }
    assert defaults == dict.fromkeys(("llm-mcts-paper", "llm-policy"), Actions.ALL)
