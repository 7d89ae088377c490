"""Whole episodes: agents solve the shipped household, repeat with the seed, respect limits and interrupts."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.methods.episode import PlanningEpisode
from commonsense_planning.methods.episode_context import SPARE
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HOUSEHOLD, World, small_apple

PROBLEMS = sorted((HOUSEHOLD / "problems").glob("*.pddl"))
HARD = {"missing-salmon", "unlikely-remote"}  # nowhere; where the table of common sense puts it last


def solved(problem: Path, method: str, **settings: Any) -> tuple[Solution, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    seed = settings.pop("seed", 0)
    chosen, task = method_named(method), read_task(problem.parents[1] / "domain.pddl", problem)
    options = chosen.Options.of(chosen.Options.among(settings))
    return solve(Request(task, chosen, options, seed=seed, emit=events.append)), events


def verdict(problem: Path, solution: Solution) -> Verdict:
    return replay(read_task(problem.parents[1] / "domain.pddl", problem).problem, solution.plan).verdict


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.stem not in HARD], ids=lambda p: p.stem)
def test_llm_replan_solves_the_household_within_thirty_steps(problem: Path) -> None:
    solution, events = solved(problem, "llm-replan", max_steps=30)
    assert solution.status == Status.SOLVED
    assert len(solution.plan) <= 30
    assert verdict(problem, solution) == Verdict.VALID
    assert [e["action"] for e in events if e["event"] == "step"] == [str(s) for s in solution.plan]
    end = {"event": "end", "status": "solved", "steps": len(solution.plan), "reason": "", "notes": []}
    assert events[-1] == end


def test_the_remote_in_the_fridge_is_found_in_the_end() -> None:
    problem = HOUSEHOLD / "problems" / "unlikely-remote.pddl"
    solution, _ = solved(problem, "llm-replan", max_steps=60)
    assert solution.status == Status.SOLVED
    assert verdict(problem, solution) == Verdict.VALID


def test_what_is_missing_is_given_up_with_a_note() -> None:
    problem = HOUSEHOLD / "problems" / "missing-salmon.pddl"
    solution, events = solved(problem, "llm-replan", max_steps=80)
    assert solution.status == Status.UNSOLVED
    assert solution.reason.startswith("salmon is in none of the 29 places; the true world has no plan either: ")
    assert len(solution.plan) < 80
    notes = [note for event in events for note in event.get("notes", ())]
    assert notes[-1] == "salmon: is in none of the places where it could be"
    assert set(notes[:-1]) == {"salmon: not found where it is likely; the model is asked again"}


@pytest.mark.parametrize(
    ("method", "more"), [("llm-mcts", {}), ("uct", {}), ("llm-replan", {}), ("llm-mcts", {"observable": True})]
)
def test_equal_seeds_give_equal_traces(method: str, more: dict[str, Any]) -> None:
    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    settings = {"simulations": 20, "max_steps": 6, **more}
    one, events = solved(problem, method, **settings)
    other, again = solved(problem, method, **settings)
    assert events == again
    assert (one.plan, one.status, one.usage) == (other.plan, other.status, other.usage)
    assert json.loads(json.dumps(events)) == events  # a trace is plain data
    assert [e["event"] for e in events] == ["start", *["step"] * (len(events) - 2), "end"]


def test_other_seeds_give_other_walks() -> None:
    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    walks = {str(solved(problem, "uct", simulations=5, max_steps=6, seed=seed)[0].plan) for seed in range(4)}
    assert len(walks) > 1


def test_traces_do_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    _, events = solved(problem, "llm-mcts", simulations=10, max_steps=4)
    ticks = itertools.count(0, 1000)
    for clock in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, clock, lambda: float(next(ticks)))
    _, slow = solved(problem, "llm-mcts", simulations=10, max_steps=4)
    assert slow == events


def test_llm_mcts_solves_the_small_household() -> None:
    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    solution, events = solved(problem, "llm-mcts", simulations=30)
    assert solution.status == Status.SOLVED
    assert verdict(problem, solution) == Verdict.VALID
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
    say = Verbaliser(world.task, world.pack.lexicon)
    agent = ScriptedAgent(world, *actions)
    return PlanningEpisode(world.environment, agent, world.belief, say, events.append, world.belief.take_notes), events


TO_FRIDGE = ("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")


def test_an_interrupt_keeps_what_was_done() -> None:
    world = small_apple()
    run, events = episode(world, *TO_FRIDGE[:2], KeyboardInterrupt)
    result = run.run(world.first, 30)
    assert result.status == Status.INTERRUPTED
    assert result.operators == tuple(world.operators[a] for a in TO_FRIDGE[:2])
    assert [e["event"] for e in events] == ["step", "step", "end"]
    assert events[-1] == {"event": "end", "status": "interrupted", "steps": 2, "reason": "interrupted", "notes": []}


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


DOMAIN = """
(define (domain boxes)
  (:requirements :strips :typing :negative-preconditions)
  (:types box thing)
  (:predicates (at ?b - box) (opened ?b - box) (inside ?t - thing ?b - box) (held ?t - thing))
  (:action go :parameters (?a ?b - box) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b)))
  (:action open :parameters (?b - box) :precondition (and (at ?b) (not (opened ?b))) :effect (opened ?b))
  (:action take :parameters (?t - thing ?b - box) :precondition (and (at ?b) (opened ?b) (inside ?t ?b))
    :effect (and (held ?t) (not (inside ?t ?b)))))
