"""An agent that gets reports: it acts as in an episode, peeks at nothing, and continues when something goes
wrong."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.agent.agent import TRIES, Agent
from commonsense_planning.agent.observation_report import AgentNames, ObservationReport
from commonsense_planning.errors import InputError, Status, UsageError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.methods.method import Event, Observability
from commonsense_planning.methods.registry import METHODS
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests import derived_problems
from tests.agent.robots import DEMO, SMALL, Robot, household, run
from tests.data import shared_data
from tests.scripted import HOUSEHOLD, NoisySensing, solved

ACTING = [
    name for name, method in METHODS.items() if method.world is Observability.SEEN_IN_PART and name != "learned-policy"
]
TO_FRIDGE = ["(walk-to-room kitchen)", "(walk-to-place fridge kitchen)", "(open-container fridge)"]
GRAB = "(grab-from-container apple_1 fridge)"
AGAIN = f"nothing else is left: {GRAB} is tried again"
Events = list[dict[str, Any]]
REAL = {"agent", "time", "seconds"}
DOORS = """(define (domain doors) (:requirements :typing :negative-preconditions) (:types room door thing)
(:predicates (in ?r - room) (leads ?d - door ?a ?b - room) (locked ?d - door) (jammed ?d - door)
    (at ?t - thing ?r - room) (held ?t - thing) (opens ?t - thing))
(:action walk :parameters (?a ?b - room ?d - door) :effect (and (not (in ?a)) (in ?b))
    :precondition (and (in ?a) (leads ?d ?a ?b) (not (locked ?d)) (not (jammed ?d))))
(:action take :parameters (?t - thing ?r - room)
    :precondition (and (in ?r) (at ?t ?r)) :effect (and (held ?t) (not (at ?t ?r))))
(:action unlock :parameters (?d - door ?k - thing)
    :precondition (and (held ?k) (opens ?k) (locked ?d)) :effect (not (locked ?d))))"""
ROOMS = """(define (problem rooms) (:domain doors)
(:objects hall study attic - room front side far - door key book - thing)
(:init (in hall) (leads front hall study) (leads front study hall) (leads side hall attic) (leads side attic hall)
    (leads far attic study) (leads far study attic) (at book study) (at key attic) (opens key))
(:goal (held book)))"""
BOOK_SOMEWHERE = """(define (sensors rooms) (:domain doors) (:hidden (at book ?r))
(:exactly-one (at book ?r)) (:sense (at book ?r) :when (in ?r)))"""


def agent_for(task: Task, method: str = "llm-replan", **settings: Any) -> tuple[Agent, Events]:
    events: Events = []
    options = METHODS[method].Options.among(settings)
    return Agent(task, method=method, options=options, emit=events.append), events


def at_home(method: str = "llm-replan") -> tuple[Robot, Agent, Events]:
    """A robot, its agent, and the agent's events."""
    task = household()
    return Robot(task), *agent_for(task, method)


def finish(agent: Agent, robot: Robot, action: object) -> None:
    """Carry out an action and everything that the agent says after it."""
    for _ in range(40):
        if action is None:
            return
        action = agent.act(robot.do(action))
    raise AssertionError(robot.did)


def timeless(events: Events) -> Events:
    """The events without what differs from run to run."""
    return [{name: value for name, value in event.items() if name not in REAL} for event in events]


def surprises(events: Events) -> list[str]:
    return [what for event in events if event["event"] == "surprise" for what in event["what"]]


@pytest.mark.parametrize("name", ACTING)
def test_it_does_as_in_an_episode(name: str) -> None:
    task = household()
    agent, events = agent_for(task, name, simulations=10, max_steps=12)
    run(agent, Robot(task))
    solution, expected = solved(task, name, simulations=10, max_steps=12)
    assert all((event["event"] == "step") == (event.keys() >= REAL) for event in events)
    assert timeless(events) == expected
    assert agent.status == solution.status


