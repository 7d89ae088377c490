"""Appends to a file of JSON objects, one per line, which may be cut off at any moment.

A file is only appended to, a whole line in one write. A process that is killed leaves at most one incomplete last line,
which readers skip.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commonsense_planning.support.reading import json_value


def append(path: Path, file: int, entry: dict[str, Any]) -> None:
    """Appends a line to the file at ``path``, which is open as ``file`` for reading and appending, after an incomplete
    last line if there is one. A process that shares the file has to hold its lock. Raises OSError if not all of the
    line could be written, or if the path is now that of another file or of none."""
    check_there(path, file)
    line = json.dumps(entry, ensure_ascii=False, sort_keys=True) + "\n"
    end = os.lseek(file, 0, os.SEEK_END)
    torn = end > 0 and os.pread(file, 1, end - 1) != b"\n"
    data = ("\n" if torn else "").encode() + line.encode()
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


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
        for line in path.read_bytes().split(b"\n")[:-1]:
            yield json_value(line)
