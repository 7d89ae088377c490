"""What is said in the end: nothing is called solved that no validator has accepted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from commonsense_planning.methods.registry import Request, Solution
from commonsense_planning.search.result import Status
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Validation, Verdict


@dataclass(frozen=True)
class Outcome:
    """A solution and its validation. ``status`` is solved only if a validator accepts the plan and none
    objects; ``validation`` has no reports unless the method claims to have solved the task."""

    request: Request
    solution: Solution
    validation: Validation
    status: Status

    def as_json(self) -> dict[str, Any]:
        """The object that ``cplan solve --json`` prints."""
        solution, request = self.solution, self.request
        plan = None if solution.plan is None else [str(step) for step in solution.plan]
        return {
            "status": str(self.status),
            "reason": solution.reason,
            "domain": request.task.problem.domain_name,
            "problem": request.task.problem.problem_name,
            "method": request.method.name,
            "version": solution.version,
            "model": solution.model,
            "model_note": solution.model_note,
            "seed": request.seed,
            "plan": plan,
            "steps": None if plan is None else len(plan),
            "cost": None if solution.plan is None else solution.plan.cost,
            "seconds": round(solution.seconds, 3),
            "validators": verdicts(self.validation),
            "disagreement": self.validation.disagreement,
            "usage": None if solution.usage is None else asdict(solution.usage),
            "usd": solution.usd,
            "unmatched": solution.unmatched,
            "operators": solution.operators,
            "facts": solution.facts,
            "expanded": solution.expanded,
        }


def judge(request: Request, solution: Solution, everyone: bool = False) -> Outcome:
    """Ask the validators about what claims to be solved; ``everyone`` is as for ``validate``."""
    if solution.status != Status.SOLVED or solution.plan is None:
        return Outcome(request, solution, Validation(()), solution.status)
    validation = validate(request.task.problem, solution.plan, everyone=everyone)
    status = {
        Verdict.VALID: Status.SOLVED,
        Verdict.INVALID: Status.INVALID,
        Verdict.UNAVAILABLE: Status.UNVALIDATED,
    }[validation.verdict]
    return Outcome(request, solution, validation, status)


def verdicts(validation: Validation) -> dict[str, str]:
    """Validator → verdict."""
    return {report.validator: str(report.verdict) for report in validation.reports}