@pytest.mark.parametrize("name", ["llm-replan", "llm-mcts"])
def test_what_is_derived_follows_from_what_it_does(name: str) -> None:
    texts = derived_problems.BROKEN_DOMAIN, derived_problems.BROKEN_PROBLEM, derived_problems.SENSORS
    task = read_task(*map(Text, texts))
    agent, _ = agent_for(task, name)
    run(agent, Robot(task))  # tells of hidden facts alone, none of which is derived
    assert agent.status is Status.SOLVED
    agent, _ = agent_for(task, name)
    with pytest.raises(InputError, match=r"\(powered l1\) is reported as false, but it is derived"):
        agent.act(ObservationReport(false=["(powered l1)"]))
    assert agent.act(ObservationReport(false=["(powered l1)", "(on p1)"], true=["(cut p1 l1)"])) is not None


@pytest.mark.parametrize("name", ["llm-replan", "llm-mcts"])
def test_it_remembers_for_constraints_what_no_report_says(name: str) -> None:
    wanted = "(sometime-before (near fridge) (near kitchentable)) (sometime-after (holding apple_1) (in-room bathroom))"
    text = SMALL.read_text().rstrip().removesuffix(")")
    task = household(Text(f"{text}(:constraints (and {wanted})))"))
    agent, _ = agent_for(task, name, max_steps=30)
    robot = Robot(task)
    run(agent, robot)
    assert agent.status is Status.SOLVED
    assert replay(task.problem, parse_plan("\n".join(robot.did), Path("plan"))).verdict is Verdict.VALID


def at_the_fridge(agent: Agent | None = None) -> tuple[Robot, Agent, Events, ObservationReport]:
    """A robot and its agent once the fridge is open, the agent's events, and what is seen there."""
    robot, other, events = at_home()
    agent, seen = agent or other, robot.look()
    for action in TO_FRIDGE:
        assert str(agent.act(seen)) == action
        seen = robot.do(action)
    return robot, agent, events, seen


def test_it_never_sees_what_is_hidden_in_the_problem() -> None:
    """Where the apple is in the problem's file makes no difference; what is reported does."""
    walks = []
    for place in ("(inside apple_1 fridge)", "(on apple_1 kitchentable)"):
        task = household(Text(SMALL.read_text().replace("(inside apple_1 fridge)", place)))
        for method in ("llm-mcts", "llm-replan", "uct"):
            agent, events = agent_for(task, method, simulations=10)
            seen, said = Robot(household()).look(), []
            for _ in range(4):
                said.append(str(agent.act(seen)))
                seen = ObservationReport()
            walks.append((method, said, agent.belief, timeless(events)))
    assert walks[:3] == walks[3:]


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "uct", "look-greedy"])
def test_what_was_moved_is_looked_for_again(method: str, caplog: pytest.LogCaptureFixture) -> None:
    robot, agent, events = at_home(method)
    action = agent.act(robot.look())
    for _ in range(10):
        if str(action) != GRAB:
            action = agent.act(robot.do(action))
    assert str(action) == GRAB
    robot.move("(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)")
    seen = robot.do(action)  # fails, and the fridge is seen to be empty
    assert seen.applied is False
    with caplog.at_level(logging.WARNING, "commonsense_planning"):
        action = agent.act(ObservationReport(false=["(inside apple_1 fridge)"], applied=False))
    assert surprises(events) == ["(inside apple_1 fridge) was certainly true"]
    assert caplog.messages == surprises(events)
    assert agent.belief.get("(inside apple_1 fridge)") is None
    finish(agent, robot, action)
    assert agent.status is Status.SOLVED
    assert "(grab-from-container apple_1 kitchencabinet)" in robot.did


def test_what_was_seen_elsewhere_is_there() -> None:
    robot, agent, events, seen = at_the_fridge()
    assert str(agent.act(seen)) == GRAB
    robot.move("(inside apple_1 fridge)", "(on apple_1 kitchentable)")
    robot.do(GRAB)
    action = agent.act(ObservationReport(true=["(on apple_1 kitchentable)"], applied=False))
    assert agent.belief["(on apple_1 kitchentable)"] == 1.0
    assert set(surprises(events)) == {
        "(inside apple_1 fridge) was certainly true",
        "(on apple_1 kitchentable) was certainly false",
    } or surprises(events) == ["(on apple_1 kitchentable) was certainly false"]
    assert action is None
    assert agent.status is Status.SOLVED  # it is where it should be