"""
SENSORS = """
(define (sensors boxes)
  (:domain boxes)
  (:hidden (inside ?t - thing ?b - box))
  (:exactly-one ?t - thing (inside ?t ?b - box))
  (:sense (inside ?t - thing ?b - box) :when (and (at ?b) (opened ?b))))
"""


def request(boxes: int, method: str = "look-nearest", **settings: Any) -> Request:
    """A row of boxes, one of which, the last, has the thing."""
    names = " ".join(f"b{number}" for number in range(boxes))
    facts = f"(:init (at b0) (inside key b{boxes - 1})) (:goal (held key))"
    problem = Text(f"(define (problem row) (:domain boxes) (:objects {names} - box key - thing) {facts})")
    task = read_task(Text(DOMAIN), problem, sensors=Text(SENSORS))
    chosen = method_named(method)
    return Request(task, chosen, chosen.Options.of(chosen.Options.among(settings)))


def limit(request: Request, given: int | None = None) -> int:
    return SimulatedEpisode(request).step_limit(given)


def test_the_limit_that_is_given_holds() -> None:
    assert limit(request(4), 7) == 7
    solution = solve(request(4, max_steps=1))
    assert solution.status is Status.UNSOLVED
    assert "the limit of 1 step (--max-steps) is reached" in solution.reason


def test_the_default_limit_allows_to_look_at_everything_twice() -> None:
    few, many = (limit(request(boxes)) for boxes in (4, 24))
    steps_a_box = 2  # go there, open it
    assert few >= SPARE + 2 * (4 * steps_a_box - 1)
    assert many - few == 2 * steps_a_box * (24 - 4)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-greedy", "look-nearest"])
def test_what_is_nowhere_ends_by_looking_at_everything_not_at_the_limit(method: str) -> None:
    task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "missing-salmon.pddl")
    chosen = method_named(method)
    solution = solve(Request(task, chosen, chosen.Options()))
    assert solution.status is Status.UNSOLVED
    assert "in none of the 29 places" in solution.reason


@pytest.mark.parametrize("method", ["llm-mcts", "llm-mcts-paper", "uct", "llm-replan"])
def test_a_fact_outside_of_all_groups_may_be_true(method: str) -> None:
    actions = "(:action see :observe (p)) (:action go :precondition (p) :effect (g))"
    problem = "(define (problem q) (:domain d) (:init (unknown (p))) (:goal (g)))"
    task = read_task(Text(f"(define (domain d) (:predicates (p) (g)) {actions})"), Text(problem), seed=1)
    assert task.drawn == ("(p)",)
    assert solve(Request(task, method_named(method))).status is Status.SOLVED
