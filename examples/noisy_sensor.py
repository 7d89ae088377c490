"""Sensors that err: the observation model is all that is said; the belief and the methods are as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import commonsense_planning as cplan

HOUSEHOLD = Path(__file__).parents[1] / "pddl" / "household"


class PoorSight(cplan.ObservationModel):
    """What is there is overlooked in three looks of ten; what is not there is seen in one of twenty."""

    def shown_true(self, operator: int | None, facts: Any) -> Any:
        return np.repeat([[0.05], [0.7]], len(facts), axis=1)


task = cplan.read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
task = replace(task, sensing=PoorSight())
for name in ("llm-replan", "llm-mcts"):
    solution = cplan.solve(cplan.Request(task, cplan.METHODS[name], seed=1))
    print(name, solution.status)
    for step in solution.plan or ():
        print(" ", step)
