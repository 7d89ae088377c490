"""Workers that are asked at once, later, and never."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from commonsense_planning.errors import BudgetError
from commonsense_planning.processes import Limit
from commonsense_planning.workers import WorkerError, ask, waiting
from tests.children import children

WORKER = "tests.small_worker"


def test_an_answer_has_nothing_of_what_the_worker_prints() -> None:
    assert ask(WORKER, {"what": "x" * 10})["size"] == len(str({"what": "x" * 10}))


def test_a_request_may_be_larger_than_a_pipe() -> None:
    with waiting(WORKER) as worker:
        assert worker.ask({"what": "x" * 1_000_000}, Limit())["size"] > 1_000_000


def test_a_worker_waits_for_its_request() -> None:
    before = children()
    with waiting(WORKER) as worker:
        (started,) = children() - before
        assert worker.ask({}, Limit())["pid"] == started
        assert children() == before


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_a_worker_that_is_not_asked_is_ended(error: type[BaseException] | None) -> None:
    before = children()
    try:
        with waiting(WORKER):
            assert children() != before
            if error is not None:
                raise error
    except (ValueError, KeyboardInterrupt):
        pass
    assert children() == before


def test_a_worker_ends_by_itself_when_nobody_can_ask_it_any_more() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = worker.communicate(timeout=60)  # closes its standard input, as the end of our process would
    assert (worker.returncode, out, err) == (0, b"", b"ready\n")


def test_failures_are_told() -> None:
    with pytest.raises(WorkerError, match="ValueError: told to"):
        ask(WORKER, {"do": "fail"})
    with pytest.raises(WorkerError, match="No module named tests.nobody"):
        ask("tests.nobody", {})


def test_too_late() -> None:
    before = children()
    with pytest.raises(BudgetError, match="took longer than 0.2 s"):
        ask(WORKER, {"do": "sleep"}, 0.2)
    assert children() == before


def test_a_limit_can_be_shortened_while_another_waits_under_it() -> None:
    limit, told = Limit(), []

    def wait() -> None:
        with pytest.raises(BudgetError) as raised, waiting(WORKER) as worker:
            worker.ask({"do": "sleep"}, limit)
        told.append(str(raised.value))

    waiter = threading.Thread(target=wait)
    waiter.start()
    limit.shorten(0.3)
    waiter.join(30)
    assert told == [f"took longer than {limit.seconds:g} s"]


def test_a_limit_is_never_made_longer() -> None:
    limit = Limit(5)
    limit.shorten(60)
    assert limit.seconds == 5
    assert limit.left <= 5
