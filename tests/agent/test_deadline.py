"""A decision ends when its time is up; a model's answer that is late is taken when it is there."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import Agent, ModelConfig, ObservationReport, Status
from commonsense_planning.agent.deadline import Deadline
from commonsense_planning.config import AskBy
from commonsense_planning.errors import BudgetError, LateError
from commonsense_planning.support.reading import Text
from tests.agent.robots import DEMO, Robot, household
from tests.chat_server import ChatServer

pytestmark = pytest.mark.processes

ENDLESS = {"simulations": 10**9}  # this would take days


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.mark.parametrize("method", ["llm-mcts", "llm-mcts-paper", "uct"])
def test_the_best_action_so_far_is_taken_and_taken_again_when_loaded(method: str, tmp_path: Path) -> None:
    task, file = household(DEMO), tmp_path / "agent.json"
    agent, robot = Agent(task, method=method, options=ENDLESS), Robot(task)
    seen = robot.look()
    for _ in range(3):
        action = agent.act(seen, deadline=0.3)
        seen = robot.do(action)
    assert any(turn.late for turn in agent.history)
    agent.save(file)
    loaded = Agent.load(file, task)  # as many simulations again, not days
    assert [turn.late for turn in loaded.history] == [turn.late for turn in agent.history]
    assert [turn.said for turn in loaded.history] == robot.did
    assert loaded.act(seen, deadline=0.3) is not None


def test_a_loaded_agent_does_not_think_on_without_end() -> None:
    agent = Agent(household(DEMO), method="uct", options=ENDLESS, name="R2")
    agent.act(deadline=0.1)
    content = agent.saved
    content["turns"][0]["late"] = []  # somebody's file, which does not say when to stop
    with pytest.raises(BudgetError, match=r"decision 1 cannot be repeated within 0\.1 s"):
        Agent.load(Text(json.dumps(content)), model="embedded", seconds=0.1)
    loaded = Agent.load(Text(json.dumps(agent.saved)), model="embedded", seconds=60)
    assert (loaded.history, loaded.name, loaded.differs) == (agent.history, "R2", False)


def test_more_time_means_more_simulations() -> None:
    agent = Agent(household(DEMO), method="llm-mcts-paper", options=ENDLESS)
    visits = []
    for seconds in (0.001, 1.0):
        action = agent.act(ObservationReport(complete=False), deadline=seconds)
        assert action is not None
        visits.append(agent.history[-1].late[0])
    assert visits[0] == 1  # one simulation, and the time was up
    assert visits[1] > visits[0]


def model_of(server: ChatServer) -> ModelConfig:
    return ModelConfig("openai:tests", base_url=server.base_url, ask_by=AskBy.SAMPLES)


def asks(server: ChatServer, method: str, events: list[dict[str, Any]], **options: Any) -> Agent:
    options["samples"] = 2
    return Agent(household(), method=method, model=model_of(server), options=options, emit=events.append)


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
def test_an_answer_that_is_late_is_taken_when_it_is_there(method: str, tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    with ChatServer(lambda messages: "kitchen cabinet", delay=2.0) as server:
        agent = asks(server, method, events)
        robot = Robot(household())
        action = agent.act(robot.look(), deadline=0.5)
        assert action is not None  # decided without the model
        uniform = agent.belief
        assert uniform["(inside apple_1 fridge)"] == uniform["(inside apple_1 kitchencabinet)"]
        server.delay = 0.0
        time.sleep(2.5)
        seen = robot.do(action)
        agent.act(seen, deadline=20.0)
        assert agent.belief["(inside apple_1 kitchencabinet)"] > 0.9
        notes = [note for event in events for note in event.get("notes", ())]
        assert any(note.startswith("the model's answer is late") for note in notes)
        agent.save(tmp_path / "agent.json")
        asked = len(server.requests)
        loaded = Agent.load(tmp_path / "agent.json", model=model_of(server))
        assert len(server.requests) == asked
        assert (loaded.belief, loaded.action, loaded.history) == (agent.belief, agent.action, agent.history)
        loaded.close()
        agent.close()


def test_an_agent_that_follows_the_model_alone_waits_for_it() -> None:
    with ChatServer(lambda messages: "walk to the fridge", delay=1.5) as server:
        agent, robot = asks(server, "llm-policy", [], actions="relevant"), Robot(household())
        seen = robot.do(agent.act(robot.look()))  # there is one way to go, and nothing to ask
        assert agent.act(seen, deadline=0.3) is None
        assert agent.status is Status.BUDGET
        assert "late" in agent.reason
        assert str(agent.act()) == "(walk-to-place fridge kitchen)"
        assert len(server.requests) == 1
        agent.close()


def test_the_same_checks_of_the_deadline_are_late_again() -> None:
    clock = Deadline()
    clock.begin(None, (2, 3))
    clock.check()
    for _ in range(2):
        with pytest.raises(LateError):
            clock.check()
    clock.check()
    assert clock.late == [2, 3]
    clock.begin(0.0)
    time.sleep(0.01)
    with pytest.raises(LateError):
        clock.check()
    assert clock.late == [1]
