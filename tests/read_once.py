"""For tests that run many command lines: a task of the repository's own files is read and grounded once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.cli import jobs
from commonsense_planning.methods import task
from commonsense_planning.methods.task import Task, read_task
from tests.data import REPOSITORY


@lru_cache(maxsize=16)
def _kept(folder: Path, *args: Any, **named: Any) -> Task:
    return read_task(*args, **named)


def _read(*args: Any, **named: Any) -> Task:
    """As ``read_task``; files that a test writes are read each time."""
    paths = [value for value in (*args, *named.values()) if isinstance(value, Path)]
    if len(paths) < 2 or any(REPOSITORY not in path.resolve().parents for path in paths):
        return read_task(*args, **named)
    return _kept(Path.cwd(), *args, **named)


@pytest.fixture(scope="module", autouse=True)
def shipped_tasks_are_read_once() -> Iterator[None]:
    """For commands that run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "read_task", _read)
        patch.setattr(task, "read_task", _read)
        yield
