"""Limits on time and memory that always hold: while reading, grounding, asking for a prior, searching.

Code that can check the deadline does so, and ends in order: episodes between simulations, searches between slices, code
that waits for a child. The alarm is for the rest. It rings shortly after the time is up, in the main thread, and then
every second until it takes effect. Code that signals cannot interrupt for a long time, such as clingo, runs in a child
process.

The system limits memory (RLIMIT_DATA: what a process allocates, not what it maps or reserves). Children inherit the
limit; one without a limit gets the default. A limit below the default is set after the libraries with buffers of fixed
size are loaded: OpenBLAS retries forever if it gets none, and handles no signal meanwhile.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from commonsense_planning.errors import BudgetError, CplanError, MissingError

SHARE = 0.8  # of the machine's memory, for one process
LEAST = 16  # megabytes that must be left for the work
LONGEST = 1e9  # seconds, which amount to no limit
SLACK = 0.5  # seconds, for code that checks the deadline itself
_SOON = 0.01  # seconds
_MOMENT = 0.1  # seconds
_MEGABYTE = 2**20


def default_megabytes() -> int:
    """The default memory limit of a process: a share of the memory of the machine or the container."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    container = Path("/sys/fs/cgroup/memory.max")
    if container.is_file() and (text := container.read_text().strip()).isdigit():
        there = min(there, int(text))
    return int(SHARE * there / _MEGABYTE)


def limit_memory_of(process: int) -> None:
    """Sets the default memory limit of a child that has inherited none. Only on Linux."""
    if sys.platform == "linux" and resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY:
        most = default_megabytes() * _MEGABYTE
        try:
            resource.prlimit(process, resource.RLIMIT_DATA, (most, most))
        except OSError:  # it has ended
            return


@contextmanager
def within_memory(megabytes: int | None = None) -> Iterator[None]:
    """A context in which this process and those that it starts have at most ``megabytes`` of memory each, and no more
    than before; None: no change.

    Raises BudgetError if no memory is left.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    if megabytes is not None:
        if megabytes < default_megabytes():
            _load_buffers()
            if (taken := _taken()) + LEAST > megabytes:
                raise BudgetError(f"out of memory: of {megabytes} MB (--max-memory) cplan itself takes {taken}")
        finite = [limit for limit in before if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min([megabytes * _MEGABYTE, *finite]), before[1]))
    try:
        yield
    except (MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        _let_go(error)
        raise _out_of_memory() from error
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _let_go(error: BaseException) -> None:
    """Frees the locals of the frames of an error and of its causes: otherwise no memory may be left to report it."""
    each: BaseException | None = error
    while each is not None:
        traceback.clear_frames(each.__traceback__)
        each = each.__cause__ or each.__context__


def _load_buffers() -> None:
    """Loads the libraries whose buffers do not grow with the task, and makes them allocate these."""
    import_module("scipy.linalg")
    square = import_module("numpy").ones((256, 256))  # smaller ones need no buffer
    square @ square


def _taken() -> int:
    """The megabytes of this process that count towards the limit; 0 if the system does not report them."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmData:")), 0)


def _out_of_memory() -> BudgetError:
    now = resource.getrlimit(resource.RLIMIT_DATA)[0]
    limit = "" if now == resource.RLIM_INFINITY else f": the limit is {now // _MEGABYTE} MB (--max-memory)"
    return BudgetError(f"out of memory{limit}")


def not_loaded(package: str, error: Exception) -> CplanError:
    """The error for a package that cannot be loaded: there is no memory for it, or it is not installed correctly."""
    if "cannot allocate memory" in str(error).lower():
        return _out_of_memory()
    return MissingError(f"{package} cannot be loaded: {error}; pip install {package}")


def grounded_program(program: str, *options: str) -> Any:
    """A ``clingo.Control`` with the grounded logic program, which has to outlive what it gives. Raises the errors of
    ``not_loaded``."""
    try:
        import clingo
    except ImportError as error:
        raise not_loaded("clingo", error) from error
    control = clingo.Control(["--warn=none", *options])
    control.add("base", [], program)
    _heard(lambda: control.ground([("base", [])]))
    return control


def models_of(control: Any) -> Generator[Any, None, None]:
    """The models that clingo finds, each until the next one is sought. Signals are heard meanwhile."""
    with control.solve(yield_=True, async_=True) as found:
        while True:
            found.resume()
            while not found.wait(_MOMENT):
                pass
            if (model := found.model()) is None:
                return
            yield model


def _heard(call: Callable[[], None]) -> None:
    """Makes a call of C code in another thread, so that signals are heard meanwhile. If a handler raises, the call goes
    on until it ends, or the process does."""
    failed: list[RuntimeError | MemoryError] = []

    def run() -> None:
        try:
            call()
        except (RuntimeError, MemoryError) as error:  # clingo's
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_MOMENT)
    for error in failed:
        raise error


@contextmanager
def within_seconds(seconds: float | None) -> Iterator[None]:
    """A context that raises BudgetError if the block takes longer than ``seconds`` (None: no limit) and does not end by
    itself, or if an outer limit is reached. Only the main thread can be interrupted; in others there is no limit."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    left_behind = False
    seconds = min(seconds, LONGEST)

    def ring(number: int, _: object) -> None:
        if not left_behind:
            raise BudgetError("the time is up")

    before, began = signal.signal(signal.SIGALRM, ring), time.monotonic()
    around, _ = signal.setitimer(signal.ITIMER_REAL, max(0.0, seconds) + SLACK, 1.0)
    if around and around < seconds + SLACK:
        signal.setitimer(signal.ITIMER_REAL, around, 1.0)
    try:
        try:
            yield
        finally:
            left_behind = True  # an alarm from now on must not prevent its own reset
    finally:
        left = max(_SOON, around - (time.monotonic() - began)) if around else 0.0
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left, 1.0 if left else 0.0)
