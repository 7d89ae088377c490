"""Runs other programs under a time limit, and ends all their processes when the time is up, or when this process ends.

A planner is rarely one process: Fast Downward's driver starts a translator and a search, unified-planning starts
engines in separate process groups. So the program gets its own process group; to end it means to end that group and
every descendant outside of it (found through ``/proc``; without it, only the group). If this process ends first, the
guard does that (``guard.py``), and removes the temporary files.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import math
import os
import re
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
"""Makes the order of sets in Python children the same in every run: pyperplan's plans depend on it."""
WATCHED = 0.25  # seconds between two calls of ``watch``


@dataclass(frozen=True)
class Finished:
    """How a program ended. ``returncode``: negative for death by signal, None if it exceeded its time limit;
    ``seconds``: wall-clock time."""

    returncode: int | None
    stdout: str
    stderr: str
    seconds: float

    @property
    def timed_out(self) -> bool:
        """Whether the program exceeded its time limit."""
        return self.returncode is None

    @property
    def signal_name(self) -> str:
        """The signal that killed the program, such as ``SIGSEGV``; empty if none did."""
        if self.returncode is None or self.returncode >= 0:
            return ""
        return signal.Signals(-self.returncode).name


class Limit:
    """A limit of ``seconds`` from now on (None: no limit), for one program or for several in sequence."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._started = time.monotonic()

    @property
    def left(self) -> float:
        """The remaining seconds; negative when the time is up."""
        return self._started + self.seconds - time.monotonic()


@functools.cache
def guarded_folder() -> str:
    """The folder of temporary files, which is also the mark of child processes; the first call starts their guard."""
    folder = tempfile.mkdtemp(prefix="cplan-")
    # in another session, deaf to signals, so that what ends this process does not end it; and without a mark that this
    # process may have
    ours = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={name: value for name, value in os.environ.items() if name != guard.MARK},
            start_new_session=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, ours)
    atexit.register(process.communicate)  # closes the pipe, and waits until the folder is gone
    return folder


def temporary_folder(what: str = "") -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed when the block ends, or with this process, even if that is killed or out of memory."""
    return tempfile.TemporaryDirectory(prefix=what and f"{what}-", dir=guarded_folder(), ignore_cleanup_errors=True)


def run_limited(
    command: Sequence[str | Path],
    limit: Limit,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    watch: Callable[[], None] | None = None,
) -> Finished:
    """Runs ``command``, with empty standard input, within ``limit``, and ends all its processes. ``watch`` is called at
    intervals.

    Of a path in the folder of temporary files, what it printed has the file's name alone.

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
            texts.append(_folders_in(guarded_folder()).sub("", stream.read().decode(errors="replace")))
        return Finished(returncode, texts[0], texts[1], seconds)


@functools.cache
def _folders_in(folder: str) -> re.Pattern[str]:
    """The folders of temporary files in a text."""
    return re.compile(rf"{re.escape(folder)}/(?:[\w.-]+/)*")


def _patience(limit: Limit, watched: bool) -> float | None:
    """The seconds to wait for a process before the next check; None: until it ends."""
    seconds = min(limit.left, WATCHED if watched else math.inf)
    return max(0.0, seconds) if math.isfinite(seconds) else None


@contextlib.contextmanager
def lines_of(command: Sequence[str | Path], env: Mapping[str, str] | None = None) -> Iterator[Iterator[str]]:
    """A context with the lines that ``command`` prints, as they come; leaving the block early ends it.

    Raises MemoryError if it reports that it is out of memory, and ChildProcessError for any other failure.
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
    """A context in which ``command`` runs, and writes to ``out`` and ``err``. Raises OSError if it cannot be
    started."""
    process = _start(command, out, err, env=env)
    try:
        yield process
    finally:
        end_tree(process)


def python_module(name: str) -> tuple[list[str], dict[str, str]]:
    """The command that runs a module as this process would import it, and its environment."""
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
    """Ends ``process``, its process group and its descendants: by SIGTERM, after ``GRACE`` seconds or at an interrupt
    by SIGKILL.

    The descendants of a process that has ended are unknown; the rest of its group is not.
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
    """Sends a signal to the process groups that exist and belong to this process."""
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError) as error:
        return isinstance(error, PermissionError)
    return True


def groups_of_descendants(pid: int) -> set[int]:
    """The process groups of the living descendants of ``pid``, except for this process's."""
    children: dict[int, list[tuple[int, int]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(errors="replace")
        except OSError:  # it has ended
            continue
        # "pid (name) state ppid pgrp …"; the name may contain spaces and parentheses
        _, parent, group = text.rpartition(")")[2].split()[:3]
        children.setdefault(int(parent), []).append((int(stat.parent.name), int(group)))
    groups: set[int] = set()
    waiting = [pid]
    while waiting:
        for child, its_group in children.get(waiting.pop(), []):
            waiting.append(child)
            groups.add(its_group)
    return groups - {os.getpgrp()}
