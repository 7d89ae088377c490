"""A folder whose files are as they were written, and which one has at a time."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from commonsense_planning.support import sealed_folder
from commonsense_planning.support.sealed_folder import SealedFolder


def nobody_waits() -> None:
    raise AssertionError


def written(folder: Path, **texts: str) -> SealedFolder:
    """A folder to which files were written, by name."""
    made = SealedFolder(folder, nobody_waits)
    made.take()
    made.writes()
    for name, text in texts.items():
        (folder / name).write_text(text)
    made.give()
    return made


def found(folder: Path) -> tuple[dict[str, str], bool]:
    """What the next process finds, and whether something was damaged."""
    later = SealedFolder(folder, nobody_waits)
    later.take()
    later.give()
    there = {path.name: path.read_text() for path in folder.iterdir() if path.name not in ("lock", "seals")}
    return there, later.damaged


def test_what_was_written_is_there(tmp_path: Path) -> None:
    assert found(tmp_path) == ({}, False)
    written(tmp_path, one="1", two="22")
    assert found(tmp_path) == ({"one": "1", "two": "22"}, False)
    written(tmp_path, two="3")
    assert found(tmp_path) == ({"one": "1", "two": "3"}, False)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_text(""),
    "cut": lambda path: path.write_text(path.read_text()[:-1]),
    "flipped": lambda path: path.write_text(path.read_text().replace("2", "3")),
    "not sealed": lambda path: path.rename(path.with_name("other")),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_goes_and_the_rest_stays(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    written(tmp_path, one="1", two="22")
    damage(tmp_path / "two")
    assert found(tmp_path) == ({"one": "1"}, True)
    assert found(tmp_path) == ({"one": "1"}, False)
    written(tmp_path, two="22")
    assert found(tmp_path) == ({"one": "1", "two": "22"}, False)


@pytest.mark.parametrize("seals", ["", "{", "[]", '{"one": null}', "\0"])
def test_without_its_seals_nothing_is_believed(tmp_path: Path, seals: str) -> None:
    written(tmp_path, one="1")
    (tmp_path / "seals").write_text(seals)
    assert found(tmp_path) == ({}, True)


def test_what_is_damaged_while_another_file_is_written_is_not_sealed(tmp_path: Path) -> None:
    made = written(tmp_path, one="1")
    (tmp_path / "one").write_text("2")
    made.take()
    made.writes()
    (tmp_path / "two").write_text("22")
    made.give()
    assert found(tmp_path) == ({"two": "22"}, True)


def test_who_is_killed_leaves_what_it_had_finished(tmp_path: Path) -> None:
    """A kernel within a kernel, which takes longer than there is time."""
    made = SealedFolder(tmp_path, nobody_waits)
    for _ in ("outer", "inner"):
        made.take()
        made.writes()
    (tmp_path / "inner").write_text("1")
    made.give()
    (tmp_path / "outer").write_text("")
    (tmp_path / "lock").unlink()  # as the system lets go of it
    assert found(tmp_path) == ({"inner": "1"}, True)


def test_one_has_it_at_a_time_and_who_waits_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two objects each has a lock of its own, as two processes have."""
    monkeypatch.setattr(sealed_folder, "PATIENCE", 0.0)
    told, order = threading.Event(), []
    first, second = written(tmp_path), SealedFolder(tmp_path, told.set)
    first.take()
    first.take()  # a kernel within a kernel

    def wait() -> None:
        second.take()
        order.append("second")
        second.give()

    thread = threading.Thread(target=wait)
    thread.start()
    assert told.wait(60)
    first.give()
    order.append("first")
    first.give()
    thread.join(60)
    assert order == ["first", "second"]


def test_an_interrupt_while_it_waits_leaves_it_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    made = SealedFolder(tmp_path, nobody_waits)
    with monkeypatch.context() as patch:
        patch.setattr(SealedFolder, "_check", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made.take()
    assert found(tmp_path) == ({}, False)
    made.take()
    made.give()


def test_without_locks_all_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(fcntl, "flock", none)
    written(tmp_path, one="1")
    assert found(tmp_path) == ({"one": "1"}, False)
