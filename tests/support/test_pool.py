"""Work in several processes: every item has its result, whichever process dies; and workers that answer one request."""

import errno
import multiprocessing.synchronize
import os
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from commonsense_planning.errors import LateError, MissingError
from commonsense_planning.support.pool import completed, in_order
from commonsense_planning.support.processes import Limit, run_limited
from commonsense_planning.support.workers import WorkerError, ask
from tests.support.children import children


def square(number: int, diary: Path) -> int:
    """Write down that the work began; 3 kills its process, 2 does when it is worked on for the first time."""
    file = diary / str(number)
    first = not file.exists()
    with file.open("a") as text:
        text.write("x")
    if number == 3 or (number == 2 and first):
        os._exit(9)
    return number * number


@pytest.mark.processes
@pytest.mark.parametrize("workers", [1, 2])
def test_only_what_kills_its_process_twice_has_no_result(workers: int, tmp_path: Path) -> None:
    found = dict(completed(partial(square, diary=tmp_path), range(6), workers))
    assert found == {0: 0, 1: 1, 2: 4, 3: None, 4: 16, 5: 25}
    assert len((tmp_path / "3").read_text()) in (2, 3)  # in the pool perhaps, then twice alone


@pytest.mark.processes
def test_results_in_order_wait_for_those_before() -> None:
    given = [(1, "b"), (0, "a"), (3, "d"), (2, "c")]
    assert list(in_order(given)) == ["a", "b", "c", "d"]


def slow(number: int) -> int:
    """Take a minute, the first item none."""
    time.sleep(60 * min(number, 1))
    return number


@pytest.mark.processes
def test_stopping_early_leaves_no_process() -> None:
    before = multiprocessing.active_children()
    with closing(completed(slow, range(4), 2)) as results:
        assert next(results) == (0, 0)
    assert multiprocessing.active_children() == before


@pytest.mark.processes
def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(completed(int, ["1", "x"], 2))


@pytest.mark.processes
def test_where_there_are_no_semaphores_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **settings: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", read_only)
    with pytest.raises(MissingError, match="/dev/shm: Read-only file system; one process does without: --jobs 1 or"):
        list(completed(int, ["1", "2"], 2))


WORKER = "tests.support.small_worker"


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_an_answer_has_nothing_of_what_the_worker_prints(size: int) -> None:
    request = {"what": "x" * size}
    assert ask(WORKER, request) == {"size": len(str(request))}


def test_failures_are_reported() -> None:
    with pytest.raises(WorkerError, match="^ValueError: told to$"):
        ask(WORKER, {"do": "fail"})
    with pytest.raises(WorkerError, match="No module named tests.nobody"):
        ask("tests.nobody", {})


def test_too_late() -> None:
    before = children()
    with pytest.raises(LateError, match="took longer than 0.2 s"):
        ask(WORKER, {"do": "sleep"}, 0.2)
    assert children() == before


def test_sets_have_the_same_order_in_every_run() -> None:
    command = [sys.executable, "-c", "print(hash('fridge'))"]
    said = {run_limited(command, Limit(60), env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in "12"}
    assert len(said) == 1
