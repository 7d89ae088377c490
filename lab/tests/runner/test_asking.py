from argparse import Namespace
from pathlib import Path
from typing import cast

import pytest

from commonsense_lab.runner import runner
from commonsense_lab.runner.runner import solution_of
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import BudgetError, EndpointError, Status
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import ModelSession, own_models
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.provenance import model_in_words


def test_a_label_names_only_the_settings_that_results_depend_on() -> None:
    model = ModelConfig("openai:x", temperature=0.5, parallel=4, cache=Path("c"))
    assert model_in_words(model) == "model openai:x, temperature 0.5"
    assert model_in_words(ModelConfig()) == "model embedded"


def test_each_episode_has_a_part_of_the_recording_and_each_repeat_a_cache() -> None:
    model = ModelConfig("openai:x", record=Path("a/r.jsonl"), cache=Path("a/c.jsonl"))
    own = own_models(model, BudgetConfig(), "watch-tv, none, seed 3", 3)
    assert (own.config.record, own.part) == (Path("a/r.jsonl"), "watch-tv, none, seed 3")
    assert own.config.cache == Path("a/c.3.jsonl")
    assert own.config.replay is None


def test_a_limit_of_the_models_ends_the_run_and_one_of_the_methods_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(model: str, limits: BudgetConfig, status: Status = Status.BUDGET) -> Solution:
        monkeypatch.setattr(runner, "solve", lambda request: Solution(status, None, "enough"))
        return solution_of(cast(Request, Namespace(models=ModelSession(ModelConfig(model), limits))))

    assert ended("openai:x", BudgetConfig(max_calls=1)).reason == "enough"
    assert ended("embedded", BudgetConfig()).reason == "enough"
    for limits in (BudgetConfig(max_calls=0), BudgetConfig(max_tokens=0)):
        with pytest.raises(BudgetError, match="enough"):
            ended("openai:x", limits)
    with pytest.raises(KeyboardInterrupt):
        ended("embedded", BudgetConfig(), Status.INTERRUPTED)
    monkeypatch.setattr(
        runner, "solve", lambda request: Solution(Status.UNSOLVED, None, "gone", usage=Usage(lost=True))
    )
    with pytest.raises(EndpointError, match="gone"):
        solution_of(cast(Request, Namespace()))
