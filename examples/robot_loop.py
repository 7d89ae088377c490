"""A robot's loop: an agent says what to do, the robot does it and tells what it sees. One action in five fails,
somebody moves the apple behind its back, a mug turns up that nobody declared, and its process crashes in between.

    python examples/robot_loop.py [SEED]
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import tempfile
from pathlib import Path

import numpy as np

import commonsense_planning as cplan

HOUSEHOLD = Path(__file__).parents[1] / "pddl" / "household"
DEADLINE = 1.0  # seconds for a decision
FAILURES = 0.2  # of its actions
logging.basicConfig(format="    ! %(message)s")  # surprises are told to Python's logging


class Robot:
    """A simulated one; ``truth`` is how the world really is, which the agent never observes."""

    def __init__(self, task: cplan.Task, rng: np.random.Generator) -> None:
        self.ground, self.compiled = task.seen_in_part
        self.truth = self.ground.init.copy()
        self.facts = {str(self.ground.fact_step(f)): f for f in range(self.ground.fact_count)}
        self.operators = {str(self.ground.step(o)): o for o in range(self.ground.operator_count)}
        self.rng = rng

    def look(self) -> cplan.ObservationReport:
        """All that its camera shows."""
        return self.seen(self.world().look())

    def carry_out(self, action: cplan.Action) -> cplan.ObservationReport:
        """Do it, or fail, and look."""
        if self.rng.random() < FAILURES:
            return dataclasses.replace(self.look(), applied=False)
        observation = self.world().step(self.operators[str(action)])
        for fact, value in observation.facts:
            self.truth[fact] = value
        return self.seen(observation)

    def seen(self, observation: cplan.Observation) -> cplan.ObservationReport:
        """The numbers of the simulation in names; and on the desk stands a mug that the problem's file forgets."""
        names = {str(self.ground.fact_step(fact)): value for fact, value in observation.readings}
        shown = [name for name, value in names.items() if value]
        if "(on apple_1 desk_1)" in names:
            return cplan.ObservationReport(
                [*shown, "(on mug_9 desk_1)"], applied=observation.applied, objects={"mug_9": "movable"}
            )
        return cplan.ObservationReport(shown, applied=observation.applied)

    def world(self) -> cplan.Environment:
        """The simulation, as it is now."""
        return cplan.Environment(self.compiled, self.truth)

    def move(self, there: str, elsewhere: str) -> None:
        """Somebody else moves a thing."""
        self.truth[[self.facts[there], self.facts[elsewhere]]] = np.array([False, True])


task = cplan.read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")
seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
robot = Robot(task, np.random.default_rng(seed))
agent = cplan.Agent(task, method="llm-mcts", seed=seed)
seen = robot.look()
moved = False
with tempfile.TemporaryDirectory() as folder:
    for step in range(1, 101):
        action = agent.act(seen, None if step == 1 else DEADLINE)
        if action is None:
            break
        print(f"{step:3} {action.says}")
        agent.save(Path(folder) / "agent.json")
        if step == 3:
            print("    (the process crashes, and another one goes on)")
            agent.close()
            agent = cplan.Agent.load(Path(folder) / "agent.json")
        if str(action) == "(grab-from-surface apple_1 desk_1)" and not moved:
            print("    (somebody takes the apple to the bed)")
            robot.move("(on apple_1 desk_1)", "(on apple_1 bed_1)")
            moved = True
            seen = dataclasses.replace(robot.look(), applied=False)
        else:
            seen = robot.carry_out(action)
agent.close()
print(agent.status, agent.reason)
assert agent.status is cplan.Status.SOLVED
