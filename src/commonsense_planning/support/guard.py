"""The guard: whatever this process starts ends with it, however it ends, and its temporary files are removed.

No handler can ensure that, since SIGKILL cannot be handled. So before the first child a small process is started, the
guard. It reads from a pipe to which only this process could write, and never does. The pipe ends when this process
does, even if it is killed or crashes. Then the guard kills all processes with its mark in their environment, and
removes the folder with the temporary files of this process and its children. A child's children have the mark, too,
whatever their process group or session.

Processes are found through ``/proc``; without it, the guard only removes the folder.
"""

# ruff: noqa: PTH106, PTH112, PTH123, PTH208
# pathlib and signal take longer to import than all the rest

from __future__ import annotations

import os
import sys
import time

MARK = "CPLAN_GUARD"
SIGKILL = 9
PATIENCE = 10.0  # seconds for killed processes to end


def marked(mark: str) -> list[int]:
    """The ids of the living processes with this ``mark``, except for this process."""
    entry, found = f"{MARK}={mark}".encode(), []
    for process in filter(str.isdecimal, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        try:
            with open(f"/proc/{process}/environ", "rb") as environment:
                entries = environment.read().split(b"\0")
        except OSError:  # it has ended, or is another user's
            continue
        if entry in entries:
            found.append(int(process))
    return [process for process in found if process != os.getpid()]


def _stand_guard(folder: str) -> None:
    """Acts as the guard of the process at the other end of standard input."""
    sys.stdin.read()
    deadline = time.monotonic() + PATIENCE
    while (left := marked(folder)) and time.monotonic() < deadline:  # repeated, since one may have started another
        for process in left:
            try:
                os.kill(process, SIGKILL)
            except OSError:  # it has ended
                continue
        time.sleep(0.01)
    try:
        os.rmdir(folder)
    except OSError:  # this process or a child has left something in it
        import shutil  # slow to import

        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":  # started as a file, without the package, to start quickly
    _stand_guard(sys.argv[1])
