"""Training small models, and the probabilities that a trained one gives to actions: pytest -m train."""

from __future__ import annotations

import json
import math
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from commonsense_lab.learning.settings import TrainConfig
from commonsense_planning.errors import InputError
from lab.tests.learning.homes import NEEDS_TORCH, write_trajectories

if TYPE_CHECKING:
    from commonsense_lab.learning.policy import TrainedPolicy

pytestmark = [pytest.mark.train, NEEDS_TORCH]

TINY = TrainConfig(epochs=3, batch=4, layers=1, width=16, heads=2, positions=128)


def train(data: Path, out: Path, settings: TrainConfig = TINY, **more: Any) -> Any:
    from commonsense_lab.learning.training import train as run

    return run(data, out, settings, **more)


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def rows(folder: Path) -> list[dict[str, Any]]:
    """The numbers of the epochs, without how long they took."""
    found = [json.loads(line) for line in (folder / "training.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in found]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trajectories(tmp_path_factory.mktemp("data") / "D.jsonl", 20)


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights that were trained without an interruption."""
    out = tmp_path_factory.mktemp("whole")
    assert train(data, out).complete
    return out


def test_the_loss_falls(tmp_path: Path) -> None:
    data = write_trajectories(tmp_path / "D.jsonl", 60)
    trained = train(data, tmp_path / "new" / "policy", TrainConfig(10, 4, 2, 32, 2, 128, 1e-2))
    first, last = trained.rows[0], trained.rows[-1]
    assert last["loss"] < 0.4 * first["loss"]
    assert last["held_out_loss"] < first["held_out_loss"]
    assert last["held_out_accuracy"] > first["held_out_accuracy"]
    setting = trained.setting
    assert (setting.trajectories, setting.held_out, setting.done) == (60, 3, 0)
    assert len(trained.rows) == 10


def test_equal_seeds_give_equal_weights(data: Path, whole: Path, tmp_path: Path) -> None:
    train(data, tmp_path / "again")
    assert weights(tmp_path / "again") == weights(whole)
    assert rows(tmp_path / "again") == rows(whole)
    train(data, tmp_path / "other", replace(TINY, seed=1))
    assert weights(tmp_path / "other") != weights(whole)


def test_stopped_after_every_batch_it_ends_the_same(data: Path, whole: Path, tmp_path: Path) -> None:
    runs = 0
    while not train(data, tmp_path, max_seconds=0).complete:
        runs += 1
    assert runs == 3 * math.ceil(19 / 4) - 1
    assert weights(tmp_path) == weights(whole)
    assert rows(tmp_path) == rows(whole)


def test_killed_it_goes_on_and_ends_the_same(data: Path, whole: Path, tmp_path: Path) -> None:
    settings = replace(TINY, epochs=12)
    code = f"""
from pathlib import Path
from commonsense_lab.learning.settings import TrainConfig
from commonsense_lab.learning.weights import libraries
libraries()
from commonsense_lab.learning.training import train
train(Path({str(data)!r}), Path({str(tmp_path / "killed")!r}), {settings!r})
"""
    process = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "killed" / "checkpoint.pt").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    trained = train(data, tmp_path / "killed", settings)
    assert 0 < trained.setting.done < 12 * trained.setting.batches, "it was killed on the way"
    train(data, tmp_path / "whole", settings)
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")


def test_a_complete_training_stays_unchanged(data: Path, whole: Path) -> None:
    before = weights(whole)
    trained = train(data, whole)
    assert (trained.complete, trained.tokens, len(trained.rows)) == (True, 0, 3)
    assert weights(whole) == before


def test_another_training_in_the_same_folder_is_refused(data: Path, whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another training was begun there, with epochs 3, not 4"):
        train(data, whole, replace(TINY, epochs=4))
    with pytest.raises(InputError, match="with data"):
        train(write_trajectories(tmp_path / "D.jsonl", 5), whole)


def test_a_broken_checkpoint_is_reported(data: Path, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"PK no checkpoint")
    with pytest.raises(InputError, match=r"checkpoint\.pt: not a checkpoint: .*; remove it"):
        train(data, tmp_path)


def test_one_trajectory_is_too_few(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one trajectory is too few"):
        train(write_trajectories(tmp_path / "D.jsonl", 1), tmp_path / "policy")


def write_gpt2(folder: Path) -> Path:
    """A GPT-2 as others save it: its own tokens, of bytes, and its own size."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(["walk to the kitchen table"], trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    size = tokenizer.get_vocab_size()
    shape = {"n_positions": 512, "n_embd": 16, "n_layer": 1, "n_head": 2}
    GPT2LMHeadModel(GPT2Config(vocab_size=size, bos_token_id=0, eos_token_id=0, **shape)).save_pretrained(folder)
    return folder


def test_a_gpt2_of_ones_own_is_tuned_with_its_own_tokens(data: Path, tmp_path: Path) -> None:
    from commonsense_lab.learning.weights import read_policy

    own = write_gpt2(tmp_path / "gpt2")
    trained = train(data, tmp_path / "policy", TrainConfig(epochs=2, batch=4), pretrained=own)
    assert trained.rows[-1]["loss"] < trained.rows[0]["loss"]
    read = read_policy(tmp_path / "policy")
    assert read.positions == 512
    assert read.tokenizer.decode(read.tokenizer.encode(" Grab the mug\n").ids) == " Grab the mug\n"
    with pytest.raises(InputError, match="trained by something else"):
        read_policy(own)


def damage(file: Path, content: bytes | None) -> None:
    """It has this content, or is not there."""
    file.unlink()
    if content is not None:
        file.write_bytes(content)


NO_GPT2 = "not a GPT-2 that transformers can load"


@pytest.mark.parametrize(("name", "content", "message"), [
    ("config.json", None, NO_GPT2),
    ("config.json", b'{"model_type": "bert"}', "a model of the kind bert, not gpt2"),
    ("model.safetensors", b"no weights", NO_GPT2),
    ("tokenizer.json", b"{}", NO_GPT2),
])  # fmt: skip
def test_a_wrong_checkpoint_is_reported(
    name: str, content: bytes | None, message: str, data: Path, tmp_path: Path
) -> None:
    own = write_gpt2(tmp_path / "gpt2")
    damage(own / name, content)
    with pytest.raises(InputError, match=message):
        train(data, tmp_path / "policy", pretrained=own)
    with pytest.raises(InputError, match="there is no such folder"):
        train(data, tmp_path / "policy", pretrained=tmp_path / "absent")


OPTIONS = [(3, 4, 5), (3, 4, 6, 5), (7, 5), (3, 8, 4, 5), (5,)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy with random weights, larger than usual so that its opinions differ."""
    import torch

    from commonsense_lab.learning.weights import fresh, save, word_tokenizer

    torch.manual_seed(0)
    weights = fresh(TrainConfig(layers=2, width=32, heads=4, positions=128), word_tokenizer(["a b c d e f g h i j"]))
    for parameter in weights.model.parameters():
        parameter.data *= 5
    folder = tmp_path_factory.mktemp("policy")
    save(weights, folder)
    return folder


@pytest.fixture(scope="module")
def policy(saved: Path) -> TrainedPolicy:
    from commonsense_lab.learning.policy import TrainedPolicy

    return TrainedPolicy(saved)


def one_by_one(policy: TrainedPolicy, tokens: list[int]) -> list[float]:
    """The log-probabilities of the options, each in a separate pass over all tokens."""
    import torch

    found = []
    for option in OPTIONS:
        with torch.inference_mode():
            logits = policy._model(input_ids=torch.tensor([[*tokens, *option]])).logits[0].double().log_softmax(-1)
        places = range(len(tokens) - 1, len(tokens) + len(option) - 1)
        found.append(float(sum(logits[at, token] for at, token in zip(places, option, strict=True))))
    return found


def test_all_options_in_one_pass_are_as_one_by_one_and_forgotten_tokens_have_no_influence(
    policy: TrainedPolicy,
) -> None:
    rng, reading = np.random.default_rng(0), policy.reading()
    drawn = rng.integers(0, 11, 40).tolist()
    growing = [drawn[:end] for end in np.cumsum(rng.integers(1, 9, 5))]
    for tokens in (*growing, [1, 2, 3, 4, 5, 6], [1, 2, 5, 6], [1, 2, 5, 6], [9], [9, 1]):
        assert reading.log_probabilities(tokens, OPTIONS) == pytest.approx(one_by_one(policy, tokens), abs=1e-4)
    assert np.ptp(one_by_one(policy, growing[-1])) > 1


def test_readings_do_not_disturb_each_other(policy: TrainedPolicy) -> None:
    first, second = policy.reading(), policy.reading()
    before = first.log_probabilities([1, 2, 3], OPTIONS)
    second.log_probabilities([4, 5, 6, 7], OPTIONS)
    assert first.log_probabilities([1, 2, 3], OPTIONS) == pytest.approx(before, abs=1e-4)


def test_the_weights_of_a_folder_are_read_once(saved: Path) -> None:
    from commonsense_lab.learning.policy import policy_in
    from commonsense_lab.learning.weights import read_policy

    assert read_policy(saved).positions == 128
    assert policy_in(saved) is policy_in(saved)


@pytest.mark.parametrize(("name", "content", "message"), [
    ("config.json", None, "not a folder that cplan train-policy wrote"),
    ("config.json", b"{", "not a folder that cplan train-policy wrote"),
    ("config.json", b'{"model_type": "gpt2"}', "trained by something else"),
    ("model.safetensors", None, NO_GPT2),
    ("model.safetensors", b"nothing", NO_GPT2),
    ("tokenizer.json", b"{}", NO_GPT2),
])  # fmt: skip
def test_a_wrong_folder_is_reported(
    saved: Path, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    from commonsense_lab.learning.policy import TrainedPolicy

    shutil.copytree(saved, tmp_path, dirs_exist_ok=True)
    damage(tmp_path / name, content)
    with pytest.raises(InputError, match=message):
        TrainedPolicy(tmp_path)
