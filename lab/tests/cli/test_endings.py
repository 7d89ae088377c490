"""However an experiment or a method is ended, no process that it started goes on, and no temporary file is left."""

import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

from lab.tests.learning.heuristics import COUNTING
from tests.chat_server import ChatServer
from tests.cli.running import living
from tests.cli.test_endings import Begin, begin, wait_for
from tests.cli.test_interrupts import check
from tests.data import REPOSITORY
from tests.interrupted import SALMON, words_of

__all__ = ["begin"]
pytestmark = pytest.mark.processes


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_bench_does_not_wait_for_its_calls(end: signal.Signals, workers: str, begin: Begin, tmp_path: Path) -> None:
    """A shell has what it starts in the background ignore SIGINT, so the other signals must do."""
    options = ("--digits", "1-2", "--tasks", "3", "--seeds", "1", "--workers", workers, "--quiet")
    background = end is not signal.SIGINT
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if background else signal.default_int_handler)
    try:
        with ChatServer(lambda messages: "12", delay=300) as server:
            model = ("--model", "openai:slow", "--base-url", server.base_url)
            process = begin("bench", "multiplication", *options, *model, "-o", tmp_path / "results")
            wait_for(lambda: len(server.requests) >= int(workers), 60)
            process.send_signal(end)
            _, said = process.communicate(timeout=10)
            assert process.returncode == (-signal.SIGKILL if end is signal.SIGKILL else 128 + end), said
            assert "Traceback" not in said
            wait_for(lambda: not living(tmp_path), 5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert list((tmp_path / "temporary").iterdir()) == []


FLIGHT = ("flights:short-oslo-athens",)
WHOLE = ("llm-modulo", "llm-plan")
APPLE, CASSETTES = ("household:small-apple",), REPOSITORY / "lab/tests/goldens/cassettes"
TASKS = {"llm-modulo": APPLE, "llm-plan": APPLE, "llm-program": SALMON, "llm-model": FLIGHT, "llm-route": FLIGHT}
RECORDED = {name: ("--model", "openai:golden", "--replay", str(CASSETTES / f"{name}.jsonl")) for name in WHOLE}
OPTIONS = {
    **RECORDED,
    "gbfs": ("--heuristic", "{folder}/heuristic.py"),
    "learned-policy": ("--weights", "{folder}/weights"),
}


def weights(folder: Path) -> None:
    """A policy that has learned nothing."""
    from commonsense_lab.learning.settings import TrainConfig
    from commonsense_lab.learning.weights import fresh, save, word_tokenizer

    config = TrainConfig(layers=1, width=16, heads=2, positions=512)
    (folder / "weights").mkdir()
    save(fresh(config, word_tokenizer(["walk to the kitchen"])), folder / "weights")


@pytest.mark.parametrize("method", ["gbfs", "learned-policy", *TASKS])
def test_trace_and_steps_are_kept_and_no_child_is_left(method: str, tmp_path: Path) -> None:
    if method == "learned-policy":
        if not find_spec("torch") or not find_spec("transformers"):
            pytest.skip("the extra train is not installed")
        weights(tmp_path)
    (tmp_path / "heuristic.py").write_text(COUNTING, encoding="utf-8")
    check(words_of(method, tmp_path, TASKS, OPTIONS), method in ("learned-policy", "llm-program"))
