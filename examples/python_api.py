"""cplan from Python: read a task, solve it, print each step as it happens, validate the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.task import read_task
from commonsense_planning.validation.validate import validate

GARDEN = Path(__file__).parent / "own_domain"


def tell(event: dict[str, Any]) -> None:
    """Print a step of the trace."""
    if event["event"] == "step":
        print(event["step"], event["says"])


task = read_task(GARDEN / "domain.pddl", GARDEN / "problem.pddl")
solution = solve(Request(task, method_named("llm-mcts"), seed=1, emit=tell))
print(solution.status)
if solution.plan is not None:
    for report in validate(task.problem, solution.plan).reports:
        print(report.validator, report.verdict, report.reason)
