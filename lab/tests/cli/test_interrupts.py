"""Ctrl-C in the middle of a run, for the laboratory's methods."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from lab.tests.learning.heuristics import COUNTING
from tests.cli.test_interrupts import check
from tests.interrupted import SALMON, words_of

FLIGHT = ("flights:short-oslo-athens",)
TASKS = {"llm-program": SALMON, "llm-model": FLIGHT, "llm-route": FLIGHT}
OPTIONS = {"gbfs": ("--heuristic", "{folder}/heuristic.py"), "learned-policy": ("--weights", "{folder}/weights")}


def weights(folder: Path) -> None:
    """A policy that has learned nothing."""
    from commonsense_lab.learning.training import TrainConfig
    from commonsense_lab.learning.weights import fresh, save, word_tokenizer

    config = TrainConfig(layers=1, width=16, heads=2, positions=512)
    (folder / "weights").mkdir()
    save(fresh(config, word_tokenizer(["walk to the kitchen"])), folder / "weights")


@pytest.mark.processes
@pytest.mark.parametrize("method", ["gbfs", "learned-policy", *TASKS])
def test_trace_and_steps_are_kept_and_no_child_is_left(method: str, tmp_path: Path) -> None:
    if method == "learned-policy":
        if not find_spec("torch") or not find_spec("transformers"):
            pytest.skip("the extra train is not installed")
        weights(tmp_path)
    (tmp_path / "heuristic.py").write_text(COUNTING, encoding="utf-8")
    check(words_of(method, tmp_path, TASKS, OPTIONS), method in ("learned-policy", "llm-program"))
