"""Questions to heavy libraries, answered in a child process.

unified-planning's readers, validators and engines can run for hours, print as they like and start processes
of their own. So each of its jobs is a module that is run as ``python -m``: it is given one JSON request, and writes one
JSON answer to standard output. The caller can then end it, with all that it started, when the time is up.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import ModuleType
from typing import Any

from commonsense_planning.errors import BudgetError, CplanError
from commonsense_planning.support.garbage import look_rarely
from commonsense_planning.support.processes import Limit, Program, started


class WorkerError(CplanError):
    """The child process ended without an answer; the message is the last thing that it said."""


class Worker:
    """A worker that was started: it loads its libraries, and then waits for its one request."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def announce(self, subject: Mapping[str, Any]) -> None:
        """Tell the worker in a few words what the request will be about, so that it can begin. If that fails, so does
        the request."""
        self._program.tell(json.dumps({"subject": subject}))

    def ask(self, request: Mapping[str, Any], limit: Limit) -> dict[str, Any]:
        """The worker's answer. Raises BudgetError if it takes longer than ``limit`` says, and WorkerError if it
        fails."""
        # The pipe takes the name of a file, which always fits: the request might not, and a worker that never reads it
        # would hold us up for ever.
        with tempfile.NamedTemporaryFile("w", prefix="cplan-", suffix=".json", encoding="utf-8") as file:
            json.dump(request, file)
            file.flush()
            self._program.tell(json.dumps({"request": file.name}))
            ended = self._program.finish(limit)
        if ended.timed_out:
            raise BudgetError(f"took longer than {limit.seconds:g} s")
        if ended.signal_name:
            raise WorkerError(f"crashed ({ended.signal_name})")
        if ended.returncode != 0:
            raise WorkerError(_last_exception(ended.stderr) or f"ended with exit code {ended.returncode}")
        answer: dict[str, Any] = json.loads(ended.stdout)
        return answer


@contextmanager
def waiting(module: str) -> Iterator[Worker]:
    """Start ``module``, a worker, before there is a request; it is ended when the context is, asked or not."""
    # -P: a file in the current folder must not stand in for a library's module.
    command = [sys.executable, "-P", "-m", module]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with started(command, env=environment) as program:
        yield Worker(program)


def ask(module: str, request: Mapping[str, Any], timeout: float | None = None) -> dict[str, Any]:
    """The answer of ``module``, a worker, to ``request``.

    Raises BudgetError if it takes longer than ``timeout`` seconds, and WorkerError if it fails.
    """
    with waiting(module) as worker:
        return worker.ask(request, Limit(timeout))


def _last_exception(stderr: str) -> str:
    """The exception that ended a Python program, on one line: what follows the last traceback's indented
    lines."""
    told = stderr.rpartition("Traceback (most recent call last):")[2].splitlines()
    while told and (not told[0] or told[0].startswith(" ")):
        del told[0]
    return " ".join(" ".join(told).split())


def serve(
    answer: Callable[[dict[str, Any]], dict[str, Any]],
    prepare: Callable[[], object] = lambda: None,
    ahead: Callable[[dict[str, Any]], object] = lambda subject: None,
) -> None:
    """Be a worker: ``prepare``, wait for the one request, and answer it; ``ahead`` is given what is announced before.

    Whatever a library prints meanwhile goes to standard error, so that standard output holds the answer
    alone. An exception ends the process; its last line is what the caller is told. Where standard input ends before the
    request, nobody can ask any more, and the process ends at once, even in the middle of ``ahead``.
    """
    look_rarely()
    answers = os.dup(1)
    os.dup2(2, 1)
    prepare()
    told: SimpleQueue[dict[str, Any]] = SimpleQueue()
    Thread(target=_listen, args=(told,), daemon=True).start()
    while "request" not in (message := told.get()):
        ahead(message["subject"])
    text = json.dumps(answer(json.loads(Path(message["request"]).read_text(encoding="utf-8"))))
    with os.fdopen(answers, "w") as stream:
        stream.write(text)


def _listen(told: SimpleQueue[dict[str, Any]]) -> None:
    """Pass on what standard input says, up to the request; end the process if there is none, whatever it is doing."""
    for line in sys.stdin:
        told.put(message := json.loads(line))
        if "request" in message:
            return
    os._exit(0)


def stand_in(module: str, names: Iterable[str]) -> None:
    """Put a module that has nothing but ``names``, which mean nothing, in the place of ``module``, in a worker that can
    do without it."""
    sys.modules[module] = empty = ModuleType(module)
    empty.__dict__.update(dict.fromkeys(names, object))
