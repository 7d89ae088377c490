"""A simulated robot: it carries out what an agent says in its own world, and reports what it sees by name."""

from pathlib import Path

from commonsense_planning import Agent, Environment, Observation, ObservationReport, Task, Text, read_task
from tests.scripted import HOUSEHOLD

SMALL = HOUSEHOLD / "problems" / "small-apple.pddl"
DEMO = HOUSEHOLD / "problems" / "demo.pddl"


def household(problem: Path | Text = SMALL) -> Task:
    """A problem of the household."""
    return read_task(HOUSEHOLD / "domain.pddl", problem)


class Robot:
    """Its world is the task's true one at first."""

    def __init__(self, task: Task) -> None:
        self.task, compiled = task.seen_in_part
        self.environment = Environment(compiled, self.task.init)
        self.operators = {str(self.task.step(o)): o for o in range(self.task.operator_count)}
        self.facts = {str(self.task.fact_step(f)): f for f in range(self.task.fact_count)}
        self.did: list[str] = []

    def do(self, action: object) -> ObservationReport:
        """Carry an action out, and look."""
        self.did.append(str(action))
        return self._told(self.environment.step(self.operators[str(action)]))

    def look(self) -> ObservationReport:
        """What it sees now, nothing having been done."""
        return self._told(self.environment.look())

    def move(self, there: str, elsewhere: str) -> None:
        """Move a thing behind the agent's back."""
        truth = self.environment._truth
        assert truth[self.facts[there]], there
        truth[self.facts[there]], truth[self.facts[elsewhere]] = False, True

    def _told(self, observation: Observation) -> ObservationReport:
        shown = [str(self.task.fact_step(fact)) for fact, value in observation.readings if value]
        return ObservationReport(true=shown, applied=observation.applied)


def run(agent: Agent, robot: Robot, most: int = 60) -> None:
    """Until the agent has nothing to say any more."""
    seen = robot.look()
    while (action := agent.act(seen)) is not None:
        assert len(robot.did) < most, robot.did
        seen = robot.do(action)
