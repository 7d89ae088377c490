"""Whole processes, from start to exit: seconds, processor time, peak memory, output."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.support.processes import groups_of_descendants, signal_groups

CPLAN = (sys.executable, "-c", "import sys; from commonsense_planning.cli.main import main; sys.exit(main())")


@dataclass(frozen=True)
class Ran:
    """``processor``: seconds of processor time, and ``peak``: bytes of the largest process, among the program and those
    that it waited for. ``code`` is None for a program that was ended at its limit."""

    seconds: float
    processor: float
    peak: int
    code: int | None
    output: str


def run(
    command: Sequence[str | Path],
    folder: Path,
    limit: float = 3600.0,
    core: int | None = None,
    megabytes: int | None = None,
    stop: int | None = None,
) -> Ran:
    """Runs a command in ``folder`` for at most ``limit`` seconds, with its children on ``core`` if one is given,
    each process with at most ``megabytes`` of data (RLIMIT_DATA). At the limit, and at an interrupt, all of it is
    killed. Bytecode is kept between runs, as for a user. Raises KeyboardInterrupt where the file ``stop`` can be read:
    threads are not interrupted otherwise."""
    if core is not None:
        command = ["taskset", "--cpu-list", str(core), *command]
    if megabytes is not None:
        command = ["prlimit", f"--data={megabytes * 2**20}", *command]
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
        try:
            ended = _ends_within(limit, process.pid, stop)
            seconds = time.perf_counter() - started
        finally:
            signal_groups({process.pid} | groups_of_descendants(process.pid), signal.SIGKILL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    processor = used.ru_utime + used.ru_stime
    return Ran(seconds, processor, used.ru_maxrss * 1024, process.returncode if ended else None, text)


def _ends_within(limit: float, process: int, stop: int | None) -> bool:
    """Returns whether a child ends before ``limit`` seconds are over; it is not waited for."""
    file = os.pidfd_open(process)
    try:
        poll = select.poll()
        poll.register(file, select.POLLIN)
        if stop is not None:
            poll.register(stop, select.POLLIN)
        ready = {ready for ready, _ in poll.poll(limit * 1000)}
    finally:
        os.close(file)
    if stop in ready:
        raise KeyboardInterrupt
    return file in ready
