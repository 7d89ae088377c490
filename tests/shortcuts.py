"""Short ways for tests that run many commands; each long way has separate tests."""

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import lru_cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from traceback import format_exception_only
from types import ModuleType
from typing import Any

import pytest

from commonsense_planning import Task, read_task, task
from commonsense_planning.cli import job
from commonsense_planning.support.workers import WorkerError, ask
from commonsense_planning.validation import up_validator
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


def _called(module: str, request: Mapping[str, Any], timeout: float | None = None, **others: Any) -> dict[str, Any]:
    """As ``ask``; the worker is a separate process only where its time may be up."""
    if timeout is not None and timeout < 10:
        return ask(module, request, timeout, **others)
    try:
        with redirect_stdout(StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = import_module(module).answer(json.loads(json.dumps(request)))
    except Exception as error:
        raise WorkerError(" ".join("".join(format_exception_only(error)).split())) from error
    answer: dict[str, Any] = json.loads(json.dumps(told))
    return answer


@contextmanager
def short_ways(*readers: ModuleType) -> Iterator[None]:
    """What commands in this process read of the repository's own files, in ``readers``, is read and grounded once, and
    what unified-planning's validator is asked is answered in this process."""
    with pytest.MonkeyPatch.context() as patch:
        for module in readers:
            patch.setattr(module, "read_task", _read)
        patch.setattr(up_validator, "ask", _called)
        yield


@pytest.fixture(scope="module", autouse=True)
def shortcuts() -> Iterator[None]:
    """All of them."""
    with short_ways(job, task):
        yield
