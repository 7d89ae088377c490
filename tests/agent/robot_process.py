"""A robot's process: an agent that is saved after each act, in a world that is simulated here. It says each action on a
line, and waits for a line before it carries it out: so it can be killed between two acts.

    python -m tests.agent.robot_process FILE METHOD BASE_URL
"""

import sys
from pathlib import Path

from commonsense_planning import Agent, ModelConfig
from tests.agent.robots import Robot, household


def main(file: Path, method: str, base_url: str) -> None:
    """Go on from the file, or begin."""
    task = household()
    robot, seen = Robot(task), None
    model = ModelConfig("openai:tests", base_url=base_url) if base_url else "embedded"
    if file.exists():
        agent = Agent.load(file, model=model)
        for turn in agent.history[1:]:
            robot.do(turn.did)
        said = agent.action
    else:
        agent = Agent(task, method=method, model=model, options={"max_steps": 12}, seed=3)
        action = agent.act(robot.look())
        said = str(action)
        agent.save(file)
    while said is not None:
        print(said, flush=True)
        sys.stdin.readline()
        seen = robot.do(said)
        action = agent.act(seen)
        said = None if action is None else str(action)
        agent.save(file)
    print(agent.status, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
