"""The replay's verdicts on mutated plans: those of VAL and of unified-planning's validator on the user's own files."""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.grounding import ground
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.processes import Limit
from commonsense_planning.validation.replay import malformed, replay
from commonsense_planning.validation.up_validator import NAME as UP
from commonsense_planning.validation.up_validator import Judge, report, steps_of
from commonsense_planning.validation.val import NAME as VAL
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Report, Verdict
from lab.benchmarks.reliability.differential.mutated_plans import MutatedPlans
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

PLANS = 100
"""Of each task."""
SECONDS = 60.0
"""For one verdict of VAL's."""


def compare(case: Case, tally: Tally) -> None:
    """Has mutated plans of the task judged, or the plan that is given."""
    problem = read_problem(case.task.domain, case.task.problem)
    others = judge(problem, tally)
    tally.tried["tasks"] += 1
    drawn = None if case.plan is not None else MutatedPlans(ground(problem), np.random.default_rng(case.seed))
    for _ in range(PLANS if case.plan is None else 1):
        plan = case.plan if drawn is None else drawn.draw()
        assert plan is not None
        wrong = malformed(problem, plan)
        ours = wrong or replay(problem, plan)
        tally.tried["plans"] += 1
        tally.tried[f"of them {'malformed' if wrong else ours.verdict}"] += 1
        ask_others(case, problem, others, plan, ours, tally)


def ask_others(case: Case, problem: Problem, judge: Judge | None, plan: Plan, ours: Report, tally: Tally) -> None:
    """Compares cplan's verdict with those of VAL and of unified-planning's validator, if there is one."""
    others = [validate_with_val(problem, plan, Limit(SECONDS))]
    if judge is not None:
        others.append(report(plan, judge.judge(steps_of(plan))))
    for other in others:
        tally.tried[f"verdicts of {other.validator}"] += 1
        difference = differ(ours, other, steps=other.validator != VAL or malformed(problem, plan) is None)
        reason = difference and known(problem, plan, ours, other)
        if reason:
            tally.explained[reason] += 1
        elif difference and other.verdict is Verdict.UNAVAILABLE:
            tally.silent[f"{other.validator}: {other.reason.partition(';')[0]}"] += 1
        elif difference:
            tally.lose(case, difference, plan)


def judge(problem: Problem, tally: Tally) -> Judge | None:
    """unified-planning's; None where its reader refuses the files."""
    with problem.plain_files() as (domain, file):
        try:
            return Judge(str(domain), str(file), len(problem.constraints))
        except Exception as error:  # noqa: BLE001  # whatever its reader raises: it is another's
            tally.silent[f"{type(error).__name__} of unified-planning's reader, so it judges no plan of that task"] += 1
            return None


def differ(ours: Report, other: Report, steps: bool) -> str:
    """Returns what two reports differ in, also where both name ``steps``; empty if nothing."""
    if ours.verdict is not other.verdict:
        return f"{ours.verdict} here ({ours.reason}), {other.verdict} by {other.validator} ({other.reason})"
    if steps and ours.verdict is Verdict.INVALID and other.step is not None and ours.step != other.step:
        return f"step {ours.step} here ({ours.reason}), step {other.step} by {other.validator} ({other.reason})"
    return ""


def known(problem: Problem, plan: Plan, ours: Report, other: Report) -> str:
    """Returns why ``other`` differs, where that is known; else empty."""
    arities = {problem.spell(name).lower(): len(a.parameters) for name, a in problem.tarski.actions.items()}
    if other.validator == VAL and any(arities.get(s.action.lower(), 0) != len(s.arguments) for s in plan):
        if other.verdict is Verdict.VALID:
            return "VAL passes over an argument too many"
        if "crashed" in other.reason:
            return "VAL crashes on an argument too many or too few"
    if other.validator == UP and "can't be assigned to: object " in other.reason:
        return "unified-planning takes 'object' among the :types for one like the others, not for the root of all"
    return ""
