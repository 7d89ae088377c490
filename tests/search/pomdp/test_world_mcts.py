"""The search among worlds reaches the goal in every world by knowable facts alone; plans in hindsight."""

import itertools
import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from commonsense_planning import (
    Belief,
    BestFirst,
    Environment,
    Request,
    Status,
    Task,
    Text,
    Verdict,
    method_named,
    read_task,
    solve,
)
from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.pddl.packs import task_files
from commonsense_planning.pddl.reader import read_problem, with_text
from commonsense_planning.pddl.variants import spelt, with_world
from commonsense_planning.pddl.worlds import parts_of
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.world_mcts import WorldMcts
from commonsense_planning.validation.replay import replay

SMALL = ("wumpus:cave-3", "medical:ward-3", "medical:ward-6", "colour-balls:yard-2")
METHODS = ("llm-mcts", "llm-mcts policy", "llm-mcts prior", "llm-replan")  # and what is uniform


@cache
def worlds(name: str) -> tuple[Task, ...]:
    """The contingent problem in each of its worlds, or in 20 of them, drawn by the seeds from 0 on."""
    task, (domain, (file,)) = read_task(name), task_files(name)
    open_problem = read_problem(domain, file)
    parts = parts_of(open_problem.contingent, lambda atom: spelt(open_problem, atom))
    if math.prod(len(part.worlds) for part in parts) > 20:
        return tuple(read_task(name, seed=seed) for seed in range(20))
    rows = itertools.product(*(part.worlds for part in parts))
    true = [[str(a) for part, row in zip(parts, one, strict=True) for a in np.array(part.atoms)[row]] for one in rows]
    return tuple(replace(task, problem=with_text(open_problem, with_world(open_problem, some))) for some in true)


def steps(task: Task, method: str) -> list[tuple[str, tuple[str, ...]]]:
    """What was done, and what was seen then."""
    events: list[dict[str, Any]] = []
    name, *uniform = method.split()
    chosen = method_named(name)
    options = chosen.Options.of(chosen.Options.among({"simulations": 20}) | dict.fromkeys(uniform, "uniform"))
    solution = solve(Request(task, chosen, options, emit=events.append))
    assert solution.status is Status.SOLVED
    assert replay(task.problem, solution.plan).verdict is Verdict.VALID
    return [(event["action"], tuple(event["seen"])) for event in events if event["event"] == "step"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SMALL)
def test_the_goal_is_reached_in_every_world_without_using_hidden_facts(name: str, method: str) -> None:
    logs = [steps(task, method) for task in worlds(name)]
    for one, other in itertools.combinations(logs, 2):
        for (action, seen), (action_there, seen_there) in zip(one, other, strict=False):
            assert action == action_there, "what was seen before was the same"
            if seen != seen_there:
                break


def planted(name: str, **options: int) -> WorldMcts:
    task, compiled = worlds(name)[0].seen_in_part
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, Environment(compiled, task.init).look())
    return WorldMcts(task, compiled, belief, MacroMctsOptions(**options), np.random.default_rng(0))


def test_the_worlds_of_a_decision_are_all_of_them_where_they_are_few() -> None:
    search = planted("medical:ward-6")
    assert search.draw_worlds() == pytest.approx([1 / 6] * 6)
    history = search.root_history()
    assert not search.compiled.hidden[: len(search.belief.truth)].all()
    assert (np.unique(history.states, axis=0) == np.sort(history.states, axis=0)).all()


def test_worlds_that_are_drawn_settle_nothing_that_they_happen_to_agree_on() -> None:
    search = planted("colour-balls:yard-2", worlds=2)
    search.draw_worlds()
    known = search.root_history().states[0][search.compiled.half :]
    assert (known == search.belief.state()[search.compiled.half :]).all()


def test_values_are_the_expected_costs_of_the_branches() -> None:
    search = planted("medical:ward-3", simulations=50)
    root = search.search()
    best = search.best(root)
    # a sample, a test and a look (3), then for one illness in three the remedy, for the others all of it again
    assert root.values[best] == pytest.approx(3 + (1 + 4 + 4) / 3)
    assert root.cost == pytest.approx(6)


def test_an_observe_action_is_a_look_that_ends_the_way_to_its_precondition() -> None:
    search = planted("wumpus:cave-3")
    search.draw_worlds()
    ground = worlds("wumpus:cave-3")[0].seen_in_part[0]
    courses = search.courses(search.root_history())
    told = {tuple(str(ground.step(o)) for o in course.operators) for course in courses}
    assert told == {("(walk aa ab)", "(sniff ab)"), ("(walk aa ba)", "(sniff ba)")}
    assert [round(course.gain, 9) for course in courses] == [round(4 / 9, 9)] * 2, "two of three worlds smell"
    for course in courses:
        assert sorted(len(history.members) for history in course.after) == [1, 2]


DOMAIN = """(define (domain traps) (:requirements :adl :constraints)
  (:types spot snare) (:predicates (at ?s - spot) (way ?a ?b - spot) (lies ?t - snare ?s - spot))
  (:action go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b))))"""

PROBLEM = """(define (problem p) (:domain traps) (:objects a b c d - spot snare - snare)
  (:init (at a) (way a b) (way b d) (way a c) (way c d) (lies snare b)) (:goal (at d))
  (:constraints (and (always (not (exists (?s - spot) (and (at ?s) (lies snare ?s))))))))"""


@pytest.mark.parametrize("groups", ["(:exactly-one ?t - snare (lies ?t ?s - spot))", ""])
def test_plans_avoid_a_hidden_obstacle_where_the_sampled_world_has_it(groups: str) -> None:
    hidden = "(:hidden (lies ?t - snare ?s - spot))"
    sensors_text = Text(f"(define (sensors traps) (:domain traps) {hidden} {groups})")
    pack = read_task(Text(DOMAIN), Text(PROBLEM), sensors_text)
    task, sensors = ground_pomdp(pack.problem, pack.sensors)
    compiled = compile_task(task, sensors)
    belief = Belief(compiled, uniform_prior(sensors))
    belief.update(None, Environment(compiled, task.init).look())
    hindsight = HindsightPlanner(task, BestFirst(compiled), belief, np.random.default_rng(0))

    numbers = {str(task.fact_step(f)): f for f in range(task.fact_count)}
    for trap, way in (("b", "(go a c)"), ("c", "(go a b)"), ("a", None)):
        world = belief.truth.copy()
        world[numbers[f"(lies snare {trap})"]] = True
        plan = hindsight.plan(belief.state(world))
        assert (None if plan is None else str(task.step(plan.first))) == way

    if not groups:
        return  # of what is in no group, only the likeliest is sampled: false
    situation = Situation(belief.truth, belief.known, np.zeros(0, np.int32), ())
    assert {str(task.step(o)) for o in hindsight.first_operators(situation, 30)} == {"(go a b)", "(go a c)"}
