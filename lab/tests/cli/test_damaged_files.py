"""Damaged files in every command that reads them: exit code 2, a message that names the file, no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.tests.studies.rearrangement.rows import row
from tests.cli.running import Run

GOOD = row("mcts", "seen", "simple", 0, 0)
WRONG: list[Any] = [10**400, "1e400", [], None, "\ud800", 10**90]


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize("field", [*GOOD, "error"])
def test_a_row_with_a_damaged_field_never_ends_in_a_traceback(field: str, tmp_path: Path, cplan: Run) -> None:
    page = tmp_path / "page"
    for value in [*WRONG, "absent"]:
        damaged = {name: old for name, old in GOOD.items() if name != field}
        text = json.dumps(damaged if value == "absent" else {**damaged, field: value})
        (tmp_path / "episodes.jsonl").write_text(text.replace('"1e400"', "1e400") + "\n")
        ended = cplan("report", tmp_path, "-o", page)
        assert ended.code in (0, 2)
        if ended.code:
            assert f"{tmp_path}/episodes.jsonl:1:1: not a row: " in ended.err or "there is no experiment" in ended.err


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize(("text", "code"), [
    ('{"key": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", 2),
    ('{"key": "a", "x": 1e400}', 2),
    ('{"key": "a", "status": "solv', 0),  # torn
    ("", 0),
])  # fmt: skip
def test_a_line_that_is_no_row(text: str, code: int, tmp_path: Path, cplan: Run) -> None:
    (tmp_path / "episodes.jsonl").write_text(f"{json.dumps(GOOD)}\n{text}\n")
    ended = cplan("report", tmp_path)
    assert ended.code == code
    assert ("episodes.jsonl:2:1: not a row: " in ended.err) == bool(code)
