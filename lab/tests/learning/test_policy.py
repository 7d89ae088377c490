"""What a model thinks of actions: ``pytest -m train``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from commonsense_planning.config import TrainConfig
from commonsense_planning.errors import InputError

if TYPE_CHECKING:
    from commonsense_lab.learning.policy import TrainedPolicy

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(not find_spec("torch") or not find_spec("transformers"),
        reason="the extra train is not installed"),
]

OPTIONS = [(3, 4, 5), (3, 4, 6, 5), (7, 5), (3, 8, 4, 5), (5,)]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> TrainedPolicy:
    """One with random weights, larger than usual so that its opinions differ."""
    import torch

    from commonsense_lab.learning.policy import TrainedPolicy
    from commonsense_lab.learning.weights import fresh, save, word_tokenizer

    torch.manual_seed(0)
    weights = fresh(TrainConfig(layers=2, width=32, heads=4, positions=128), word_tokenizer(["a b c d e f g h i j"]))
    for parameter in weights.model.parameters():
        parameter.data *= 5
    folder = tmp_path_factory.mktemp("policy")
    save(weights, folder)
    return TrainedPolicy(folder)


def one_by_one(policy: TrainedPolicy, tokens: list[int]) -> list[float]:
    """The log-probabilities of the options, each in a pass of its own over all tokens."""
    import torch

    found = []
    for option in OPTIONS:
        with torch.inference_mode():
            logits = policy._model(input_ids=torch.tensor([[*tokens, *option]])).logits[0].double().log_softmax(-1)
        places = range(len(tokens) - 1, len(tokens) + len(option) - 1)
        found.append(float(sum(logits[at, token] for at, token in zip(places, option, strict=True))))
    return found


def test_all_options_in_one_pass_are_as_one_by_one(policy: TrainedPolicy) -> None:
    rng = np.random.default_rng(0)
    reading = policy.reading()
    tokens: list[int] = []
    for _ in range(5):
        tokens += rng.integers(0, 11, int(rng.integers(1, 12))).tolist()
        assert reading.log_probabilities(tokens, OPTIONS) == pytest.approx(one_by_one(policy, tokens), abs=1e-4)
    assert np.ptp(one_by_one(policy, tokens)) > 1


def test_what_was_forgotten_has_no_influence(policy: TrainedPolicy) -> None:
    reading = policy.reading()
    for tokens in ([1, 2, 3, 4, 5, 6], [1, 2, 5, 6], [1, 2, 5, 6], [9], [9, 1]):
        assert reading.log_probabilities(tokens, OPTIONS) == pytest.approx(one_by_one(policy, tokens), abs=1e-4)


def test_readings_do_not_disturb_each_other(policy: TrainedPolicy) -> None:
    first, second = policy.reading(), policy.reading()
    before = first.log_probabilities([1, 2, 3], OPTIONS)
    second.log_probabilities([4, 5, 6, 7], OPTIONS)
    assert first.log_probabilities([1, 2, 3], OPTIONS) == pytest.approx(before, abs=1e-4)


def test_the_weights_of_a_folder_are_read_once(policy: TrainedPolicy, tmp_path: Path) -> None:
    from commonsense_lab.learning.policy import policy_in
    from commonsense_lab.learning.weights import read_policy, save

    save(_weights_of(policy), tmp_path)
    assert read_policy(tmp_path).positions == 128
    assert policy_in(tmp_path) is policy_in(tmp_path)


def _weights_of(policy: TrainedPolicy) -> object:
    from commonsense_lab.learning.weights import PolicyWeights

    return PolicyWeights(policy._model, policy.encode._tokenizer)


@pytest.mark.parametrize(("name", "content", "message"), [
    ("config.json", None, "not a folder that cplan train-policy wrote"),
    ("config.json", b"{", "not a folder that cplan train-policy wrote"),
    ("config.json", b'{"model_type": "gpt2"}', "trained by something else"),
    ("model.safetensors", None, "not a GPT-2 that transformers can load"),
    ("model.safetensors", b"nothing", "not a GPT-2 that transformers can load"),
    ("tokenizer.json", b"{}", "not a GPT-2 that transformers can load"),
])  # fmt: skip
def test_a_wrong_folder_is_said(
    policy: TrainedPolicy, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    from commonsense_lab.learning.policy import TrainedPolicy
    from commonsense_lab.learning.weights import save

    save(_weights_of(policy), tmp_path)  # type: ignore[arg-type]
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        TrainedPolicy(tmp_path)
