"""Whole processes, from start to exit: seconds, peak memory, output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """``peak``: bytes of the largest process among the program and those that it waited for. ``code`` is None for a
    program that was ended at its limit."""

    seconds: float
    peak: int
    code: int | None
    output: str


def run(command: Sequence[str | Path], folder: Path, limit: float = 3600.0, core: int | None = None) -> Ran:
    """Run a command in ``folder`` for at most ``limit`` seconds, with all that it starts on ``core`` if one is given.
    Bytecode is kept between runs, as for a user."""
    if core is not None:
        command = ["taskset", "--cpu-list", str(core), *command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        ended = threading.Event()
        watch = threading.Timer(limit, _end, (process.pid, ended))
        watch.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            _end(process.pid, ended)
            process.wait()
            raise
        finally:
            watch.cancel()
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Ran(seconds, used.ru_maxrss * 1024, None if ended.is_set() else process.returncode, text)


def _end(group: int, ended: threading.Event) -> None:
    ended.set()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
