"""Trajectories, lessons, batches and the rate of learning."""

import json
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.learning.lessons import IGNORED, Lesson, Trajectory, padded, read_trajectories, schedule, shuffled
from commonsense_planning.errors import InputError


def test_every_lesson_is_learned_once_beside_others_of_its_length() -> None:
    lengths = np.random.default_rng(0).integers(10, 300, 1000).tolist()
    batches = shuffled(lengths, 16, np.random.default_rng(1))
    assert sorted(i for batch in batches for i in batch) == list(range(1000))
    assert len(batches) == 63
    filled = sum(max(lengths[i] for i in batch) * len(batch) for batch in batches)
    assert filled < 1.1 * sum(lengths)
    assert batches == shuffled(lengths, 16, np.random.default_rng(1))
    assert batches != shuffled(lengths, 16, np.random.default_rng(2))


def test_padding_is_not_learned() -> None:
    short = Lesson(np.array([5, 6], np.int32), np.array([IGNORED, 6]))
    long = Lesson(np.array([7, 8, 9], np.int32), np.array([IGNORED, 8, 9]))
    tokens, targets = padded([short, long])
    assert tokens.tolist() == [[5, 6, 0], [7, 8, 9]]
    assert targets.tolist() == [[IGNORED, 6, IGNORED], [IGNORED, 8, 9]]


@pytest.mark.parametrize("steps", [1, 2, 40, 1000])
def test_it_rises_to_one_and_falls_towards_zero(steps: int) -> None:
    rates = [schedule(step, steps) for step in range(steps)]
    top = rates.index(1.0)
    assert top < max(1, 0.05 * steps)
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert all(0 < rate <= 1 for rate in rates)
    assert rates[-1] < 0.05 or steps < 40


GOOD = {"instruction": "Put  it\nthere", "observations": [["a", "b"], []], "actions": ["go", "put"], "home": "seen"}


def test_trajectories_are_read_back(tmp_path: Path) -> None:
    file = tmp_path / "D.jsonl"
    file.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(GOOD)}\n")
    assert list(read_trajectories(file)) == [Trajectory("Put it there", (("a", "b"), ()), ("go", "put"))] * 2


@pytest.mark.parametrize(("line", "message"), [
    ("{", "not a trajectory: Expecting property name"),
    ("[]", "not a trajectory: list indices"),
    (json.dumps({**GOOD, "actions": "go"}), "'go' is not a list"),
    (json.dumps({**GOOD, "actions": [1, 2]}), "1 is not a text"),
    (json.dumps({**GOOD, "actions": []}), "0 actions and 2 observations"),
    (json.dumps({**GOOD, "observations": [["a"]]}), "2 actions and 1 observations"),
    (json.dumps({**GOOD, "observations": ["a", "b"]}), "'a' is not a list"),
    (json.dumps({k: v for k, v in GOOD.items() if k != "instruction"}), "'instruction' is missing"),
])  # fmt: skip
def test_a_wrong_line_is_located(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "D.jsonl"
    file.write_text(f"{json.dumps(GOOD)}\n{line}\n")
    with pytest.raises(InputError, match=":2:1: ") as raised:
        list(read_trajectories(file))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"), [(b"\n", "no trajectories"), (b"\xff", "byte 0xff is not UTF-8"), (None, "No such")]
)
def test_a_file_without_trajectories(content: bytes | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "D.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_trajectories(file))
