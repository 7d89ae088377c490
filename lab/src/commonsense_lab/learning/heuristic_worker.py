"""The child process of a heuristic that a model wrote. It runs the whole search, so that no value crosses a pipe.

A request has ``domain`` and ``problem`` (files), the ``program`` and its name in messages (``called``), the ``seconds``
for reading and search together, the limit on ``megabytes``, the ``seed``, and whether to test hill climbing after the
search (``climb``). The task is only grounded for rules and constraints. The answer has ``status``, ``reason``, the
``plan``, if any, and the counts of the search; after a test also whether hill climbing alone ``climbed`` to the goal,
and otherwise a ``counterexample``. ``failure`` is the error of a program that was refused or failed.
The file ``progress`` gets the number of evaluated states, the file ``calling`` whether the program is being called. An
exception here is no error of the program. A test that is too late keeps the search's result, and why it is ``untried``.
"""

from __future__ import annotations

import resource
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_lab.learning.guarded_python import refusal
from commonsense_lab.learning.heuristic_trial import Trial
from commonsense_lab.learning.written_heuristic import GroundedHeuristic, on_lifted
from commonsense_planning.errors import BudgetError, HeuristicError, LateError, Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.lifted import Lifted, lift
from commonsense_planning.grounding.lifted_successors import LiftedTask
from commonsense_planning.kernels.compiled import Compiled, compile_task
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report
from commonsense_planning.search.classical.first_better import FirstBetter
from commonsense_planning.state import State, make_state
from commonsense_planning.support.limits import SLACK, within_memory, within_seconds
from commonsense_planning.support.processes import WATCHED
from commonsense_planning.support.workers import serve


class Calls:
    """Entered around every call of a program; a ``file`` has whether one is running, for the parent process. ``took``:
    the seconds of the last one."""

    def __init__(self, file: Path) -> None:
        file.write_bytes(b"\0")
        with file.open("r+b") as opened:
            self._under_way = mmap(opened.fileno(), 1)
        self.took = 0.0

    def __enter__(self) -> None:
        self._under_way[0] = 1
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.took = time.monotonic() - self._began
        self._under_way[0] = 0


SPARE = 30  # further seconds of processor time, for the start


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answers a request, in the child process."""
    seconds = float(request["seconds"])
    most = SPARE + int(3 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # the parent limits real time only
    try:
        with within_memory(int(request["megabytes"])):
            return _answer(request, seconds)
    except HeuristicError as error:
        return {"status": Status.UNSOLVED, "reason": "the heuristic failed", "failure": str(error)}
    except BudgetError as error:
        told = {"status": Status.BUDGET, "reason": str(error)}
        return told | ({"untried": str(error)} if isinstance(error, LateError) else {})


@contextmanager
def _ending(seconds: float, request: dict[str, Any]) -> Iterator[Calls]:
    """Raises HeuristicError if a call of the program does not end, and BudgetError if anything else is late."""
    calls = Calls(Path(request["calling"]))
    try:
        with within_seconds(seconds):
            yield calls
    except BudgetError as error:
        within = any(frame.filename == request["called"] for frame in traceback.extract_tb(error.__traceback__))
        if not within or calls.took < SLACK:
            raise
        why = "a call of the heuristic did not end in time"
        raise refusal(Path(request["called"]), request["program"], 1, 1, why) from error


def telling(file: Path) -> Report:
    """Returns a report that writes the number of evaluated states to the file from time to time."""
    file.write_text("0", encoding="utf-8")
    told = time.monotonic()

    def report(what: str, best: int, evaluated: int) -> None:
        nonlocal told
        if time.monotonic() - told > WATCHED:
            told = time.monotonic()
            file.write_text(str(evaluated), encoding="utf-8")

    return report


def _answer(request: dict[str, Any], seconds: float) -> dict[str, Any]:
    end = time.perf_counter() + seconds
    with _within(seconds, "reading the problem"):
        problem = read_problem(Path(request["domain"]), Path(request["problem"]))
        lifted = lift(problem)
    known = not lifted.rules and not lifted.constraints
    told = _lifted(request, lifted, end) if known else _by_grounding(request, problem, end)
    told["reason"] = "the time is up" if told["status"] is Status.BUDGET else ""
    if told["status"] is Status.UNSOLVABLE:  # the program may see dead ends where there are none
        told.update(status=Status.UNSOLVED, reason="every state with a finite value was expanded")
    if request["climb"]:
        try:
            told |= _tried(request, problem, seconds, told["plan"] is not None)
        except BudgetError as error:  # the search's result remains
            told["untried"] = str(error)
    return told


@contextmanager
def _within(seconds: float, what: str) -> Iterator[None]:
    """Raises LateError if ``what``, a part of cplan, takes longer."""
    with within_seconds(seconds):
        try:
            yield
        except BudgetError as error:
            raise LateError(f"{what} took longer than {max(seconds, 0):.3g} s") from error


def _lifted(request: dict[str, Any], lifted: Lifted, end: float) -> dict[str, Any]:
    with _ending(end - time.perf_counter(), request) as calls:
        task, report = LiftedTask(lifted), telling(Path(request["progress"]))
        heuristic = on_lifted(task, request["program"], Path(request["called"]), calls)
        search = FirstBetter(task, heuristic, np.random.default_rng(request["seed"]))
        found = search.run(Limits(end - time.perf_counter()), report)
    plan = None if found.plan is None else [[operator.name, *operator.arguments] for operator in found.plan]
    return {**found._asdict(), "plan": plan}


def _by_grounding(request: dict[str, Any], problem: Problem, end: float) -> dict[str, Any]:
    task, compiled, start = _grounded(request, problem, end - time.perf_counter())
    with _ending(end - time.perf_counter(), request) as calls:
        report = telling(Path(request["progress"]))
        heuristic = GroundedHeuristic(task, compiled, request["program"], Path(request["called"]), calls)
        found = BestFirst(compiled, heuristic).gbfs(start, Limits(end - time.perf_counter()), report)
    plan = None if found.operators is None else [[s.action, *s.arguments] for s in task.plan(found.operators)]
    counts = {"expanded": found.expanded, "evaluated": found.evaluated, "status": found.status}
    return {**counts, "plan": plan, "operators": task.operator_count, "facts": task.fact_count}


def _tried(request: dict[str, Any], problem: Problem, seconds: float, solved: bool) -> dict[str, Any]:
    """Returns the result of hill climbing alone."""
    task, compiled, start = _grounded(request, problem, seconds)
    with _ending(2 * seconds, request) as calls:
        heuristic = GroundedHeuristic(task, compiled, request["program"], Path(request["called"]), calls)
        trial = Trial(task, compiled, heuristic, seconds)
        states, reached = trial.climb()
        found = None if reached else trial.counterexample(states)
        if solved and not reached and found is None:
            plan = BestFirst(compiled, heuristic).gbfs(start, Limits(seconds)).operators
            found = trial.counterexample_on(plan) if plan else None
    example = None if found is None else asdict(found)
    return {"climbed": reached, "counterexample": example}


def _grounded(request: dict[str, Any], problem: Problem, seconds: float) -> tuple[GroundTask, Compiled, State]:
    """Returns the grounded task and its initial state."""
    with _within(seconds, "grounding the problem"):
        task = ground(problem, request["max_operators"])
        compiled = compile_task(task)
        return task, compiled, make_state(compiled, task.init)


if __name__ == "__main__":
    serve(answer)