def test_a_thing_that_was_moved_to_where_it_was_looked_for_is_found() -> None:
    """All its places were seen to be empty, so it must have been moved: each is looked at one more time."""
    robot, agent, events = at_home()
    truth = robot.environment._truth
    truth[robot.facts["(inside apple_1 fridge)"]] = False  # somebody carries it about
    seen = robot.look()
    for _ in range(40):
        action = agent.act(seen)
        if surprises(events):
            break
        seen = robot.do(action)
    assert surprises(events) == ["apple is in none of its places: it is looked for again"]
    finish(agent, robot, action)
    assert agent.status is Status.UNSOLVED
    assert agent.reason == "apple is in none of the 4 places"
    assert len(surprises(events)) == 1
    truth[robot.facts["(on apple_1 kitchentable)"]] = True  # back again: who sees it may go on
    assert agent.act(ObservationReport(true=["(on apple_1 kitchentable)"])) is None
    assert agent.status is Status.SOLVED


def test_an_action_that_fails_is_tried_again_and_then_planned_without() -> None:
    robot, agent, events, seen = at_the_fridge()
    for _ in range(2 * TRIES):  # there is no other way to get the apple
        assert str(agent.act(seen)) == GRAB
        seen = ObservationReport(applied=False)
    assert agent.act(seen) is None
    assert agent.status is Status.UNSOLVED
    assert agent.reason.startswith(f"{GRAB} failed 6 times in a row, and without it ")
    failed = [f"{GRAB} failed, though its preconditions are certain"] * TRIES
    without = [f"{GRAB} failed {n} times in a row: plans now avoid it" for n in (TRIES, 2 * TRIES)]
    assert surprises(events) == [*failed, without[0], AGAIN, *failed, without[1]]
    assert str(agent.act(ObservationReport())) == GRAB  # asked again, it tries again
    finish(agent, robot, GRAB)
    assert agent.status is Status.SOLVED
    steps = [event["action"] for event in events if event["event"] == "step"]
    assert steps == [*TO_FRIDGE, *[GRAB] * 7, *robot.did[4:]]


def test_how_often_a_failing_action_is_tried_is_the_callers_to_say() -> None:
    _, agent, _, seen = at_the_fridge(Agent(household(), method="llm-replan", tries=1))
    said = [str(agent.act(seen)), *(str(agent.act(ObservationReport(applied=False))) for _ in range(2))]
    assert said == [GRAB, GRAB, "None"]


def test_an_effect_that_is_not_seen_makes_the_action_a_failure() -> None:
    robot, agent, events = at_home()
    agent.act(robot.look())
    action = agent.act(ObservationReport(false=["(in-room kitchen)"]))
    assert surprises(events) == ["(in-room kitchen) was expected to be true"]
    assert str(action) == "(walk-to-room kitchen)"
    assert [event["notes"][-1] for event in events if event["event"] == "step"] == [
        "this cannot be done here: nothing has changed"
    ]


def test_a_thing_is_in_one_place() -> None:
    agent = Agent(household(), method="llm-replan")
    both = "(on apple_1 kitchentable)", "(inside apple_1 fridge)"
    with pytest.raises(InputError) as error:
        agent.act(ObservationReport(true=both))
    assert str(error.value) == f"{both[0]} and {both[1]} cannot both be true: name the one that is"
    assert agent.act(ObservationReport(true=both[1:])) is not None


@pytest.mark.parametrize("applied", [None, True])
def test_what_was_put_somewhere_and_is_seen_elsewhere_is_there_alone(applied: bool | None) -> None:
    robot, agent, events = at_home()
    seen = robot.look()
    while not str(action := agent.act(seen)).startswith("(put-on"):
        seen = robot.do(action)
    agent.act(ObservationReport(true=["(inside apple_1 fridge)"], complete=False, applied=applied))
    assert agent.status is not Status.SOLVED
    assert [fact for fact in agent.belief if "apple_1" in fact] == ["(inside apple_1 fridge)"]
    assert surprises(events)[0] == "(on apple_1 kitchentable) was expected to be true"


