"""The model on this machine: its server is there when it is asked, gone when it is closed, and does household tasks."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.llm import local_model
from commonsense_lab.llm.local_model import threads
from commonsense_lab.llm.local_weights import SMOLLM2
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import BudgetError, CplanError, InputError, MissingError, UsageError
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.wording.questions import Placement, Scene
from lab.tests.report.lines import records
from tests.cli.running import Run, cplan
from tests.support.children import children

__all__ = ["cplan"]  # a fixture

QUESTION = Placement("apple", ("inside fridge", "on sofa"))


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def models() -> Iterator[ModelSession]:
    with ModelSession(ModelConfig("local")) as opened:
        yield opened


def opened(models: ModelSession, seed: int = 0) -> LanguageModel:
    return models.open(Scene(), None, LexicalMatcher(), np.random.default_rng(seed))


def test_a_missing_package_or_file_is_named_with_the_command_that_gets_it(
    models: ModelSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(local_model, "find_spec", lambda name: None)
    with pytest.raises(MissingError, match=r"pip install 'commonsense-planning\[local\]'"):
        opened(models)
    monkeypatch.setattr(local_model, "find_spec", lambda name: name)
    with pytest.raises(MissingError, match=f"not at {tmp_path}.*: cplan local-model fetches them"):
        opened(models)


@pytest.mark.parametrize(("config", "error", "said"), [
    (ModelConfig("local", base_url="http://localhost:1"), UsageError, "--base-url is for --model openai:NAME"),
    (ModelConfig(f"local:{__file__}"), InputError, "test_local_model.py: no GGUF file"),
    (ModelConfig("local:nowhere.gguf"), InputError, "nowhere.gguf: cannot read the weights"),
])  # fmt: skip
def test_senseless_settings_are_refused(
    config: ModelConfig, error: type[CplanError], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_model, "find_spec", lambda name: name)
    with ModelSession(config) as models, pytest.raises(error, match=said):
        opened(models)


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads() == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    assert threads() == 4


@pytest.mark.local
def test_long_answers_are_written_in_turn_where_the_context_is_too_short_for_all(
    models: ModelSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(models)
    model.ask([QUESTION], 3)
    assert models.usage.calls == 1
    monkeypatch.setattr(local_model, "CONTEXT", 3 * QUESTION.tokens)  # the prompt, and one answer
    (answers,) = model.ask([QUESTION], 3)
    assert len(answers) == 3 and all(answers)
    assert models.usage.calls == 4


@pytest.mark.local
def test_equal_seeds_give_equal_answers_and_nothing_is_left_behind() -> None:
    before, said = children(), []
    for seed in (1, 1, 2):
        with ModelSession(ModelConfig("local")) as models:
            model = opened(models, seed)
            assert model.note == f"{SMOLLM2.file}, a language model on this machine"
            said.append([model.ask([QUESTION], 3), model.ask([QUESTION], 1)])
            usage = models.usage
            assert (usage.calls, usage.failures, usage.estimated) == (2, 0, False)
            assert usage.completion_tokens >= 4
            assert len(children()) == len(before) + 1
        assert children() == before
    assert said[0] == said[1] != said[2]
    assert [len(answers) for (answers,) in said[0]] == [3, 1]


@pytest.mark.local
def test_options_are_scored(models: ModelSession) -> None:
    model = opened(models)
    (weights,) = model.weigh([QUESTION], 10)
    assert weights.usable and model.take_notes()[0].endswith("scored token by token")


@pytest.mark.local
def test_a_recording_needs_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tape = tmp_path / "tape.jsonl"
    with ModelSession(ModelConfig("local", record=tape)) as models:
        said = opened(models).ask([QUESTION], 2)
    monkeypatch.setattr(local_model, "find_spec", lambda name: None)
    with ModelSession(ModelConfig("local", replay=tape)) as models:
        model = opened(models, seed=1)
        assert model.ask([QUESTION], 2) == said
        assert model.note == f"{SMOLLM2.file}'s answers, from the recording tape.jsonl"


@pytest.mark.local
def test_a_server_that_dies(models: ModelSession) -> None:
    model = opened(models)
    model.ask([QUESTION], 1)
    (server,) = (p for p in children() if "local_model" in Path(f"/proc/{p}/cmdline").read_text())
    os.kill(server, signal.SIGKILL)
    with pytest.raises(MissingError, match=r"cannot be used any more: its server ended \(SIGKILL\)"):
        model.ask([QUESTION], 1)


@pytest.mark.local
def test_a_file_that_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "half.gguf").write_bytes(SMOLLM2.path.read_bytes()[:100_000])
    said = r"half.gguf did not start: its server ended \(exit code 1\); it said:\n"
    with ModelSession(ModelConfig(f"local:{tmp_path}/half.gguf")) as models, pytest.raises(MissingError, match=said):
        opened(models).ask([QUESTION], 1)


@pytest.mark.local
def test_the_time_may_be_up_before_it_has_started() -> None:
    with ModelSession(ModelConfig("local")) as models:
        model = opened(models)
        models.stop_at(0.0)
        with pytest.raises(BudgetError, match="the time is up"):
            model.ask([QUESTION], 1)


@pytest.mark.local
def test_a_call_has_the_time_that_suits_a_model_on_this_machine(
    models: ModelSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_model, "CALL_SECONDS", 0.001)
    with pytest.raises(MissingError, match=r"cannot be used: no whole answer within 0.001 s"):
        opened(models).ask([QUESTION], 1)
    with ModelSession(ModelConfig("local", call_seconds=60)) as others:
        assert opened(others).ask([QUESTION], 1)[0]


def test_weights_that_are_not_there(cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ended = cplan("local-model", "--path")
    assert (ended.code, ended.out) == (3, "")
    assert f"not at {tmp_path}" in ended.err


@pytest.mark.local
def test_weights_that_are_there(cplan: Run) -> None:
    assert cplan("local-model", "--path").out == f"{SMOLLM2.path}\n"
    assert f"the weights of the local model are at {SMOLLM2.path}" in cplan("local-model").out
    assert cplan("local-model", "--json").json["sha256"] == SMOLLM2.sha256


@pytest.mark.local
@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan"])
def test_the_demo(method: str, cplan: Run, tmp_path: Path) -> None:
    command = ("solve", "household:demo", "--method", method, "--model", "local")
    ended = cplan(*command, "--record", tmp_path / "tape.jsonl", "--trace", tmp_path / "trace.jsonl")
    assert ended.code == 0, ended.err
    assert f"local: {SMOLLM2.file}, a language model on this machine" in ended.out
    tape = records(tmp_path / "tape.jsonl")
    assert {entry["model"] for entry in tape if "made_with" not in entry} == {SMOLLM2.file}
    replay = ("--replay", tmp_path / "tape.jsonl", "--trace", tmp_path / "again.jsonl")
    assert cplan(*command, *replay).code == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "trace.jsonl").read_bytes()
