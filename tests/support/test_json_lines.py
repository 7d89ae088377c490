"""Lines of JSON: whole or skipped, never mixed up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonsense_planning.support.json_lines import append


def add(path: Path, **entry: object) -> None:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        append(path, file, entry)
    finally:
        os.close(file)


def test_a_line_per_entry_with_sorted_keys(tmp_path: Path) -> None:
    add(tmp_path / "file", b=1, a="é")
    add(tmp_path / "file", c=None)
    assert (tmp_path / "file").read_text() == '{"a": "é", "b": 1}\n{"c": null}\n'


def test_a_torn_line_stays_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('{"a": 1}\n{"b"')
    add(tmp_path / "file", c=2)
    assert (tmp_path / "file").read_text() == '{"a": 1}\n{"b"\n{"c": 2}\n'


def test_a_short_write_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda file, data: len(data) - 1)
    with pytest.raises(OSError, match="No space left"):
        add(tmp_path / "file", a=1)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_has_gone_is_an_error(replaced: bool, tmp_path: Path) -> None:
    path = tmp_path / "file"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        path.unlink()
        if replaced:
            path.write_text("another\n")
        with pytest.raises(OSError, match="removed or replaced in mid-run"):
            append(path, file, {"a": 1})
    finally:
        os.close(file)
