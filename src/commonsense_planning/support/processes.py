"""Run another program under a time limit, and end all of it when the time is up.

A planner is rarely one process: Fast Downward's driver starts a translator and a search, unified-planning
starts engines in process groups of their own. So the program gets a process group of its own, and ending it
means ending that group and every descendant that left the group (found through ``/proc``; where there is
none, the group alone).
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE = 1.0  # seconds between asking a process to end and killing it


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


def run_limited(
    command: Sequence[str | Path],
    limit: Limit,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Run ``command``, which gets nothing to read, as long as ``limit`` says, and leave no process of it behind.

    Raises OSError if the program cannot be started.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env=dict(env) if env is not None else None,
            start_new_session=True,
        )
        returncode: int | None = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                returncode = process.wait(max(0.0, limit.left) if math.isfinite(limit.seconds) else None)
        finally:
            end_tree(process)
        seconds = time.monotonic() - began
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return Finished(returncode, texts[0], texts[1], seconds)


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """End ``process``, its process group and its descendants: politely, after ``GRACE`` seconds by force.

    The descendants of one that has ended cannot be told any more; what is left of its group can.
    """
    groups = {process.pid}
    if process.returncode is None:
        groups |= _groups_of_descendants(process.pid)
    _signal_groups(groups, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        process.poll()
        if not any(_group_exists(group) for group in groups):
            return
        time.sleep(0.02)
    groups |= _groups_of_descendants(process.pid)
    _signal_groups(groups, signal.SIGKILL)
    process.wait()


def _signal_groups(groups: set[int], number: signal.Signals) -> None:
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


def _groups_of_descendants(pid: int) -> set[int]:
    """The process groups of the living descendants of ``pid``, our own group excluded."""
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
