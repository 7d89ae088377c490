"""How late an agent's actions come after their deadline: python -m lab.benchmarks.deadline"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import commonsense_planning as cplan

HOUSEHOLD = Path(__file__).parents[2] / "pddl" / "household"
METHODS = {"llm-mcts": 10**6, "llm-mcts-paper": 10**6, "uct": 10**6}
DEADLINES = (0.1, 0.5)


def lateness(method: str, deadline: float, decisions: int = 20) -> tuple[float, list[float]]:
    """Seconds after the deadline: of the first decision, and of those after it that needed all the time."""
    task = cplan.read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")
    ground, compiled = task.seen_in_part
    world = cplan.Environment(compiled, ground.init)
    operators = {str(ground.step(o)): o for o in range(ground.operator_count)}
    found: list[float] = []
    with cplan.Agent(task, method=method, options={"simulations": METHODS[method]}) as agent:
        observation = world.look()
        for _ in range(decisions):
            shown = [str(ground.fact_step(fact)) for fact, value in observation.readings if value]
            started = time.perf_counter()
            action = agent.act(cplan.Seen(shown, applied=observation.applied), deadline)
            found.append(time.perf_counter() - started - deadline)
            if action is None:
                break
            observation = world.step(operators[str(action)])
    return found[0], [late for late in found[1:] if late > 0]


def main() -> None:
    """Print a table."""
    lateness("uct", 0.1, 2)  # everything is compiled
    print("| method | deadline | late, median | late, most | first action late |\n|---|---|---|---|---|")
    for method in METHODS:
        for deadline in DEADLINES:
            first, others = lateness(method, deadline)
            median, most = np.median(others), max(others)
            print(f"| `{method}` | {deadline:g} s | {median:.3f} s | {most:.3f} s | {first:.2f} s |")


if __name__ == "__main__":
    main()
