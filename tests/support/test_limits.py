"""The alarm rings where nobody looks at the clock, and children have a limit on memory in any case."""

from __future__ import annotations

import resource
import signal
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from commonsense_planning.errors import BudgetError, MissingError
from commonsense_planning.support import limits
from commonsense_planning.support.limits import not_loaded
from commonsense_planning.support.processes import Limit, lines_of, run_limited
from tests.kernels.test_kernel import assert_is_interrupted
from tests.support.children import children


def test_the_alarm_rings_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLACK", 0.0)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(BudgetError, match="the time is up"), limits.within_seconds(0.05):
        time.sleep(60)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_it_rings_again_where_it_was_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLACK", 0.0)
    heard = 0
    with pytest.raises(BudgetError), limits.within_seconds(0.05):
        while True:
            try:
                time.sleep(60)
            except BudgetError:
                heard += 1
                if heard == 2:
                    raise
    assert heard == 2


@pytest.mark.parametrize("seconds", [1e12, float("inf")])
def test_a_time_that_no_timer_holds_is_no_limit(seconds: float) -> None:
    with limits.within_seconds(seconds), limits.within_seconds(1.0):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_one_that_rings_while_the_block_is_left_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    before, setitimer = signal.getsignal(signal.SIGALRM), signal.setitimer
    with limits.within_seconds(60.0):
        monkeypatch.setattr(signal, "signal", _ringing(signal.signal))
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGALRM) is before
    assert setitimer(signal.ITIMER_REAL, 0.0) == (0.0, 0.0)


def _ringing(set_handler: Callable[..., Any]) -> Callable[..., Any]:
    """Rings before a handler is set."""

    def ring(*given: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)
        return set_handler(*given)

    return ring


def pigeons() -> Any:
    """More pigeons than holes: it takes long to find that no two share one."""
    holes = "1 {a(P, H) : H = 1..12} 1 :- P = 1..13. :- a(P, H), a(Q, H), P < Q."
    return next(limits.models_of(limits.grounded_program(holes)))


def test_clingo_is_interrupted() -> None:
    assert_is_interrupted(pigeons)
    assert_is_interrupted(lambda: limits.grounded_program("a(X, Y, Z) :- X = 1..120, Y = 1..120, Z = 1..120."))


def test_what_clingo_cannot_read_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="syntax error|parsing failed"):
        limits.grounded_program("a(")


def test_memory_is_limited_for_children() -> None:
    told = [sys.executable, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"]
    if resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY:
        assert int(run_limited(told, Limit(30)).stdout) <= limits.default_megabytes() << 20
    with limits.within_memory(2000):
        assert int(run_limited(told, Limit(30)).stdout) == 2000 << 20
        big = [sys.executable, "-c", "print('ready', flush=True); len(bytes(3 * 10**9))"]
        with pytest.raises(MemoryError), lines_of(big) as lines:
            assert list(lines) == ["ready\n"]
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] != 2000 << 20


def test_a_limit_within_a_limit_does_not_loosen_it() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limits.within_memory(2000), limits.within_memory(4000):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 2000 << 20
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_fills_the_memory_is_freed_before_the_reason_is_given() -> None:
    """Otherwise the error that reports it finds no memory either."""
    held: list[weakref.ref[set[int]]] = []

    def fill(error: type[Exception]) -> None:
        facts = set(range(10))
        held.append(weakref.ref(facts))
        raise error

    with pytest.raises(BudgetError, match="out of memory") as caught, limits.within_memory():
        try:
            fill(KeyError)
        except KeyError:
            fill(MemoryError)
    assert [facts() for facts in held] == [None, None]
    assert isinstance(caught.value.__cause__, MemoryError)


def test_who_leaves_before_the_last_line_ends_the_child() -> None:
    before = children()
    with lines_of([sys.executable, "-c", "while True: print(1)"]) as lines:
        assert next(lines) == "1\n"
    assert children() == before
    with (
        pytest.raises(ChildProcessError, match="ValueError: told to"),
        lines_of([sys.executable, "-c", "raise ValueError('told to')"]) as lines,
    ):
        list(lines)


def test_a_package_that_finds_no_memory_is_there() -> None:
    error = ChildProcessError("cannot allocate memory for thread-local data: ABORT")
    assert str(not_loaded("clingo", error)).startswith("out of memory")
    assert isinstance(not_loaded("clingo", ImportError("No module named 'clingo'")), MissingError)
