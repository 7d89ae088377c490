"""Searches with a heuristic from a file, written by ``cplan write-heuristic`` or a user, or in a pack's ``heuristics``.

All of them are programs, which run in the guarded process.
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

WITHOUT_LIMIT = 24 * 3600.0  # seconds of a search without a limit


def search_with_file(request: Request, file: Path) -> Solution:
    """Returns a plan by the heuristic in a file. Raises InputError for a file that cannot be read, and HeuristicError
    for a program that is refused."""
    program = read_text(file, "a heuristic")
    check(program, file)
    request.emit({"event": "heuristic", "file": str(file)})
    found = search(request, program, file, Clock(request.seconds))
    return Solution(
        found.status, found.plan, found.why, operators=found.operators, facts=found.facts, expanded=found.expanded
    )


def search(request: Request, program: str, called: Path, clock: Clock) -> HeuristicOutcome:
    """Returns the outcome of a heuristic in the remaining time."""
    left = clock.end - time.monotonic() if request.seconds is not None else WITHOUT_LIMIT
    problem, most = request.task.problem, request.task.max_operators
    if left <= 0:
        return HeuristicOutcome(problem.problem_name, Status.BUDGET, "the time is up")
    try:
        return search_with(program, called, problem, left, False, most, request.seed, request.report)
    except BudgetError as error:  # the alarm, or too little memory to begin
        return HeuristicOutcome(problem.problem_name, Status.BUDGET, str(error))
