"""Limits on time and memory that hold whatever is under way: reading, grounding, a prior, a search.

Code that can checks the deadline itself, and ends in order: episodes between simulations, searches between slices,
those who wait for a child. The alarm is for the rest. It rings shortly after the time is up, in the main thread, and
again every second as long as it is not heard. Code that signals cannot interrupt for a long time, such as clingo, runs
in a child process.

Memory is limited by the system (RLIMIT_DATA: what a process asks for, not what it maps or reserves). Children inherit
the limit; one that has none gets the default. A limit below the default is set when the libraries with buffers of
fixed size are loaded: OpenBLAS asks for its own again and again where it gets none, and hears no signal meanwhile.
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
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from commonsense_planning.errors import BudgetError, CplanError, MissingError

SHARE = 0.8  # of the machine's memory, which a process may have
LEAST = 16  # megabytes for the work, without which it is not begun
LONGEST = 1e9  # seconds, which are as good as no limit
SLACK = 0.5  # seconds, for code that checks the deadline itself
_SOON = 0.01  # seconds
_MEGABYTE = 2**20


def default_megabytes() -> int:
    """The default memory limit of a process: a share of the memory of the machine or the container."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    container = Path("/sys/fs/cgroup/memory.max")
    if container.is_file() and (text := container.read_text().strip()).isdigit():
        there = min(there, int(text))
    return int(SHARE * there / _MEGABYTE)


def limit_memory_of(process: int) -> None:
    """Give a child that has inherited no limit on memory the default one. Only Linux can."""
    if sys.platform == "linux" and resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY:
        most = default_megabytes() * _MEGABYTE
        try:
            resource.prlimit(process, resource.RLIMIT_DATA, (most, most))
        except OSError:  # it has ended already
            return


@contextmanager
def within_memory(megabytes: int | None = None) -> Iterator[None]:
    """Let this process and those that it starts have no more memory than ``megabytes`` each, and no more than they may
    have already; None: as it is.

    Raises BudgetError where there is none left.
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
    """Free what the frames hold that an error went through, and those that it came of: else no memory is left to say
    what happened."""
    each: BaseException | None = error
    while each is not None:
        traceback.clear_frames(each.__traceback__)
        each = each.__cause__ or each.__context__


def _load_buffers() -> None:
    """Load the libraries whose buffers are no larger for a larger task, and have them allocated."""
    import_module("scipy.linalg")
    square = import_module("numpy").ones((256, 256))  # small ones are multiplied without
    square @ square


def _taken() -> int:
    """The megabytes that count against the limit and are this process's already; 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmData:")), 0)


def _out_of_memory() -> BudgetError:
    now = resource.getrlimit(resource.RLIMIT_DATA)[0]
    limit = "" if now == resource.RLIM_INFINITY else f": the limit is {now // _MEGABYTE} MB (--max-memory)"
    return BudgetError(f"out of memory{limit}")


def not_loaded(package: str, error: Exception) -> CplanError:
    """The error to raise where a package cannot be loaded: there is no memory for it, or it is not installed as it
    should be."""
    if "cannot allocate memory" in str(error).lower():
        return _out_of_memory()
    return MissingError(f"{package} cannot be loaded: {error}; pip install {package}")


@contextmanager
def within_seconds(seconds: float | None) -> Iterator[None]:
    """Raise BudgetError where the block takes longer than ``seconds`` (None: no limit) and does not end by itself, or a
    limit around it is reached. Only the main thread can be interrupted so; in another, nothing is."""
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
            left_behind = True  # one that rings from now on would leave the alarm as it is
    finally:
        left = max(_SOON, around - (time.monotonic() - began)) if around else 0.0
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left, 1.0 if left else 0.0)
