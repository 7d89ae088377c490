"""Appends to a file of JSON objects, one per line, which may be cut off at any moment.

A file is only appended to, a whole line at a time: where the disk is full, what was written of one is taken back. A
process that is killed leaves at most one incomplete last line, which readers skip.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import json_value, read_bytes


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Opens the recording at ``path`` for reading and appending, as a new file if there is none, and holds its lock.
    Raises InputError if it cannot be written."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)
    except OSError as error:
        raise InputError(f"{path}: cannot write the recording: {error.strerror}") from error


def append(path: Path, file: int, entry: dict[str, Any]) -> None:
    """Appends a line to the file at ``path``, which is open as ``file`` for reading and appending, after an incomplete
    last line if there is one. A process that shares the file has to hold its lock. Raises OSError if the line could not
    be written, or if the path is now that of another file or of none."""
    check_there(path, file)
    line = json.dumps(entry, ensure_ascii=False, sort_keys=True) + "\n"
    end = os.lseek(file, 0, os.SEEK_END)
    torn = end > 0 and os.pread(file, 1, end - 1) != b"\n"
    data = ("\n" if torn else "").encode() + line.encode()
    write_whole(file, data)


def write_whole(file: int, data: bytes) -> None:
    """Writes at the end of an open file, all of it or, unless it is a pipe or a device, nothing. Raises OSError."""
    begin, left = os.fstat(file).st_size, data
    try:
        while left:
            if not (written := os.write(file, left)):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left = left[written:]
    finally:
        if 0 < len(left) < len(data):
            with suppress(OSError):
                os.ftruncate(file, begin)


def check_there(path: Path, file: int) -> None:
    """Raises OSError if the open ``file`` is no longer the one at ``path``: then the system would accept what is
    written, and it would be lost."""
    try:
        there = os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        there = False
    if not there:
        raise OSError(errno.ENOENT, "it has been removed or replaced in mid-run")


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The complete lines of a file as JSON objects; none if there is no file. Raises ValueError for a line that is not
    JSON."""
    if path.exists():
        for line in read_bytes(path, "JSON lines").split(b"\n")[:-1]:
            yield json_value(line)
