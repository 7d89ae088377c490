"""cplan from Python: read a task, solve it, print each step as it happens, validate the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import commonsense_planning as cplan

GARDEN = Path(__file__).parent / "own_domain"


def tell(event: dict[str, Any]) -> None:
    """Print a step of the trace."""
    if event["event"] == "step":
        print(event["step"], event["says"])


task = cplan.read_task(GARDEN / "domain.pddl", GARDEN / "problem.pddl")
solution = cplan.solve(cplan.Request(task, cplan.METHODS["llm-mcts"], seed=1, emit=tell))
print(solution.status)
if solution.plan is not None:
    for report in cplan.validate(task.problem, solution.plan).reports:
        print(report.validator, report.verdict, report.reason)