def test_it_is_done_only_as_long_as_nothing_shows_that_it_is_not() -> None:
    """The goal counts as reached once it is probable enough; a sensor that cannot be wrong shows that it is not."""
    agent = Agent(replace(household(), sensing=NoisySensing(0.3, 0.0)), method="llm-replan")
    others = ["(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)", "(on apple_1 bathroomcounter)"]
    for _ in range(12):
        agent.act(ObservationReport(false=others, complete=False))
    agent.act(ObservationReport(false=["(on apple_1 kitchentable)"], complete=False))
    assert agent.status is Status.SOLVED and 0.95 < agent.belief["(on apple_1 kitchentable)"] < 1
    assert agent.act(ObservationReport(true=others[:1], complete=False)) is not None
    assert [fact for fact in agent.belief if "apple_1" in fact] == others[:1]


def test_what_is_probably_in_sight_and_not_named_is_not_ruled_out() -> None:
    domain = """(define (domain dim) (:predicates (lit) (there) (ready) (done))
        (:action wait :parameters () :precondition (and) :effect (ready))
        (:action take :parameters () :precondition (and (lit) (there)) :effect (done)))"""
    problem = "(define (problem p) (:domain dim) (:init (lit) (there)) (:goal (done)))"
    sensors = """(define (sensors s) (:domain dim) (:hidden (lit) (there))
        (:sense (lit) :when (and) (:accuracy 0.8)) (:sense (there) :when (lit)))"""
    agent = Agent(
        read_task(Text(domain), Text(problem), Text(sensors)), method="llm-replan", options={"move_rate": 0.0}
    )
    agent.act(ObservationReport(true=["(lit)"]))
    agent.act(ObservationReport(true=["(lit)"], action="(wait)"))
    assert agent.belief["(lit)"] == pytest.approx(16 / 17, abs=1e-6)
    assert agent.belief["(there)"] == pytest.approx(0.2)  # twice overlooked, if it was lit


@pytest.mark.data
def test_a_thing_that_was_overlooked_where_it_was_is_there_alone() -> None:
    case = shared_data("../cases/pddl/belief-two-places")
    files = (case / f"{name}.pddl" for name in ("domain", "problem", "sensors"))
    agent = Agent(*files, method="look-nearest", options={"move_rate": 0.0})
    here, there = ["(in t0 l0)"], ["(in t1 l2)"]
    walk: list[tuple[str | None, list[str]]] = [(None, []), *[("(wait l0)", [])] * 5, ("(go l0 l2)", there)]
    walk += [*[("(wait l2)", there)] * 4, ("(grab t1 l2)", []), ("(go l2 l1)", []), ("(go l1 l0)", here)]
    for did, seen in [*walk, ("(go l0 l1)", []), ("(put t1 l1)", ["(in t1 l1)"])]:
        agent.act(ObservationReport(true=seen, action=did, complete=True))
        for thing in ("t0", "t1"):
            assert sum(chance for fact, chance in agent.belief.items() if f"(in {thing} " in fact) < 1 + 1e-5
    assert agent.belief == {"(in t0 l0)": 1, "(in t1 l1)": 1} and agent.status is None


class Reticent(Robot):
    """It names what it sees, and never says that this is all."""

    def _told(self, observation: Observation) -> ObservationReport:
        return replace(super()._told(observation), complete=False)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-greedy"])
def test_an_agent_whose_reports_are_never_complete_looks_elsewhere_too(method: str) -> None:
    agent, robot = Agent(household(DEMO), method=method), Reticent(household(DEMO))
    run(agent, robot)
    assert agent.status is Status.SOLVED, agent.reason


def test_what_is_in_sight_and_not_named_becomes_less_likely() -> None:
    agent, robot = Agent(household(), method="llm-replan"), Robot(household())
    agent.act(replace(robot.look(), complete=False))
    before = agent.belief["(on apple_1 kitchentable)"]
    agent.act(ObservationReport(complete=False))  # it is in the kitchen now
    odds = [chance / (1 - chance) for chance in (before, agent.belief["(on apple_1 kitchentable)"])]
    assert 0 < odds[1] < odds[0]


