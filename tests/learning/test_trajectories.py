"""Files of trajectories, right and wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.learning.trajectories import Trajectory, read_trajectories

GOOD = {"instruction": "Put  it\nthere", "observations": [["a", "b"], []], "actions": ["go", "put"], "home": "seen"}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "D.jsonl"
    file.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(GOOD)}\n")
    assert list(read_trajectories(file)) == [Trajectory("Put it there", (("a", "b"), ()), ("go", "put"))] * 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not a trajectory: Expecting property name"),
        ("[]", "not a trajectory: list indices"),
        (json.dumps({**GOOD, "actions": "go"}), "'go' is not a list"),
        (json.dumps({**GOOD, "actions": [1, 2]}), "1 is not a text"),
        (json.dumps({**GOOD, "actions": []}), "0 actions and 2 observations"),
        (json.dumps({**GOOD, "observations": [["a"]]}), "2 actions and 1 observations"),
        (json.dumps({**GOOD, "observations": ["a", "b"]}), "'a' is not a list"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "instruction"}), "'instruction' is missing"),
    ],
)
def test_a_wrong_line_is_located(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "D.jsonl"
    file.write_text(f"{json.dumps(GOOD)}\n{line}\n")
    with pytest.raises(InputError, match=":2:1: ") as raised:
        list(read_trajectories(file))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"), [(b"\n", "no trajectories"), (b"\xff", "cannot read"), (None, "No such")]
)
def test_a_file_without_trajectories(content: bytes | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "D.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_trajectories(file))
