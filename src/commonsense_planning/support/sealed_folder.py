"""A folder of files that several processes make and read: one of them at a time, and no file that is not as it was
written.

The file ``seals`` in it holds their checksums. Who has the folder for the first time removes what differs, whether it
was damaged or a process was killed before it sealed it. So this is for what can be made anew.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 1.0  # seconds that another process may have the folder before something is said
_OWN = ("lock", "seals", "seals.new")

Stamp = tuple[int, int, int]


class SealedFolder:
    """``waits`` is called where another process has the folder for long. ``damaged``: something was removed."""

    def __init__(self, folder: Path, waits: Callable[[], None]) -> None:
        self.damaged = False
        self._folder, self._waits = folder, waits
        self._turn, self._depth = threading.RLock(), 0
        self._lock = -1
        self._checked = False
        self._before: dict[str, Stamp] | None = None

    def take(self) -> None:
        """Have the folder alone, among threads and processes, until it is given back as often as it was taken."""
        self._turn.acquire()
        try:
            if not self._depth:
                self._wait()
                if not self._checked:
                    self._check()
            self._depth += 1
        finally:
            if not self._depth:  # an interrupt
                self._let_go()
                self._turn.release()

    def writes(self) -> None:
        """Who has the folder is about to write files, which are sealed whenever it is given back."""
        if self._before is None:
            self._before = self._stamps()

    def give(self) -> None:
        """Give the folder back."""
        try:
            if self._before is not None:
                with suppress(OSError):  # what could not be sealed is made anew
                    self._before = self._seal(self._before)
        finally:
            self._depth -= 1
            if not self._depth:
                self._before = None
                self._let_go()
            self._turn.release()

    def _wait(self) -> None:
        with suppress(OSError):  # a file system without locks: then all go on
            if self._lock < 0:
                self._lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                timer = threading.Timer(PATIENCE, self._waits)
                timer.start()
                try:
                    fcntl.flock(self._lock, fcntl.LOCK_EX)
                finally:
                    timer.cancel()

    def _let_go(self) -> None:
        if self._lock >= 0:
            with suppress(OSError):
                fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _check(self) -> None:
        seals = self._seals()
        for name in self._stamps():
            with suppress(OSError):
                if seals.get(name) != self._checksum(name):
                    self.damaged = True
                    (self._folder / name).unlink()
        self._checked = True

    def _seal(self, before: dict[str, Stamp]) -> dict[str, Stamp]:
        known, now = self._seals(), self._stamps()
        if now != before:
            seals = {name: known.get(name) if before.get(name) == now[name] else self._checksum(name) for name in now}
            unfinished = self._folder / "seals.new"
            unfinished.write_text(json.dumps(seals), encoding="utf-8")
            unfinished.replace(self._folder / "seals")
        return now

    def _seals(self) -> dict[str, int]:
        with suppress(OSError, ValueError):
            found = json.loads((self._folder / "seals").read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return found
        return {}

    def _stamps(self) -> dict[str, Stamp]:
        """All files but our own: when each was written, how large it is and which file."""
        found = {}
        for path in self._folder.rglob("*"):
            name = str(path.relative_to(self._folder))
            if name not in _OWN and path.is_file():
                status = path.stat()
                found[name] = status.st_mtime_ns, status.st_size, status.st_ino
        return found

    def _checksum(self, name: str) -> int:
        return zlib.crc32((self._folder / name).read_bytes())
