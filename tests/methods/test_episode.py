"""Whole episodes: agents solve the shipped household, repeat with the seed, respect limits and interrupts."""

import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.methods.episode import Actor, PlanningEpisode
from commonsense_planning.methods.episode_context import SPARE
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import solve
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests import tiny
from tests.scripted import HOUSEHOLD, World, small_apple, solved

PROBLEMS = sorted(path.stem for path in (HOUSEHOLD / "problems").glob("*.pddl"))
STEPS = {"missing-salmon": 0, "unlikely-remote": 60}  # nowhere; where the table of common sense puts it last


@pytest.fixture(scope="module")
def apple() -> Task:
    return read_task("household:small-apple")


@pytest.mark.parametrize("problem", [name for name in PROBLEMS if STEPS.get(name, 30)])
def test_llm_replan_solves_the_household_within_thirty_steps(problem: str) -> None:
    task, most = read_task(f"household:{problem}"), STEPS.get(problem, 30)
    solution, events = solved(task, "llm-replan", max_steps=most)
    assert solution.status == Status.SOLVED
    assert len(solution.plan) <= most
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID
    assert [e["action"] for e in events if e["event"] == "step"] == [str(s) for s in solution.plan]
    end = {"event": "end", "status": "solved", "steps": len(solution.plan), "reason": "", "notes": []}
    assert events[-1] == end


CUPBOARDS = """(define (domain cupboards) (:types place thing - object cupboard shelf - place key - thing)
(:predicates (at ?p - place) (in ?t - thing ?p - place) (holding ?t - thing) (open ?c - cupboard))
(:action walk :parameters (?p ?q - place) :precondition (at ?p) :effect (and (at ?q) (not (at ?p))))
(:action unlock :parameters (?c - cupboard ?k - key) :precondition (and (at ?c) (holding ?k)) :effect (open ?c))
(:action take :parameters (?t - thing ?p - shelf) :precondition (and (at ?p) (in ?t ?p)) :effect (holding ?t))
(:action take-out :parameters (?t - thing ?p - cupboard) :precondition (and (at ?p) (open ?p) (in ?t ?p))
 :effect (holding ?t)))"""
HIDDEN = """(define (sensors cupboards) (:domain cupboards) (:hidden (in ?t ?p)) (:exactly-one ?t - thing (in ?t ?p))
(:sense (in ?t - thing ?p - shelf) :when (at ?p)) {})"""
OPENED = "(:sense (in ?t - thing ?p - cupboard) :when (and (at ?p) (open ?p)))"
APPLE = """(define (problem p) (:domain cupboards) (:objects apple - thing k - key s1 s2 - shelf c1 c2 - cupboard)
(:init (at s1) (in apple c1) (in k {})) (:goal (holding apple)))"""
BAR = """(define (domain bar) (:requirements :probabilistic-effects :negative-preconditions)
(:predicates (held ?g) (broken ?g) (full ?g))
(:action take :parameters (?g) :precondition (not (broken ?g)) :effect (probabilistic 0.01 (held ?g) 0.99 (broken ?g)))
(:action fill :parameters (?g) :precondition (and (held ?g) (not (broken ?g))) :effect (full ?g)))"""
GLASS = "(define (problem p) (:domain bar) (:objects g) (:init) (:goal (full g)))"


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-nearest"])
@pytest.mark.parametrize(("texts", "reasons"), [
    ((CUPBOARDS, APPLE.format("c2"), HIDDEN.format(OPENED)), [
        "2 of 4 places ruled out for apple; (in apple c1) and (in apple c2) may still hold, and seeing that needs (",
        "2 of 4 places ruled out for k; ", "the true world has no plan either",
    ]),
    ((CUPBOARDS, APPLE.format("s2"), HIDDEN.format("")), [
        "(in apple c1) and (in apple c2) may still hold, and no sensor shows that",
    ]),
    ((BAR, GLASS), [
        "step 1, (take g), ended in (broken g); since then (full g) of the goal can never become true",
    ]),
])  # fmt: skip
def test_an_agent_that_gives_up_tells_what_hides_the_thing_or_which_outcome_ended_it(
    texts: tuple[str, ...], reasons: list[str], method: str
) -> None:
    found = solve(Request(read_task(*map(Text, texts)), method))
    assert found.status is Status.UNSOLVED
    assert [reason for reason in reasons if reason not in found.reason] == [], found.reason
    told = found.reason.endswith("; the true world has a plan with other outcomes, which was not found")
    assert told == (texts[0] is BAR and method == "look-nearest")  # it tells that the goal can never become true


