"""How often cplan says why a random task has no plan, and whether what it says is true.

``python -m lab.benchmarks.reasons [UNSOLVABLE]`` draws tasks until that many have no plan, 1,000 by default. Each
condition that a reason says never to hold is checked in every state that can be reached, and the actions that it says
alone achieve one in random states, reachable or not. A task that has a plan must have no reason.
"""

import random
import sys
import tempfile
from pathlib import Path

from commonsense_planning import BestFirst, Status, make_state, read_task
from commonsense_planning.methods.classical import why_unsolvable
from tests.grounding.test_unreachable import check_reason
from tests.oracle.drawing import damaged, draw
from tests.oracle.meaning import Meaning


def main(wanted: int, folder: Path) -> None:
    """Prints the counts."""
    rng, unsolvable, solvable, told, caused, checked = random.Random(60), 0, 0, 0, 0, 0
    while unsolvable < wanted:
        drawn = draw(rng, derived=rng.random() < 0.5, constraints=False)
        drawn = damaged(rng, drawn) if rng.random() < 0.8 else drawn
        task = read_task(*drawn.write(folder / "domain.pddl", folder / "problem.pddl"))
        why, (ground, compiled) = why_unsolvable(task), task.all_seen
        if BestFirst(compiled, lambda _: 0.0).gbfs(make_state(compiled, ground.init)).status is not Status.UNSOLVABLE:
            assert not why, str(why)
            solvable += 1
            continue
        check_reason(task, why, Meaning(drawn), rng)
        unsolvable, told, caused = unsolvable + 1, told + bool(why), caused + bool(why.causes)
        checked += len(why.links)
    print(f"{solvable} tasks with a plan: no reason. {unsolvable} without: a reason for {told}, a cause for {caused};")
    print(f"{checked} conditions that never hold, none of which holds in any state that can be reached")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000, Path(name))
