from __future__ import annotations

from pathlib import Path

from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.runner.runner import model_in_words, own_models


def test_what_results_depend_on_is_told_and_nothing_else() -> None:
    model = ModelConfig("openai:x", temperature=0.5, parallel=4, cache=Path("c"))
    assert model_in_words(model) == "model openai:x, temperature 0.5"
    assert model_in_words(ModelConfig()) == "model embedded"


def test_episodes_have_a_part_of_the_recording_and_repeats_their_own_cache() -> None:
    model = ModelConfig("openai:x", record=Path("a/r.jsonl"), cache=Path("a/c.jsonl"))
    own = own_models(model, BudgetConfig(), "watch-tv, none, seed 3", 3)
    assert (own.config.record, own.part) == (Path("a/r.jsonl"), "watch-tv, none, seed 3")
    assert own.config.cache == Path("a/c.3.jsonl")
    assert own.config.replay is None