def test_an_effect_that_an_erring_sensor_misses_took_place() -> None:
    agent = Agent(replace(household(), sensing=NoisySensing(0.1, 0.01)), method="llm-replan")
    robot = Robot(household())
    seen = robot.look()
    while (action := agent.act(seen)) is not None:
        seen = robot.do(action)
        if str(action).startswith("(put-on"):
            seen = replace(seen, true=[], false=["(on apple_1 kitchentable)"])
    assert (agent.status, robot.did[-1][:7]) == (Status.SOLVED, "(put-on"), agent.reason


def test_what_is_not_hidden_may_change_as_well() -> None:
    robot, agent, events, seen = at_the_fridge()
    action = agent.act(ObservationReport(true=seen.true, false=["(opened fridge)"]))  # it did not open
    assert str(action) == "(open-container fridge)"
    action = agent.act(robot.look())
    action = agent.act(
        ObservationReport(true=["(near kitchentable)"], false=["(near fridge)"], complete=False, applied=False)
    )
    assert str(action) == "(walk-to-place fridge kitchen)"
    assert "(near fridge) was true" in surprises(events)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan"])
def test_a_door_that_is_found_locked_is_planned_around(method: str) -> None:
    """Nothing locks a door or jams it, and none is locked initially; the ways between rooms never change."""
    events: Events = []
    agent = Agent(*map(Text, (DOORS, ROOMS, BOOK_SOMEWHERE)), method=method, emit=events.append)
    book = ["(at book study)"]
    assert str(agent.act(ObservationReport(true=book, complete=False))) == "(walk hall study front)"
    found = ObservationReport(true=["(locked front)"], applied=False)
    assert str(agent.act(found)) == "(walk hall attic side)"
    agent.act(ObservationReport())
    assert agent.action == "(walk attic study far)"  # shorter than with the key, which is in the attic
    agent.act(ObservationReport(true=["(JAMMED far)"], applied=False))
    assert agent.action == "(take key attic)"
    assert agent.act(ObservationReport(true=["(jammed front)"])) is None
    assert agent.reason.startswith("(held book) of the goal can never become true")
    assert surprises(events) == ["(locked front) was false", "(jammed far) was false", "(jammed front) was false"]
    assert agent.act(ObservationReport(false=["(jammed far)"])) is not None
    with pytest.raises(InputError, match="'hall' is of type room; expected type door"):
        agent.act(ObservationReport(true=["(locked hall)"]))
    refuted = ObservationReport(false=["(leads far attic study)", "(jammed front)"], applied=False)
    assert str(agent.act(refuted)) == "(walk attic hall side)"


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan"])
def test_an_undeclared_object_is_grounded_with_the_task(method: str) -> None:
    robot, agent, events = at_home(method)
    agent.act(robot.look())
    seen = robot.do(TO_FRIDGE[0])
    shown = [*seen.true, "(on mug_7 kitchentable)"]
    with pytest.raises(InputError, match=r"there is no object mug_7; a new one is named with its type"):
        agent.act(ObservationReport(true=shown))
    with pytest.raises(InputError, match=r"mug"):
        agent.act(ObservationReport(true=shown, objects={"mug_7": "mug"}))
    assert len(agent.history) == 1
    action = agent.act(ObservationReport(true=shown, objects={"mug_7": "movable"}))
    assert agent.belief["(on mug_7 kitchentable)"] == 1.0
    assert surprises(events) == ["mug_7 - movable was not declared"]
    for _ in range(20):
        if action is not None:
            action = agent.act(ObservationReport(true=[*robot.do(action).true, "(on mug_7 kitchentable)"]))
    assert agent.status is Status.SOLVED
    steps = [event["step"] for event in events if event["event"] == "step"]
    assert steps == list(range(1, len(robot.did) + 1))


def test_a_robot_may_report_another_action() -> None:
    robot, agent, _, seen = at_the_fridge()
    assert str(agent.act(seen)) == GRAB
    away = robot.do("(walk-to-place kitchencabinet kitchen)")
    action = agent.act(ObservationReport(true=away.true, action="(walk-to-place kitchencabinet kitchen)"))
    assert str(action) == "(walk-to-place fridge kitchen)"


