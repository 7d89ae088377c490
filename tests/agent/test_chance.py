"""A robot whose actions fail by chance reports their outcomes; and it meets things that no file lists."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import Agent, InputError, ObservationReport, Status, Task, Text, read_task
from commonsense_planning.methods.method import Event
from commonsense_planning.pomdp.observation_model import ErringSensing
from tests.agent.robots import SMALL
from tests.data import REPOSITORY
from tests.scripted import HOUSEHOLD

LOOK = "(on toothbrush_1 bathroomcounter)"
APPLE = "(inside apple_1 fridge)"
GRAB = "(grab-from-container apple_1 fridge)"
STILL = {"move_rate": 0.0}


@pytest.fixture(scope="module")
def slippery() -> Task:
    text = (HOUSEHOLD / "domain-slips.pddl").read_text().replace("probabilistic 0.8", "probabilistic 0.5")
    return read_task(Text(text), SMALL, HOUSEHOLD / "sensors.pddl", HOUSEHOLD / "lexicon.toml")


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


@pytest.mark.parametrize("failed", [{"applied": False}, {"false": ["(holding apple_1)"]}])
def test_a_failed_grab_is_evidence_by_its_chance(slippery: Task, failed: dict[str, Any]) -> None:
    """P(there | failed) = p q / (p q + 1 - p), for what a noisy camera has shown with a probability of p."""
    ground, compiled = slippery.seen_in_part
    chances = 0.05 + 0.9 * (compiled.sensors.hidden * [[0.0], [1.0]])
    agent = Agent(
        replace(slippery, sensing=ErringSensing(chances)), method="llm-replan", options=STILL, seed=1, error=0.2
    )
    agent.act(ObservationReport(true=[LOOK]))
    for _ in range(20):
        action = str(agent.action)
        if action == GRAB:
            break
        found = "fridge" in action and "open" in action or action == "None"
        agent.act(ObservationReport(true=[APPLE] if found else []))
    if str(agent.action) == GRAB:
        before = agent.belief[APPLE]
        agent.act(ObservationReport(**failed, complete=False))
        q = 1 - 0.5 * 0.8
        assert agent.belief[APPLE] == pytest.approx(before * q / (before * q + 1 - before), abs=1e-5)


STUDY = """(define (domain study)
  (:requirements :strips :typing :probabilistic-effects)
  (:types place thing)
  (:predicates (at ?p - place) (on ?t - thing ?p - place) (held ?t - thing) (free))
  (:action go :parameters (?a ?b - place) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b)))
  (:action pick :parameters (?t - thing ?p - place) :precondition (and (at ?p) (on ?t ?p) (free))
    :effect (probabilistic 0.8 (and (not (on ?t ?p)) (not (free)) (held ?t))))
  (:action put :parameters (?t - thing ?p - place) :precondition (and (at ?p) (held ?t))
    :effect (and (not (held ?t)) (free) (on ?t ?p))))"""
MUG = """(define (problem mug) (:domain study) (:objects shelf desk table bin - place mug - thing)
  (:init (at shelf) (free) (on mug shelf)) (:goal (on mug bin)))"""
EYES = """(define (sensors study) (:domain study) (:hidden (on ?t - thing ?p - place))
  (:exactly-one ?t - thing (on ?t ?p - place)) (:sense (on ?t - thing ?p - place) :when (and) (:accuracy 0.9)))"""


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
@pytest.mark.parametrize("failed", [{"applied": False}, {"false": ["(held mug)"]}])
def test_a_thing_that_was_moved_is_followed(method: str, failed: dict[str, Any]) -> None:
    """It was seen on the shelf ten times; then tries to pick it up fail, and seven of nine looks show it elsewhere."""
    agent = Agent(read_task(Text(STUDY), Text(MUG), Text(EYES)), method=method, seed=2)
    for turn in range(10):
        wait = {"action": "(go shelf shelf)"} if turn else {}
        agent.act(ObservationReport(true=["(on mug shelf)"], **wait))
    here, there, said = "(on mug shelf)", "(on mug desk)", list[str]()
    for seen in (there, there, there, here, there, there, here, there, there):
        said.append(str(agent.action))
        tried = failed if said[-1] == "(pick mug shelf)" else {}
        agent.act(ObservationReport(true=[seen], complete=True, **tried))
    assert agent.belief[there] > 0.9
    assert said.count("(pick mug shelf)") <= 3 and "(go shelf desk)" in said


def test_it_is_loaded_as_it_was(slippery: Task, tmp_path: Path) -> None:
    agent = Agent(slippery, method="llm-replan", seed=1, error=0.3)
    at_the_fridge(agent)
    agent.save(tmp_path / "agent.json")
    again = Agent.load(tmp_path / "agent.json", slippery)
    assert (again.action, again.belief) == (agent.action, agent.belief)
    assert str(again.act(ObservationReport())) == str(agent.act(ObservationReport()))
    assert agent.status is not Status.UNSOLVED


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
    """Meets a cup at a place with nothing else there; what the agent says then."""
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
    (place,) = action.arguments
    agent.act(ObservationReport(true=[f"(in cup_7 {place})"], objects=HERE))
    (other,) = {"desk_1", "desk_2"} - {place}
    assert agent.belief == pytest.approx({f"(in cup_7 {place})": 1.0, f"(in cup-b {other})": 1.0})


def test_more_than_were_thought_of_are_no_surprise(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    agent = agent_for(tmp_path, ONE)
    with caplog.at_level(logging.WARNING):
        look_until(agent, "desk_1", "cup_7")
        also = {"cup_3": "cup"}
        agent.act(ObservationReport(true=["(in cup_3 desk_1)"], objects=also, applied=False, complete=False))
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
        agent = Agent(HOUSEHOLD / "domain.pddl", SMALL, sensors, "llm-replan")
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
