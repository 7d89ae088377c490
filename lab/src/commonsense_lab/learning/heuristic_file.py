"""Search with a heuristic that is a file: of ``cplan write-heuristic``, of somebody's own, or one that a pack brings.

A pack has them in its folder ``heuristics``, as NAME.py. All of them are programs, so all run in the guarded process.
"""

from __future__ import annotations

import time
from pathlib import Path

from commonsense_lab.learning.guarded_python import check
from commonsense_lab.learning.heuristic_writer import HeuristicOutcome, search_with
from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.run import Clock
from commonsense_planning.support.reading import read_text

WITHOUT_LIMIT = 24 * 3600.0  # seconds of a search that nobody limits


def search_with_file(request: Request, file: Path) -> Solution:
    """A plan by the heuristic of a file, which is named before it runs. Raises InputError for a file that is none, and
    HeuristicError for a program that is refused."""
    program = read_text(file, "a heuristic")
    check(program, file)
    request.emit({"event": "heuristic", "file": str(file)})
    return solution_of(search(request, program, file, Clock(request.seconds)))


def search(request: Request, program: str, called: Path, clock: Clock) -> HeuristicOutcome:
    """What comes of a heuristic in the time that is left."""
    left = clock.end - time.monotonic() if request.seconds is not None else WITHOUT_LIMIT
    problem, most = request.task.problem, request.task.max_operators
    if left <= 0:
        return HeuristicOutcome(problem.problem_name, Status.BUDGET, "the time is up")
    try:
        return search_with(program, called, problem, left, False, most, request.seed, request.report)
    except BudgetError as error:  # the alarm, or there is too little memory to begin
        return HeuristicOutcome(problem.problem_name, Status.BUDGET, str(error))


def solution_of(found: HeuristicOutcome) -> Solution:
    """The same as a method gives it."""
    reason = found.failure or found.reason
    return Solution(
        found.status,
        found.plan,
        reason,
        operators=found.operators,
        facts=found.facts,
        expanded=found.expanded,
    )
