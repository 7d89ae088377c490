"""A method of one's own: breadth-first search, which finds a shortest plan.

pip install ./examples/own_method
cplan methods
cplan solve domain.pddl problem.pddl --method own-breadth-first --max-states 5000
cplan solve --method own-breadth-first --help
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from commonsense_planning.config import Options, option
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.task import Task
from commonsense_planning.search.known_world import KnownWorld


@dataclass(frozen=True)
class BreadthFirstOptions(Options):
    """Its settings: each field is an option of the command line."""

    max_states: int = option(10_000, "States that are looked at before it gives up.", least=1)


class BreadthFirst:
    """Looks at all states that one action leads to, then at those of two, and so on."""

    name = "own-breadth-first"
    summary = "breadth-first search: a shortest plan; knows the true world"
    world = World.KNOWN
    Options = BreadthFirstOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options: BreadthFirstOptions = request.options
        task, compiled = request.task.all_seen
        world = KnownWorld(task, compiled)
        waiting = deque([world.start()])
        seen = {waiting[0].state.tobytes()}
        while waiting:
            path = waiting.popleft()
            if world.failure(path):
                continue
            if world.reached(path):
                return Solution(Status.SOLVED, task.plan(path.operators))
            if len(seen) > options.max_states:
                return Solution(Status.BUDGET, None, f"more than {options.max_states} states (--max-states)")
            request.report("states seen", len(seen), options.max_states)
            for operator in world.applicable(path):
                longer = world.after(path, operator)
                if longer.state.tobytes() not in seen:
                    seen.add(longer.state.tobytes())
                    waiting.append(longer)
        return Solution(Status.UNSOLVABLE, None, "no state that can be reached is a goal")

    def estimate(self, request: Request) -> Estimate | None:
        return None  # it asks no language model, so there is nothing to pay


BREADTH_FIRST = BreadthFirst()
