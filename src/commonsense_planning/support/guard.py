"""The guard: whatever this process starts ends with it, however it ends, and its temporary files are removed.

No handler can ensure that, since SIGKILL cannot be handled. So before the first child a small process is started, the
guard. It reads from a pipe to which only this process could write, and never does. The pipe ends when this process
does, even if it is killed or crashes. Then the guard kills all processes with its mark in their environment, and
removes the folder with the temporary files of this process and its children. A child's children have the mark, too,
whatever their process group or session.

Processes are found through ``/proc``; without it, the guard only removes the folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

MARK = "CPLAN_GUARD"
PATIENCE = 10.0  # seconds for killed processes to end


def marked(mark: str) -> list[int]:
    """The ids of the living processes with this ``mark``, except for this process."""
    entry = f"{MARK}={mark}".encode()
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            entries = environment.read_bytes().split(b"\0")
        except OSError:  # it has ended, or is another user's
            continue
        if entry in entries:
            found.append(int(environment.parent.name))
    return [process for process in found if process != os.getpid()]


def _stand_guard(folder: str) -> None:
    """Acts as the guard of the process at the other end of standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    deadline = time.monotonic() + PATIENCE
    while (left := marked(folder)) and time.monotonic() < deadline:  # repeated, since one may have started another
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:  # it has ended
                continue
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":  # started as a file, without the package, to start quickly
    _stand_guard(sys.argv[1])
