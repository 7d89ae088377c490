"""Kinds of which nobody knows what things there are: an agent plans with things that must be somewhere, and goes on
with those that it meets."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.errors import InputError, Status
from tests.data import REPOSITORY
from tests.scripted import HOUSEHOLD

ALFWORLD = REPOSITORY / "pddl" / "alfworld"
PROBLEM = """(define (problem room) (:domain alfworld)
  (:objects desk_1 desk_2 - desk shelf_1 - shelf {cups} - cup)
  (:init (hand-empty))
  (:goal (exists (?t{more} - cup ?p - shelf) {goal})))"""
ONE = PROBLEM.format(cups="any-cup", more="", goal="(in ?t ?p)")
TWO = PROBLEM.format(cups="cup-a cup-b", more=" ?u", goal="(and (not (= ?t ?u)) (in ?t ?p) (in ?u ?p))")
HERE = {"cup_7": "cup"}


def agent_for(folder: Path, problem: str, method: str = "llm-mcts") -> Agent:
    (folder / "room.pddl").write_text(problem)
    return Agent(ALFWORLD / "domain.pddl", folder / "room.pddl", method=method, seed=1)


def look_until(agent: Agent, place: str, thing: str) -> str:
    """Meet a cup at a place, which is all that there is; what is said then."""
    action = agent.act()
    while str(action) != f"(go {place})":
        action = agent.act(ObservationReport())
    return str(agent.act(ObservationReport(true=[f"(in {thing} {place})"], objects={thing: "cup"})))


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-nearest"])
def test_what_is_met_takes_the_place_of_what_must_be_somewhere(tmp_path: Path, method: str) -> None:
    agent = agent_for(tmp_path, ONE, method)
    assert look_until(agent, "desk_2", "cup_7") == "(take cup_7 desk_2)"
    assert agent.belief == {"(in cup_7 desk_2)": 1.0}
    assert str(agent.act(ObservationReport())) == "(go shelf_1)"
    assert str(agent.act(ObservationReport())) == "(move cup_7 shelf_1)"
    assert agent.act(ObservationReport()) is None
    assert agent.status is Status.SOLVED


def test_what_was_looked_at_stays_ruled_out_for_the_rest(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, TWO)
    action = agent.act(ObservationReport(false=["(in cup-a shelf_1)", "(in cup-b shelf_1)"], complete=False))
    assert action is not None
    (place,) = action.arguments
    agent.act(ObservationReport(true=[f"(in cup_7 {place})"], objects=HERE))
    (other,) = {"desk_1", "desk_2"} - {place}
    assert agent.belief == pytest.approx({f"(in cup_7 {place})": 1.0, f"(in cup-b {other})": 1.0})


def test_more_than_were_thought_of_are_no_surprise(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    agent = agent_for(tmp_path, ONE)
    with caplog.at_level(logging.WARNING):
        look_until(agent, "desk_1", "cup_7")
        agent.act(
            ObservationReport(true=["(in cup_3 desk_1)"], objects={"cup_3": "cup"}, applied=False, complete=False)
        )
    assert {"(in cup_7 desk_1)", "(in cup_3 desk_1)"} <= agent.belief.keys()
    assert not [record for record in caplog.records if "declared" in record.message]


def test_what_was_done_with_a_thing_keeps_its_name(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, ONE)
    agent.act(ObservationReport(true=["(in any-cup desk_1)"]))
    agent.act(ObservationReport(true=["(in cup_7 desk_2)", "(in any-cup desk_1)"], objects=HERE, action="(go desk_2)"))
    assert {"(in any-cup desk_1)", "(in cup_7 desk_2)"} <= agent.belief.keys()


def test_an_agent_that_met_things_is_loaded_as_it_was(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, TWO)
    look_until(agent, "desk_1", "cup_7")
    agent.save(tmp_path / "agent.json")
    again = Agent.load(tmp_path / "agent.json")
    assert again.belief == agent.belief
    assert str(again.act(ObservationReport())) == str(agent.act(ObservationReport()))


def test_what_never_changes_must_be_seen_too(tmp_path: Path) -> None:
    """In the household, what kind a thing is of is a fact."""
    sensors = tmp_path / "sensors.pddl"
    sensors.write_text((HOUSEHOLD / "sensors.pddl").read_text().replace("(:hidden", "(:unknown ?m - movable) (:hidden"))
    shown = ["(on thing_9 kitchentable)", "(instance-of thing_9 apple)"]
    for facts, other in ((shown, "(inside plate_1 kitchencabinet)"), (shown[:1], "(inside apple_1 fridge)")):
        agent = Agent(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl", sensors, "llm-replan")
        agent.act(ObservationReport(true=["(in-room kitchen)"], false=["(in-room bathroom)"], complete=False))
        agent.act(ObservationReport(true=[*facts], objects={"thing_9": "movable"}, complete=False))
        assert agent.belief["(on thing_9 kitchentable)"] == 1.0
        assert other in agent.belief
        assert ("(inside apple_1 fridge)" in agent.belief) == (len(facts) == 1)


def test_a_wrong_report_changes_nothing(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, ONE)
    agent.act()
    before = agent.belief
    with pytest.raises(InputError, match="nowhere"):
        agent.act(ObservationReport(true=["(in cup_7 nowhere)"], objects=HERE))
    assert agent.belief == before
    assert any("any-cup" in fact for fact in before)
