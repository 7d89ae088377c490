"""A file is written whole or stays unchanged; JSON lines."""

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from commonsense_planning.cli.new_domain import write_domain
from commonsense_planning.cli.outcome import Trace
from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append, entries
from commonsense_planning.support.writing import filling, replacing, write_text


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


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where the disk is full: of no file can there be more than 100 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("full")
def test_of_a_line_that_does_not_fit_nothing_stays(tmp_path: Path) -> None:
    add(tmp_path / "file", a="x" * 60)
    with pytest.raises(OSError, match="File too large"):
        add(tmp_path / "file", a="y" * 60)
    add(tmp_path / "file", b=1)
    assert [list(entry) for entry in entries(tmp_path / "file")] == [["a"], ["b"]]


@pytest.mark.usefixtures("full")
def test_of_an_event_that_does_not_fit_nothing_stays(tmp_path: Path) -> None:
    with Trace(tmp_path / "trace", {}) as trace:
        trace.emit({"event": "start"})
        with pytest.raises(InputError, match="cannot write the trace: File too large"):
            trace.emit({"event": "x" * 99})
        trace.emit({"event": "end"})  # goes nowhere
    assert [entry["event"] for entry in entries(tmp_path / "trace")] == ["start"]


@pytest.mark.usefixtures("full")
def test_of_a_domain_that_does_not_fit_nothing_stays(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{tmp_path}/attic: cannot write the domain: File too large"):
        write_domain(tmp_path / "attic")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("error", [None, OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_folder_gets_all_of_its_files_or_none(error: BaseException | None, there: bool, tmp_path: Path) -> None:
    folder = tmp_path / "below" / "folder"
    if there:
        folder.mkdir(parents=True)
        (folder / "a").write_text("old")
        (folder / "own").write_text("own")
    with suppress(InputError, KeyboardInterrupt), filling(folder, "all of it") as unfinished:
        (unfinished / "in").mkdir()
        (unfinished / "a").write_text("new")
        (unfinished / "in" / "b").write_text("new")
        if error is not None:
            raise error
    found = {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}
    old = {"a": "old", "own": "own"} if there else {}
    assert found == (old if error else {**old, "a": "new", "in/b": "new"})
    assert list(tmp_path.rglob(".cplan*")) == []


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
