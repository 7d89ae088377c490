"""The child process in which a heuristic that a model wrote runs: the whole search, so that no value crosses a pipe.

A request names ``domain`` and ``problem`` (files), the ``program`` and what it is ``called`` in messages, the
``seconds`` for reading, grounding and search together and the ``megabytes`` that there may be, and whether it is to be
tried beyond the search (``climb``). The answer has ``status``, ``reason``, the plan's ``steps`` where there is one, the
counts of the search; for a trial also whether hill climbing alone ``climbed`` to the goal, in how many steps, and a
``counterexample`` where it did not. A program that is refused or fails is the ``failure``, in the words of its error.
How many states are evaluated so far is written to the file ``progress``, which is there as soon as the program runs.
"""

from __future__ import annotations

import resource
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from commonsense_planning.errors import BudgetError, HeuristicError, Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.learning.guarded_python import refusal
from commonsense_planning.learning.heuristic_trial import Trial
from commonsense_planning.learning.written_heuristic import WrittenHeuristic
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report
from commonsense_planning.state import make_state
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.processes import WATCHED
from commonsense_planning.support.workers import serve

SPARE = 90  # seconds of processor time beside those of the search, for compiling kernels


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request; runs in the child process."""
    seconds = float(request["seconds"])
    most = SPARE + int(3 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # beside the parent's clock, which knows real time alone
    try:
        with within_memory(int(request["megabytes"])):
            return _answer(request, seconds)
    except HeuristicError as error:
        return {"status": Status.UNSOLVED, "reason": "the heuristic failed", "failure": str(error)}
    except BudgetError as error:
        return {"status": Status.BUDGET, "reason": str(error)}


@contextmanager
def _ending(seconds: float, request: dict[str, Any]) -> Iterator[None]:
    """Raises HeuristicError where a call of the program does not end, and BudgetError where something else is late."""
    try:
        with within_seconds(seconds):
            yield
    except BudgetError as error:
        if all(frame.filename != request["called"] for frame in traceback.extract_tb(error.__traceback__)):
            raise
        why = "a call of the heuristic did not end in time"
        raise refusal(Path(request["called"]), request["program"], 1, 1, why) from error


def telling(file: Path) -> Report:
    """Writes the number of states evaluated to the file, now and then."""
    file.write_text("0", encoding="utf-8")
    told = time.monotonic()

    def report(what: str, best: int, evaluated: int) -> None:
        nonlocal told
        if time.monotonic() - told > WATCHED:
            told = time.monotonic()
            file.write_text(str(evaluated), encoding="utf-8")

    return report


def _answer(request: dict[str, Any], seconds: float) -> dict[str, Any]:
    began = time.perf_counter()
    with within_seconds(seconds):
        task = ground(read_problem(Path(request["domain"]), Path(request["problem"])), request["max_operators"])
        compiled = compile_task(task)
    start = make_state(compiled, task.init)
    left = max(0.0, seconds - (time.perf_counter() - began))
    BestFirst(compiled).gbfs(start, Limits(evaluations=1))  # kernels are loaded, or compiled, on nobody's time
    list(TransitionModel(compiled).successors(start))
    with _ending(left, request):
        end = time.perf_counter() + left
        report = telling(Path(request["progress"]))
        heuristic = WrittenHeuristic(task, compiled, request["program"], Path(request["called"]))
        limits = Limits(end - time.perf_counter())
        result = BestFirst(compiled, heuristic).gbfs(start, limits, report)
    told: dict[str, Any] = {
        "status": result.status,
        "reason": "the time is up" if result.status is Status.BUDGET else "",
        "expanded": result.expanded,
        "evaluated": result.evaluated,
        "seconds": result.seconds,
        "operators": task.operator_count,
        "facts": task.fact_count,
    }
    if result.status is Status.UNSOLVABLE:  # the program may see dead ends where there are none
        told.update(status=Status.UNSOLVED, reason="every state with a finite value was expanded")
    if result.operators is not None:
        told["steps"] = [[step.action, *step.arguments] for step in task.plan(result.operators)]
    if request["climb"]:
        trial = Trial(task, compiled, heuristic, seconds)
        with _ending(2 * seconds, request):
            climb = trial.climb()
            told.update(climbed=climb.reached, climb_steps=len(climb.operators))
            if not climb.reached:
                found = trial.counterexample(climb)
                if found is None and result.operators:
                    found = trial.counterexample_on(result.operators)
                told["counterexample"] = None if found is None else asdict(found)
    return told


if __name__ == "__main__":
    serve(answer)
