"""Workers that are asked at once, later, and never, and that are told what about."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from commonsense_planning.errors import BudgetError
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.workers import WorkerError, ask, waiting
from tests.support.children import children

WORKER = "tests.support.small_worker"


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


@pytest.mark.parametrize("subjects", [[], [{}], [{"do": "sleep"}, {"what": "more"}]])
@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_a_worker_that_is_not_asked_is_ended(
    error: type[BaseException] | None, subjects: list[dict[str, str]]
) -> None:
    before = children()
    try:
        with waiting(WORKER) as worker:
            assert children() != before
            for subject in subjects:
                worker.announce(subject)
            if error is not None:
                raise error
    except (ValueError, KeyboardInterrupt):
        pass
    assert children() == before


def start() -> subprocess.Popen[bytes]:
    """The worker, without anybody who would end it."""
    return subprocess.Popen(
        [sys.executable, "-m", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("told", [b"", b'{"subject": {"do": "sleep"}}\n'])
def test_a_worker_ends_by_itself_when_nobody_can_ask_it_any_more(told: bytes) -> None:
    worker = start()
    out, err = worker.communicate(told, timeout=30)  # closes its standard input, as the end of our process would
    assert (worker.returncode, out, err) == (0, b"", b"ready\n")


def test_a_worker_knows_what_was_announced() -> None:
    with waiting(WORKER) as worker:
        worker.announce({"what": "fruit"})
        worker.announce({"what": "apple"})
        assert worker.ask({}, Limit())["announced"] == [{"what": "fruit"}, {"what": "apple"}]


def test_what_fails_ahead_fails_the_request() -> None:
    with waiting(WORKER) as worker:
        worker.announce({"do": "fail"})
        with pytest.raises(WorkerError, match="^ValueError: told to$"):
            worker.ask({"what": "x" * 1_000_000}, Limit())


def test_what_fails_ahead_ends_the_worker() -> None:
    worker = start()
    assert worker.stdin is not None and worker.stderr is not None
    worker.stdin.write(b'{"subject": {"do": "fail"}}\n')
    worker.stdin.flush()
    assert worker.wait(30) == 1
    assert worker.stderr.read().endswith(b"ValueError: told to\n")
    worker.communicate()


def test_too_late_while_the_worker_is_still_ahead() -> None:
    before = children()
    with waiting(WORKER) as worker:
        worker.announce({"do": "sleep"})
        with pytest.raises(BudgetError, match="took longer than 0.2 s"):
            worker.ask({}, Limit(0.2))
    assert children() == before


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
