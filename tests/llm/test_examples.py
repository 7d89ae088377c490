"""Files of solved tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.llm.prompts import Example, read_examples

SEEN = '[["a cup is on the desk", "the box is closed"]]'
GOOD = f'{{"instruction": "put it away", "observations": {SEEN}, "actions": ["go"]}}'


def test_examples_are_read(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(GOOD + '\n\n{"instruction": "rest", "actions": []}\n')
    first, second = read_examples(path)
    assert first == Example("put it away", "a cup is on the desk, the box is closed", ("go",))
    assert second == Example("rest", "", ())


@pytest.mark.parametrize(("text", "message"), [
    ("", "no examples"),
    (GOOD + "\n{", ":2:2: not an example"),
    ('{"actions": []}', ":1:1: not an example"),
    ("[]", ":1:1: not an example"),
    ('{"instruction": "x", "actions": 3}', ":1:1: not an example"),
])  # fmt: skip
def test_what_is_no_example_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_examples(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_examples(tmp_path / "none.jsonl")