def test_what_is_missing_is_given_up_with_a_note() -> None:
    solution, events = solved(read_task("household:missing-salmon"), "llm-replan", max_steps=80)
    assert solution.status == Status.UNSOLVED
    assert solution.reason.startswith("salmon is in none of the 29 places; the true world has no plan either: ")
    assert len(solution.plan) < 80
    notes = [note for event in events for note in event.get("notes", ())]
    assert notes[-1] == "salmon: is in none of the places where it could be"
    assert set(notes[:-1]) == {"salmon: not found where it is likely; the model is asked again"}


@pytest.mark.parametrize(
    ("method", "more"), [("llm-mcts", {}), ("uct", {}), ("llm-replan", {}), ("llm-mcts", {"observable": True})]
)
def test_equal_seeds_give_equal_traces_whatever_the_clock_says(
    method: str, more: dict[str, Any], apple: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"simulations": 20, "max_steps": 6, **more}
    one, events = solved(apple, method, **settings)
    ticks = itertools.count(0, 1000)
    for clock in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, clock, lambda: float(next(ticks)))
    other, again = solved(apple, method, **settings)
    assert events == again
    assert (one.plan, one.status, one.usage) == (other.plan, other.status, other.usage)
    assert json.loads(json.dumps(events)) == events  # a trace is plain data
    assert [e["event"] for e in events] == ["start", *["step"] * (len(events) - 2), "end"]


def test_other_seeds_give_other_walks(apple: Task) -> None:
    walks = {str(solved(apple, "uct", simulations=5, max_steps=6, seed=seed)[0].plan) for seed in range(4)}
    assert len(walks) > 1


def test_llm_mcts_solves_the_small_household(apple: Task) -> None:
    solution, events = solved(apple, "llm-mcts", simulations=30)
    assert solution.status == Status.SOLVED
    assert replay(apple.problem, solution.plan).verdict == Verdict.VALID
    assert solution.model == "embedded"
    assert solution.usage is not None and solution.usage.questions > 0
    assert all(e["why"].get("planned") or e["why"]["visits"] > 0 for e in events if e["event"] == "step")


class ScriptedAgent:
    """Does what is scripted; raises what is scripted."""

    def __init__(self, world: World, *actions: str | type[BaseException] | None) -> None:
        self.world = world
        self.actions = list(actions)

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        if report is not None:
            report(1)
        action = self.actions.pop(0)
        if isinstance(action, type):
            raise action
        if action is None:
            return Decision(None, {"reason": "no idea"})
        return Decision(self.world.operators[action], {})

    def observe(self, operator: int, observation: Observation) -> None:
        self.world.belief.update(operator, observation)


