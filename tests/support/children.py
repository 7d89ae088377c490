"""The child processes of this test's own process."""

import os
from pathlib import Path

import pytest

from commonsense_planning.support.processes import guarded_folder


def children() -> set[int]:
    """Process ids, the guard's among them in any case; skips where the system does not show them."""
    guarded_folder()
    if not Path("/proc/self/stat").exists():
        pytest.skip("no /proc here")
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
        except OSError:  # it has ended meanwhile
            continue
        if int(parent) == os.getpid():
            found.add(int(stat.parent.name))
    return found
