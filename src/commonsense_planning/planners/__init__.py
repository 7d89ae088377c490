"""Classical planners: which there are, why one cannot take a task, and solving with one.

    fast-downward    Fast Downward's LAMA (first iteration) on the user's own files
    pyperplan        greedy best-first search with the FF heuristic, features that it lacks compiled away
    up:<engine>      any installed planning engine of unified-planning, features that it lacks compiled away

A planner's plan is not validated here; ``pddl.validate`` does that.
"""

from commonsense_planning.planners.result import ClassicalResult, Status
from commonsense_planning.planners.solve import PLANNERS, planner_version, solve_classical, why_not

__all__ = ["PLANNERS", "ClassicalResult", "Status", "planner_version", "solve_classical", "why_not"]