def episode(world: World, *actions: str | type[BaseException] | None) -> tuple[PlanningEpisode, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    belief = world.belief
    actor = Actor(ScriptedAgent(world, *actions), belief, world.say, events.append, belief.take_notes)
    return PlanningEpisode(world.environment, actor), events


TO_FRIDGE = ("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")


def test_an_interrupt_keeps_what_was_done() -> None:
    world = small_apple()
    run, events = episode(world, *TO_FRIDGE[:2], KeyboardInterrupt)
    result = run.run(world.first, 30)
    assert result.status == Status.INTERRUPTED
    assert result.operators == tuple(world.operators[a] for a in TO_FRIDGE[:2])
    assert [e["event"] for e in events] == ["step", "step"]


def test_a_step_tells_what_was_found() -> None:
    world = small_apple()
    run, events = episode(world, *TO_FRIDGE, None)
    result = run.run(world.first, 30)
    assert (result.status, result.reason) == (Status.UNSOLVED, "no idea")
    assert [e["seen"] for e in events[:3]] == [[], [], ["(inside apple_1 fridge)"]]
    assert events[2]["says"] == "open the fridge"
    assert events[2]["action"] == "(open-container fridge)"


def test_out_of_time_ends_the_episode() -> None:
    world = small_apple()
    run, _ = episode(world, *TO_FRIDGE)
    clock = itertools.count()

    def check() -> None:
        if next(clock) >= 5:  # before a decision, and within it
            raise BudgetError("the time is up")

    result = run.run(world.first, 30, check)
    assert (result.status, len(result.operators)) == (Status.BUDGET, 2)


def test_the_episode_ends_at_the_goal() -> None:
    world = small_apple()
    last = ("grab-from-container apple_1 fridge", "walk-to-place kitchentable kitchen", "put-on apple_1 kitchentable")
    run, _ = episode(world, *TO_FRIDGE, *last, AssertionError)
    result = run.run(world.first, 6)
    assert (result.status, len(result.operators)) == (Status.SOLVED, 6)


def test_what_cannot_be_done_counts_as_a_step_that_was_tried() -> None:
    run, _ = episode(world := small_apple(), *TO_FRIDGE[2:] * 2, AssertionError)
    result = run.run(world.first, 2)
    assert (result.operators, result.reason) == ((), "the limit of 2 steps (--max-steps) is reached")


def test_nothing_is_done_where_the_goal_holds_already() -> None:
    world = small_apple()
    run, _ = episode(world, AssertionError)
    result = run.run(Observation(goal_reached=True), 6)
    assert (result.status, result.operators) == (Status.SOLVED, ())
    run, _ = episode(world, None)
    run.must_know = True  # which the agent does not
    assert run.run(Observation(goal_reached=True), 6).status is Status.UNSOLVED


def boxes(count: int) -> Task:
    """Many boxes, of which the last has the ball."""
    names = " ".join(f"b{number}" for number in range(count))
    facts = f"(:init (in ball b{count - 1})) (:goal (held ball))"
    problem = Text(f"(define (problem row) (:domain boxes) (:objects {names} - box ball - ball) {facts})")
    return read_task(Text(tiny.DOMAIN), problem, sensors=Text(tiny.SENSORS))


def limit(task: Task, given: int | None = None) -> int:
    return SimulatedEpisode(Request(task, "look-nearest")).step_limit(given)


def test_the_limit_that_is_given_holds() -> None:
    assert limit(boxes(4), 7) == 7
    solution, _ = solved(boxes(4), "look-nearest", max_steps=1)
    assert solution.status is Status.UNSOLVED
    assert "the limit of 1 step (--max-steps) is reached" in solution.reason


def test_the_default_limit_allows_to_look_at_everything_twice() -> None:
    few, many = (limit(boxes(count)) for count in (4, 24))
    assert few >= SPARE + 2 * 4  # each is opened
    assert many - few == 2 * (24 - 4)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-greedy", "look-nearest"])
def test_what_is_nowhere_ends_by_looking_at_everything_not_at_the_limit(method: str) -> None:
    solution, _ = solved(read_task("household:missing-salmon"), method)
    assert solution.status is Status.UNSOLVED
    assert "in none of the 29 places" in solution.reason


@pytest.mark.parametrize("method", ["llm-mcts", "llm-mcts-paper", "uct", "llm-replan"])
def test_a_fact_outside_of_all_groups_may_be_true(method: str) -> None:
    actions = "(:action see :observe (p)) (:action go :precondition (p) :effect (g))"
    problem = "(define (problem q) (:domain d) (:init (unknown (p))) (:goal (g)))"
    task = read_task(Text(f"(define (domain d) (:predicates (p) (g)) {actions})"), Text(problem), seed=1)
    assert task.drawn == ("(p)",)
    assert solved(task, method)[0].status is Status.SOLVED
