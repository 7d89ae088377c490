"""Run another program under a time limit, and end all of it when the time is up, or when we end.

A planner is rarely one process: Fast Downward's driver starts a translator and a search, unified-planning
starts engines in separate process groups. So the program gets its own process group, and ending it
means ending that group and every descendant that left the group (found through ``/proc``; where there is
none, the group alone). If this process ends first, the guard does that (``guard.py``), and removes the temporary files.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from commonsense_planning.support import guard
from commonsense_planning.support.limits import limit_memory_of

GRACE = 1.0  # seconds between asking a process to end and killing it
SAME_SETS = {"PYTHONHASHSEED": "0"}
"""So that children in Python go through their sets in the same order in every run: pyperplan's plans depend on it."""
WATCHED = 0.25  # seconds between two looks at what a process that is watched has done


@dataclass(frozen=True)
class Finished:
    """How a program ended. ``returncode`` is negative for death by signal, and None if it was ended for
    taking longer than its time limit; ``seconds`` is wall-clock time."""

    returncode: int | None
    stdout: str
    stderr: str
    seconds: float

    @property
    def timed_out(self) -> bool:
        return self.returncode is None

    @property
    def signal_name(self) -> str:
        """The signal that the program died of, such as ``SIGSEGV``; empty if it ended by itself."""
        if self.returncode is None or self.returncode >= 0:
            return ""
        return signal.Signals(-self.returncode).name


class Limit:
    """``seconds`` from now on (None: no limit), for one program or for several, one after the other."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._started = time.monotonic()

    @property
    def left(self) -> float:
        """The seconds that are left; negative when the time is up."""
        return self._started + self.seconds - time.monotonic()


@functools.cache
def guarded_folder() -> str:
    """The folder of temporary files, and the mark of child processes; starts their guard."""
    folder = tempfile.mkdtemp(prefix="cplan-")
    # outside of our session, so that what ends us does not end it, and without a mark that we may have ourselves
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={name: value for name, value in os.environ.items() if name != guard.MARK},
        start_new_session=True,
    )
    atexit.register(process.communicate)  # closes the pipe, and waits until the folder is gone
    return folder


def temporary_folder(what: str = "") -> tempfile.TemporaryDirectory[str]:
    """A folder that goes when the block ends, or with this process where that is killed or has no memory left."""
    return tempfile.TemporaryDirectory(prefix=what and f"{what}-", dir=guarded_folder(), ignore_cleanup_errors=True)


def run_limited(
    command: Sequence[str | Path],
    limit: Limit,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    watch: Callable[[], None] | None = None,
) -> Finished:
    """Run ``command``, which gets nothing to read, as long as ``limit`` says, and leave no process of it behind.
    ``watch`` is called now and then meanwhile.

    Raises OSError if the program cannot be started.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = _start(command, out, err, cwd, env)
        returncode: int | None = None
        try:
            while returncode is None and limit.left > 0:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    returncode = process.wait(_patience(limit, watch is not None))
                if watch is not None:
                    watch()
        finally:
            end_tree(process)
        seconds = time.monotonic() - began
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return Finished(returncode, texts[0], texts[1], seconds)


def _patience(limit: Limit, watched: bool) -> float | None:
    """The seconds to wait for a process before something else is to be done; None: for as long as it takes."""
    seconds = min(limit.left, WATCHED if watched else math.inf)
    return max(0.0, seconds) if math.isfinite(seconds) else None


@contextlib.contextmanager
def lines_of(command: Sequence[str | Path], env: Mapping[str, str] | None = None) -> Iterator[Iterator[str]]:
    """The lines that ``command`` prints, as they come; who leaves the block before the last one ends it.

    Raises MemoryError if it says at last that there is no room, and ChildProcessError for any other failure.
    """
    with tempfile.TemporaryFile() as err:
        process = _start(command, subprocess.PIPE, err, env=env)
        assert process.stdout is not None

        def lines() -> Iterator[str]:
            for line in process.stdout or ():
                yield line.decode()
            if process.wait() != 0:
                err.seek(0)
                said = err.read().decode(errors="replace").strip().rpartition("\n")[2]
                no_room = process.returncode < 0 or "bad_alloc" in said or "MemoryError" in said
                raise MemoryError if no_room else ChildProcessError(said)

        try:
            yield lines()
        finally:
            process.stdout.close()
            end_tree(process)


@contextlib.contextmanager
def in_background(
    command: Sequence[str | Path], out: IO[bytes] | int, err: IO[bytes] | int, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """``command``, which writes to ``out`` and ``err``, as long as the block lasts. Raises OSError if it cannot be
    started."""
    process = _start(command, out, err, env=env)
    try:
        yield process
    finally:
        end_tree(process)


def python_module(name: str) -> tuple[list[str], dict[str, str]]:
    """The command that runs a module as we would import it, and its environment."""
    # -P: a file in the current folder must not replace a library's module.
    return [sys.executable, "-P", "-m", name], {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _start(
    command: Sequence[str | Path],
    out: IO[bytes] | int,
    err: IO[bytes] | int,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    folder = guarded_folder()
    ours = {guard.MARK: folder, "TMPDIR": folder, **SAME_SETS}
    process = subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        cwd=cwd,
        env={**(os.environ if env is None else env), **ours},
        start_new_session=True,
    )
    limit_memory_of(process.pid)
    return process


def end_tree(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End ``process``, its process group and its descendants: politely, after ``GRACE`` seconds or at an interrupt by
    force.

    The descendants of one that has ended cannot be told any more; what is left of its group can.
    """
    groups = {process.pid}
    if process.returncode is None:
        groups |= groups_of_descendants(process.pid)
    try:
        signal_groups(groups, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline:
            process.poll()
            if not any(_group_exists(group) for group in groups):
                return
            time.sleep(0.02)
        groups |= groups_of_descendants(process.pid)
    finally:
        signal_groups(groups, signal.SIGKILL)
    process.wait()


def signal_groups(groups: set[int], number: signal.Signals) -> None:
    """Send a signal to the process groups that exist and belong to this process."""
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def groups_of_descendants(pid: int) -> set[int]:
    """The process groups of the living descendants of ``pid``, without its own group."""
    children: dict[int, list[tuple[int, int]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(errors="replace")
        except OSError:  # it has ended meanwhile
            continue
        # "pid (name) state ppid pgrp …"; the name may hold spaces and parentheses
        _, parent, group = text.rpartition(")")[2].split()[:3]
        children.setdefault(int(parent), []).append((int(stat.parent.name), int(group)))
    groups: set[int] = set()
    waiting = [pid]
    while waiting:
        for child, its_group in children.get(waiting.pop(), []):
            waiting.append(child)
            groups.add(its_group)
    return groups - {os.getpgrp()}
