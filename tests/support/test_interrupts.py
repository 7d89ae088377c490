"""Ctrl-C is heard wherever it comes, and leaves no halves."""

import signal
import time
from collections.abc import Callable

import pytest

from commonsense_planning.cli.main import main
from commonsense_planning.support.interrupts import NUDGE, ending_in_order, held


class Finalized:
    """Is told to end while it is being finalized, where Python ignores what is raised."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)


def test_one_that_comes_in_a_finalizer_is_heard(capfd: pytest.CaptureFixture[str]) -> None:
    with ending_in_order() as came, pytest.raises(KeyboardInterrupt):
        del [Finalized()][0]
        time.sleep(20)
    assert came == [signal.SIGINT]
    assert capfd.readouterr().err == ""


def test_one_that_is_held_comes_when_all_is_done() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):
        with held():
            signal.raise_signal(signal.SIGINT)
            done.append("one")
            with held():
                done.append("two")
            done.append("three")
        done.append("four")
    assert done == ["one", "two", "three"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_one_does_not_wait() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held():
        signal.raise_signal(signal.SIGINT)
        done.append("one")
        signal.raise_signal(signal.SIGINT)
        done.append("two")
    assert done == ["one"]


def one_comes(monkeypatch: pytest.MonkeyPatch, now: Callable[[int], bool]) -> None:
    """One comes as the file is set that wakes the program up, if it is time by its number; once."""
    set_wakeup_fd, came = signal.set_wakeup_fd, list[int]()

    def interrupted(number: int, **options: bool) -> int:
        if not came and now(number):
            came.append(number)
            signal.raise_signal(signal.SIGINT)
        return set_wakeup_fd(number, **options)

    monkeypatch.setattr(signal, "set_wakeup_fd", interrupted)


def test_one_that_comes_when_all_is_over_finds_nothing_to_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    one_comes(monkeypatch, lambda number: number == -1)
    with ending_in_order() as came:
        pass
    assert came == [signal.SIGINT]


def test_one_that_comes_before_anything_has_begun_gives_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    one_comes(monkeypatch, lambda number: True)
    assert main(["--version"]) == 130
    time.sleep(3 * NUDGE)  # it is not reported again
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_one_that_compiled_code_takes_for_its_own_error_is_heard() -> None:
    with pytest.raises(KeyboardInterrupt), ending_in_order() as came:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise TypeError("cannot compare") from error  # as NumPy does
    assert came == [signal.SIGINT]
