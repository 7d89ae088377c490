"""A robot whose actions fail by chance reports what came of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Event
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pomdp.observation_model import ErringSensing
from commonsense_planning.task import Task, read_task

HOUSEHOLD = pack_named("household").folder
LOOK = "(on toothbrush_1 bathroomcounter)"
APPLE = "(inside apple_1 fridge)"
GRAB = "(grab-from-container apple_1 fridge)"


@pytest.fixture(scope="module")
def slippery(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("slips")
    text = (HOUSEHOLD / "domain-slips.pddl").read_text()
    (folder / "domain.pddl").write_text(text.replace("probabilistic 0.8", "probabilistic 0.5"))
    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    return read_task(folder / "domain.pddl", problem, HOUSEHOLD / "sensors.pddl", HOUSEHOLD / "lexicon.toml")


def at_the_fridge(agent: Agent) -> str:
    """Go and open it; the first try to open it fails."""
    assert str(agent.act(ObservationReport(true=[LOOK]))) == "(walk-to-room kitchen)"
    assert str(agent.act(ObservationReport())) == "(walk-to-place fridge kitchen)"
    assert str(agent.act(ObservationReport())) == "(open-container fridge)"
    assert str(agent.act(ObservationReport(false=["(opened fridge)"]))) == "(open-container fridge)"
    return str(agent.act(ObservationReport(true=["(opened fridge)", APPLE])))


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
def test_a_failure_that_is_a_chance_is_no_surprise_and_is_tried_again(method: str, slippery: Task) -> None:
    events: list[Event] = []
    agent = Agent(slippery, method=method, seed=1, emit=events.append)
    assert at_the_fridge(agent) == GRAB
    assert str(agent.act(ObservationReport(applied=False))) == GRAB
    assert str(agent.act(ObservationReport(false=["(holding apple_1)"], true=[APPLE]))) == GRAB
    assert agent.belief[APPLE] == 1.0
    assert str(agent.act(ObservationReport())).startswith("(walk-to-")  # it is taken to be in the hand
    assert "surprise" not in {event["event"] for event in events}
    done = [event["action"] for event in events if event["event"] == "step"]
    assert done[2:4] == ["(open-container--2 fridge)", "(open-container fridge)"]


def test_it_is_given_up_where_it_is_no_chance_any_more(slippery: Task) -> None:
    surprises: list[str] = []
    agent = Agent(slippery, method="llm-replan", seed=1, emit=lambda event: surprises.extend(event.get("what", ())))
    at_the_fridge(agent)
    tried = 1
    while str(agent.act(ObservationReport(false=["(holding apple_1)"], true=[APPLE]))) == GRAB and not surprises:
        tried += 1
    assert tried == 8  # half of the tries fail by chance, and some for other reasons: 0.525 ** 8 is below 0.01
    assert surprises[0] == f"{GRAB} failed 8 times in a row: plans now avoid it"


def test_a_failed_grab_is_evidence_by_its_chance(slippery: Task) -> None:
    """P(there | failed) = p q / (p q + 1 - p), for what a camera that errs has shown with a probability of p."""
    ground, compiled = slippery.seen_in_part
    chances = 0.05 + 0.9 * (compiled.sensors.hidden * [[0.0], [1.0]])
    agent = Agent(replace(slippery, sensing=ErringSensing(chances)), method="llm-replan", seed=1, error=0.2)
    agent.act(ObservationReport(true=[LOOK]))
    for _ in range(20):
        action = str(agent.action)
        if action == GRAB:
            break
        agent.act(
            ObservationReport(true=[APPLE] if "fridge" in action and "open" in action or action == "None" else [])
        )
    if str(agent.action) == GRAB:
        before = agent.belief[APPLE]
        agent.act(ObservationReport(applied=False, complete=False))
        q = 1 - 0.5 * 0.8
        assert agent.belief[APPLE] == pytest.approx(before * q / (before * q + 1 - before), abs=1e-5)


def test_it_is_loaded_as_it_was(slippery: Task, tmp_path: Path) -> None:
    agent = Agent(slippery, method="llm-replan", seed=1, error=0.3)
    at_the_fridge(agent)
    agent.save(tmp_path / "agent.json")
    again = Agent.load(tmp_path / "agent.json", slippery)
    assert (again.action, again.belief) == (agent.action, agent.belief)
    assert str(again.act(ObservationReport())) == str(agent.act(ObservationReport()))
    assert agent.status is not Status.UNSOLVED
