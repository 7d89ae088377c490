"""Requests to heavy libraries, answered in a child process.

unified-planning's readers, validators and engines can run for hours, print freely and start processes of their own. So
each such job is a module that runs as ``python -m``: it gets a file with one JSON request, and writes one JSON answer
to standard output. The caller can end it, with all processes that it started, when the time is up.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from commonsense_planning.errors import BudgetError, CplanError, LateError
from commonsense_planning.support.processes import Limit, guarded_folder, python_module, run_limited


class WorkerError(CplanError):
    """The child process ended without an answer; the message is its last output."""


def ask(
    module: str,
    request: Mapping[str, Any],
    timeout: float | None = None,
    kept: Collection[str] | None = None,
    watch: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """The answer of the worker ``module`` to ``request``; ``watch`` is called at intervals.

    ``kept``: the environment variables that the worker gets, in addition to those that Python needs; None for all.

    Raises LateError if it takes longer than ``timeout`` seconds, BudgetError if it runs out of memory, and WorkerError
    if it fails.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=guarded_folder(), encoding="utf-8") as file:
        json.dump(request, file)
        file.flush()
        command, environment = python_module(module)
        if kept is not None:
            seen = {*kept, "PATH", "PYTHONPATH"}
            environment = {name: value for name, value in environment.items() if name in seen}
        ended = run_limited([*command, file.name], Limit(timeout), env=environment, watch=watch)
    if ended.timed_out:
        raise LateError(f"took longer than {timeout:g} s")
    if ended.signal_name:
        raise WorkerError(f"crashed ({ended.signal_name})")
    if ended.returncode != 0:
        told = _last_exception(ended.stderr)
        if told.startswith("MemoryError"):
            raise BudgetError("ran out of memory")
        raise WorkerError(told or f"ended with exit code {ended.returncode}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def _last_exception(stderr: str) -> str:
    """The exception that ended a Python program, on one line: the text after the last traceback's indented lines."""
    told = stderr.rpartition("Traceback (most recent call last):")[2].splitlines()
    while told and (not told[0] or told[0].startswith(" ")):
        del told[0]
    return " ".join(" ".join(told).split())


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Runs a worker: answers the one request.

    Anything that a library prints goes to standard error, so that standard output has only the answer. An exception
    ends the process; its last line goes to the caller.
    """
    logging.basicConfig(format="cplan: %(message)s")
    answers = os.dup(1)
    os.dup2(2, 1)
    text = json.dumps(answer(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
    with os.fdopen(answers, "w") as stream:
        stream.write(text)
