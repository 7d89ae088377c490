"""Names that want to break out of where they stand."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from tests.hostile import PLAIN, names, phrases, run, try_names, write_task


@settings(max_examples=4)
@given(called=names(13), said=phrases(5))
def test_names_are_names(called: list[str], said: list[str]) -> None:
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said, quick=True)


@pytest.mark.processes
@settings(max_examples=10)
@given(called=names(13), said=phrases(5))
def test_names_are_names_for_other_programs_too(called: list[str], said: list[str]) -> None:
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said)


@pytest.mark.processes
@pytest.mark.parametrize("name", ["--help", "$(touch x);`touch x`", "a 'b\"\n", "\x1bc é我🤖…"])
def test_files_may_be_called_anything(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours, VAL, Fast Downward and pyperplan find them, and no shell reads their names."""
    folder = tmp_path / name
    folder.mkdir()
    for path, new in zip(write_task(folder, PLAIN), (f"{name}.pddl", f"{name}-problem.pddl"), strict=True):
        path.rename(folder / new)
    monkeypatch.chdir(folder)
    files = ("--", f"{name}.pddl", f"{name}-problem.pddl")
    for method in ("gbfs", "fast-downward", "pyperplan"):
        assert run("solve", "--method", method, "--plan", "found", *files).code == 0
        assert run("validate", *files, "found").code == 0
    assert {path.name for path in tmp_path.iterdir()} == {name}
    assert {path.name for path in folder.iterdir()} == {*files[1:], "sensors.pddl", "found"}