def test_the_caller_may_judge_the_goal() -> None:
    agent, _ = agent_for(household())
    assert agent.act(ObservationReport(goal_reached=True)) is None
    assert agent.status is Status.SOLVED
    agent, _ = agent_for(household())
    assert agent.act(ObservationReport(true=["(on apple_1 kitchentable)"], goal_reached=False)) is None
    assert agent.status is Status.UNSOLVED
    assert agent.reason == "every condition of the goal is known to hold: which one does not?"


def test_what_names_nothing_is_refused_and_changes_nothing() -> None:
    agent, events = agent_for(household())
    for seen, message in [
        (ObservationReport(true=["(on aple_1 kitchentable)"]), r"no object aple_1 \(did you mean 'apple_1'\?\)"),
        (ObservationReport(true=["(onn apple_1 kitchentable)"]), r"no predicate onn \(did you mean 'on'\?\)"),
        (ObservationReport(true=["on apple_1 kitchentable"]), "is not a fact"),
        (ObservationReport(true=["(on apple_1)"]), "on has 2 arguments, not 1"),
        (ObservationReport(true=["(on apple_1 plate_1)"]), "'plate_1' is of type movable; expected type surface"),
        (ObservationReport(action="(fly kitchen)"), "no action fly"),
        (ObservationReport(action="(walk-to-room apple_1)"), "is not an action of this task"),
    ]:
        with pytest.raises(InputError, match=message):
            agent.act(seen)
    assert not agent.history and not events
    assert agent.act(ObservationReport(true=["(openable fridge)", "(ON Toothbrush_1 BathroomCounter)"])) is not None


def test_what_is_derived_may_be_seen_where_the_task_does_without(tmp_path: Path) -> None:
    """It never changes (linked), or nothing needs it (dark)."""
    domain = derived_problems.DOMAIN.replace(" :precondition (all-dark)", "")
    plain = derived_problems.PROBLEM.replace(" (not (dark l3)) (dark l1)", "")
    task = ground(derived_problems.read(tmp_path, domain, plain))
    names, told = AgentNames(task), ["(linked l1 p1)", "(dark l1)", "(powered l2)"]
    powered = next(fact for fact in range(task.fact_count) if str(task.fact_step(fact)) == "(powered l2)")
    assert names.readings(ObservationReport(true=told)) == {powered: True}
    assert names.readings(ObservationReport(false=["(linked l1 l3)", "(dark l2)"])) == {}
    for wrong in (ObservationReport(true=["(linked l1 l3)"]), ObservationReport(false=["(linked l1 p1)"])):
        with pytest.raises(InputError, match="can never be the case in this task"):
            names.readings(wrong)


@pytest.mark.parametrize(("wrong", "message"), [
    (lambda: Agent(household(), method="gbfs"), "gbfs does not act step by step"),
    (lambda: Agent(household(), options={"observable": True}), "llm-mcts does not act"),
    (lambda: Agent(HOUSEHOLD / "domain.pddl"), "give one problem"),
    (lambda: Agent(household(), options={"simulation": 3}), "there is no setting simulation"),
    (lambda: Agent(household(), tries=0), "tries must be at least 1, not 0"),
    (lambda: ObservationReport(true="(on a b)"), "must be a list of facts"),
    (lambda: ObservationReport(true=["(on a b)"], false=["(on a b)"]), "cannot be seen to be both true and false"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        wrong()


def test_a_limit_on_steps_holds() -> None:
    task = household(DEMO)
    agent, _ = agent_for(task, max_steps=2)
    run(agent, robot := Robot(task))
    assert len(robot.did) == 2
    assert (agent.status, agent.reason) == (Status.UNSOLVED, "the limit of 2 steps (--max-steps) is reached")


def test_two_threads_in_one_agent_are_an_error() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(event: Event) -> None:
        inside.set()
        assert go_on.wait(60)

    agent = Agent(household(), method="llm-replan", emit=wait)
    thread = threading.Thread(target=agent.act)
    thread.start()
    assert inside.wait(60)
    for use in (agent.act, lambda: agent.save("agent.json")):
        with pytest.raises(UsageError, match="another thread uses this agent"):
            use()
    go_on.set()
    thread.join()
    assert len(agent.history) == 1
    assert agent.act() is not None
