"""The search among worlds: it reaches the goal in every world, by what can be known alone."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.world_mcts import WorldMcts
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests.all_worlds import tasks

SMALL = ("wumpus:cave-3", "medical:ward-3", "medical:ward-6", "colour-balls:yard-2")
METHODS = ("llm-mcts", "llm-mcts policy", "llm-mcts prior", "llm-replan")  # and what is uniform


@cache
def worlds(name: str) -> tuple[Task, ...]:
    pack, _, problem = name.partition(":")
    return tuple(tasks(pack_named(pack).domain, pack_named(pack).problem(problem), 20))


def steps(task: Task, method: str) -> list[tuple[str, tuple[str, ...]]]:
    """What was done, and what was seen then."""
    events: list[dict[str, Any]] = []
    name, *uniform = method.split()
    chosen = method_named(name)
    options = chosen.Options.of(chosen.Options.among({"simulations": 20}) | dict.fromkeys(uniform, "uniform"))
    solution = solve(Request(task, chosen, options, emit=events.append))
    assert solution.status is Status.SOLVED
    assert solution.plan is not None
    assert replay(task.problem, solution.plan).verdict is Verdict.VALID
    return [(event["action"], tuple(event["seen"])) for event in events if event["event"] == "step"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SMALL)
def test_the_goal_is_reached_in_every_world_and_nobody_acts_on_what_he_cannot_know(name: str, method: str) -> None:
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
    assert root.costs[best] == pytest.approx(3 + (1 + 4 + 4) / 3)
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
