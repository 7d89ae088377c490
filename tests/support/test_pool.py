"""Work in several processes: every item has its result, whichever process dies."""

from __future__ import annotations

import errno
import multiprocessing.synchronize
import os
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from commonsense_planning.errors import MissingError
from commonsense_planning.support.pool import completed, in_order

pytestmark = pytest.mark.processes


def square(number: int, diary: Path) -> int:
    """Write down that the work began; 3 kills its process, 2 does when it is worked on for the first time."""
    file = diary / str(number)
    first = not file.exists()
    with file.open("a") as text:
        text.write("x")
    if number == 3 or (number == 2 and first):
        os._exit(9)
    return number * number


@pytest.mark.parametrize("workers", [1, 2])
def test_only_what_kills_its_process_twice_has_no_result(workers: int, tmp_path: Path) -> None:
    found = dict(completed(partial(square, diary=tmp_path), range(6), workers))
    assert found == {0: 0, 1: 1, 2: 4, 3: None, 4: 16, 5: 25}
    assert len((tmp_path / "3").read_text()) in (2, 3)  # in the pool perhaps, then twice alone


def test_results_in_order_wait_for_those_before() -> None:
    given = [(1, "b"), (0, "a"), (3, "d"), (2, "c")]
    assert list(in_order(given)) == ["a", "b", "c", "d"]


def slow(number: int) -> int:
    """Take a minute, the first item none."""
    time.sleep(60 * min(number, 1))
    return number


def test_who_stops_early_leaves_no_process() -> None:
    before = multiprocessing.active_children()
    with closing(completed(slow, range(4), 2)) as results:
        assert next(results) == (0, 0)
    assert multiprocessing.active_children() == before


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(completed(int, ["1", "x"], 2))


def test_where_there_are_no_semaphores_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **settings: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", read_only)
    with pytest.raises(MissingError, match="/dev/shm: Read-only file system; one process does without: --jobs 1 or"):
        list(completed(int, ["1", "2"], 2))
