"""A file is written whole or stays unchanged; JSON lines."""

import os
from pathlib import Path

import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.writing import replacing, write_text


def test_the_file_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("old")
    path.chmod(0o600)
    with replacing(path, "the plan") as file:
        file.write_text("new")
        assert (path.read_text(), file.suffix) == ("old", ".txt")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["plan.txt"]


def test_two_files_of_a_folder_may_be_written_at_once(tmp_path: Path) -> None:
    with replacing(tmp_path / "a", "a") as a, replacing(tmp_path / "b", "b") as b:
        a.write_text("a")
        b.write_text("b")
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("a", "b")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_the_old_file_stays_where_writing_ends_early(error: BaseException, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("old")
    with pytest.raises((InputError, KeyboardInterrupt)) as raised, replacing(path, "the plan", "go") as file:
        file.write_text("ne")
        raise error
    if isinstance(error, OSError):
        assert str(raised.value) == f"{path}: cannot write the plan: No space left on device; go"
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["plan"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "to").symlink_to("plan")
    write_text(tmp_path / "to", "new", "the plan")
    assert (tmp_path / "to").is_symlink()
    assert (tmp_path / "plan").read_text() == "new"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("/dev/full", "No space left on device"), ("none/plan", "No such file"), (".", "Is a directory")],
)
def test_what_cannot_be_written_is_said(name: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(InputError, match=f"^{path}: cannot write the plan: {reason}"):
        write_text(path, "text", "the plan")


def test_a_device_is_written_to_directly() -> None:
    write_text(Path("/dev/null"), "text", "the plan")
    assert not Path("/dev/null").is_file()


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
