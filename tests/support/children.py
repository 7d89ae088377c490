"""The processes that run here."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from commonsense_planning.support.processes import guarded_folder


class Process(NamedTuple):
    """The number of the one that started it, its command line, and its environment, of which all may be empty."""

    parent: int
    command: str
    environment: str


def processes() -> dict[int, Process]:
    """All, by their numbers; skips where the system does not show them."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("no /proc here")
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat, command, environment = (
                (folder / name).read_bytes().replace(b"\0", b" ").decode(errors="replace")
                for name in ("stat", "cmdline", "environ")
            )
        except OSError:  # it has ended meanwhile, or is another user's
            continue
        found[int(folder.name)] = Process(int(stat.rpartition(")")[2].split()[1]), command, environment)
    return found


def children() -> set[int]:
    """The numbers of this process's own, the guard's among them in any case."""
    guarded_folder()
    return {number for number, process in processes().items() if process.parent == os.getpid()}
