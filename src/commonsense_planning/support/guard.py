"""What this process starts ends with it, whichever way it ends, and what it keeps for a while goes too.

No handler can do that, since SIGKILL cannot be handled. So before the first child a small process is started, the
guard. It reads from a pipe that only this process could write to, and never does: the pipe ends when this process
does, also where that is killed or crashes. Then the guard kills all processes that have its mark in their environment,
and removes the folder in which this process and its children keep their temporary files. Who is started by a child has
the mark, too, whatever process group or session it moves to.

Processes are found through ``/proc``; where there is none, the guard removes the folder alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

MARK = "CPLAN_GUARD"
PATIENCE = 10.0  # seconds in which what was killed must be gone


def marked(mark: str) -> list[int]:
    """The ids of the living processes with this ``mark``, without this process."""
    entry = f"{MARK}={mark}".encode()
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            entries = environment.read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile, or is another user's
            continue
        if entry in entries:
            found.append(int(environment.parent.name))
    return [process for process in found if process != os.getpid()]


def _stand_guard(folder: str) -> None:
    """Be the guard of who holds the other end of standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    deadline = time.monotonic() + PATIENCE
    while (left := marked(folder)) and time.monotonic() < deadline:  # again: one may have started another meanwhile
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:  # it has ended meanwhile
                continue
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":  # started as a file and without the package, to be there at once
    _stand_guard(sys.argv[1])
