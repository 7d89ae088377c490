"""A method of one's own: breadth-first search, which finds a shortest plan.

pip install ./examples/own_method
cplan methods
cplan solve domain.pddl problem.pddl --method own-breadth-first --max-states 5000
cplan solve --method own-breadth-first --help
cplan bench rearrangement --methods own-breadth-first,expert --tasks 20 -o results
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import commonsense_planning as cplan


@dataclass(frozen=True)
class BreadthFirstOptions(cplan.Options):
    """Its settings: each field is an option of the command line."""

    max_states: int = cplan.option(10_000, "States that are looked at before it gives up.", least=1)


class BreadthFirst:
    """Looks at all states that one action leads to, then at those of two, and so on."""

    name = "own-breadth-first"
    summary = "breadth-first search: a shortest plan; knows the true world"
    world = cplan.Observability.KNOWN
    Options = BreadthFirstOptions

    def why_not(self, task: cplan.Task) -> str | None:
        return task.no_world

    def solve(self, request: cplan.Request) -> cplan.Solution:
        options = request.options_as(BreadthFirstOptions)
        task, compiled = request.task.all_seen
        world = cplan.TransitionSystem(task, compiled)
        waiting = deque([world.start()])
        seen = {waiting[0].state.tobytes()}
        while waiting:
            path = waiting.popleft()
            if world.failure(path):
                continue
            if world.reached(path):
                return cplan.Solution(cplan.Status.SOLVED, task.plan(path.operators))
            if len(seen) > options.max_states:
                reason = f"more than {options.max_states} states (--max-states)"
                return cplan.Solution(cplan.Status.BUDGET, None, reason)
            request.report("states seen", len(seen), options.max_states)
            for operator in world.applicable(path):
                longer = world.successor(path, operator)
                if longer.state.tobytes() not in seen:
                    seen.add(longer.state.tobytes())
                    waiting.append(longer)
        return cplan.Solution(cplan.Status.UNSOLVABLE, None, "no state that can be reached is a goal")

    def estimate(self, request: cplan.Request) -> cplan.Estimate | None:
        return None  # it asks no language model, so there is nothing to pay


BREADTH_FIRST = BreadthFirst()
