from __future__ import annotations

from pathlib import Path

from commonsense_planning.config import ModelConfig
from commonsense_planning.runner.runner import model_in_words, with_own_files


def test_what_results_depend_on_is_told_and_nothing_else() -> None:
    model = ModelConfig("openai:x", temperature=0.5, parallel=4, cache=Path("c"))
    assert model_in_words(model) == "model openai:x, temperature 0.5"
    assert model_in_words(ModelConfig()) == "model embedded"


def test_episodes_have_recordings_of_their_own_and_repeats_their_own_cache() -> None:
    model = ModelConfig("openai:x", record=Path("a/r.jsonl"), cache=Path("a/c.jsonl"))
    own = with_own_files(model, "watch-tv.none.3", 3)
    assert own.record == Path("a/r.watch-tv.none.3.jsonl")
    assert own.cache == Path("a/c.3.jsonl")
    assert own.replay is None
