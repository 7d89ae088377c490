"""A heuristic of one's own in A*, beside ours: how many states each looks at, and what the plan costs.

A heuristic is anything that can be called with a state and gives a cost, infinity at a dead end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import commonsense_planning as cplan

SUPERMARKET = Path(__file__).parent / "supermarket"

task = cplan.read_task(SUPERMARKET / "domain.pddl", SUPERMARKET / "problem.pddl")
ground, compiled = task.all_seen
start = cplan.make_state(compiled, ground.init)
relaxed = cplan.FF(compiled)


def twice_the_relaxed_plan(state: Any) -> float:
    """Weighted A*: greedier than h_FF, and the plan may cost more."""
    return 2 * relaxed(state)


heuristics = {
    "blind": cplan.Blind(compiled),
    "h_max": cplan.HMax(compiled),
    "h_FF": relaxed,
    "2 h_FF": twice_the_relaxed_plan,
}
print("heuristic  states  cost")
for name, heuristic in heuristics.items():
    result = cplan.BestFirst(compiled, heuristic).astar(start)
    print(f"{name:9}  {result.expanded:6}  {ground.plan(result.operators).cost:4.0f}")
