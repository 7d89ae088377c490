"""Ask three independent validators about a plan: VAL, unified-planning's, and our own replay.

Each takes the user's own files; they share no code. One that cannot say anything is no objection. They work at the same
time: VAL and unified-planning's validator are processes of their own.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.workers import Worker
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Report, Validation, Verdict

__all__ = ["DEFAULT_TIMEOUT", "PATIENCE", "Report", "Validation", "Verdict", "validate"]

DEFAULT_TIMEOUT = 60.0  # seconds for each of the validators that run as a process
PATIENCE = 10.0  # seconds more for one of these when the other and the replay agree


def validate(
    problem: Problem, plan: Plan, timeout: float | None = DEFAULT_TIMEOUT, waiting: Worker | None = None
) -> Validation:
    """The three validators' reports on ``plan``, in a fixed order.

    VAL and unified-planning's validator get at most ``timeout`` seconds each (None: no limit), and at most ``PATIENCE``
    seconds more when the other one and the replay have given the same verdict; beyond that they are unavailable.
    ``waiting`` is a validator of unified-planning that was started before (``up_validator.waiting_validator``).
    """
    limits = Limit(timeout), Limit(timeout)
    with ThreadPoolExecutor(len(limits)) as pool:
        try:
            val = pool.submit(validate_with_val, problem, plan, limits[0])
            up = pool.submit(validate_with_up, problem, plan, limits[1], waiting)
            replayed = replay(problem, plan)
            first = wait((val, up), return_when=FIRST_COMPLETED).done.pop().result()
            if first.verdict is replayed.verdict is not Verdict.UNAVAILABLE:
                _shorten(limits, PATIENCE)
            return Validation((val.result(), up.result(), replayed))
        finally:
            _shorten(limits, 0.0)  # an interrupt does not wait for them either


def _shorten(limits: tuple[Limit, ...], seconds: float) -> None:
    for limit in limits:
        limit.shorten(seconds)
