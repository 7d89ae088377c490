"""Adding to a file of JSON objects, one per line, that may be cut off at any moment.

A file is only ever appended to, a whole line in one write: a process that is killed leaves at worst one torn last
line, which readers skip.
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
    """Add a line to the file at ``path``, which is open for reading and appending, on a separate line even if the
    last one is torn. Who shares the file with others holds its lock. Raises OSError if not all of the line could be
    written, or if another file or none is at the path by now."""
    check_there(path, file)
    line = json.dumps(entry, ensure_ascii=False, sort_keys=True) + "\n"
    end = os.lseek(file, 0, os.SEEK_END)
    torn = end > 0 and os.pread(file, 1, end - 1) != b"\n"
    data = ("\n" if torn else "").encode() + line.encode()
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def check_there(path: Path, file: int) -> None:
    """Raises OSError if the open ``file`` is no longer the one at ``path``: the system would take what is written to
    it, and nobody would ever find it."""
    try:
        there = os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        there = False
    if not there:
        raise OSError(errno.ENOENT, "it has been removed or replaced in mid-run")


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file, none if there is no file. Raises ValueError for one that is no JSON."""
    if path.exists():
        for line in path.read_bytes().split(b"\n")[:-1]:
            yield json_value(line)
