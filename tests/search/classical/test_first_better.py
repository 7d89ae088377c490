"""Hill climbing by the first better successor, and what lies behind it."""

import numpy as np
import pytest

from commonsense_planning import Plan, Status, Step, Text, Verdict, read_problem
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.lifted_successors import Facts, LiftedOperator, LiftedTask
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.first_better import Climbed, FirstBetter, GoalCount
from commonsense_planning.validation.replay import replay
from tests.data import REPOSITORY
from tests.search.classical.climbing import DOMAIN

FLIGHTS = REPOSITORY / "pddl" / "flights"


class Table:
    """A value for each place."""

    def __init__(self, values: dict[str, float]) -> None:
        self._values = values
        self.called: list[str] = []

    def __call__(self, state: Facts) -> float:
        place = min(atom[1] for atom in state)
        self.called.append(place)
        return self._values[place]

    def after(self, state: Facts, added: Facts, deleted: Facts) -> float:
        return self((state - deleted) | added)


def found(
    edges: str, values: dict[str, float], goal: str, seed: int = 0, helpful: str | None = None
) -> tuple[Climbed, Table]:
    """The search from a on a graph, such as "ab bc". ``helpful``: the places that it helps to go to."""
    places, steps = " ".join(sorted(values)), " ".join(f"(way {a} {b})" for a, b in map(tuple, edges.split()))
    atoms = f"(:init (at a) {steps}) (:goal (at {goal}))"
    problem = Text(f"(define (problem p) (:domain ways) (:objects {places} - place) {atoms})")
    table = Table(values)
    task = LiftedTask(lift(read_problem(Text(DOMAIN), problem)))

    def first(state: Facts) -> list[LiftedOperator]:
        return [operator for operator in task.operators(0) if operator.arguments[1] in (helpful or "")]

    search = FirstBetter(task, table, np.random.default_rng(seed), None if helpful is None else first)
    return search.run(Limits(60)), table


def names(result: Climbed) -> list[str]:
    """Where its plan leads."""
    return [operator.arguments[1] for operator in result.plan or ()]


def test_the_first_better_successor_is_taken() -> None:
    result, table = found("ab ac ad be ce de", {"a": 3, "b": 1, "c": 2, "d": 2, "e": 0}, "e")
    assert (len(table.called), result.evaluated, result.steps, result.expanded) == (3, 3, 2, 3)
    assert names(result)[-1] == "e" and result.status is Status.SOLVED


def test_the_best_where_none_is_better_and_dead_ends_are_left() -> None:
    values = {"a": 1, "b": 3, "c": 2, "d": float("inf"), "e": 0, "f": 0.5}
    result, table = found("ab ac ad ce be af", values, "e")
    assert names(result) == ["c", "e"]
    assert set(table.called) == set(values)


def test_the_search_is_complete() -> None:
    values: dict[str, float] = {"a": 1, "b": 5, "c": 5, "d": 9, "e": 9, "f": 0}
    assert names(found("ab bc cd de ba af fa", values, "e")[0]) == ["b", "c", "d", "e"]
    result, table = found("ab bc cd ba af fa", values, "e")
    assert (result.status, result.plan, sorted(table.called)) == (Status.UNSOLVABLE, None, ["a", "b", "c", "d", "f"])


def test_helpful_operators_come_first_and_the_others_later() -> None:
    values: dict[str, float] = {"a": 3, "b": 4, "c": 4, "d": 2, "e": 0}
    edges = "ab ac bd cd ad de"
    assert found(edges, values, "e", helpful="de")[1].called == ["a", "d", "e"]
    assert names(found(edges, values, "e", helpful="bc")[0])[-1] == "e"
    assert found("ab ac bd cd ad", values, "e", helpful="")[0].status is Status.UNSOLVABLE


@pytest.mark.parametrize("problem", ["short-oslo-athens", "medium-nuuk-budapest"])
def test_counting_what_the_goal_misses(problem: str) -> None:
    read = read_problem(FLIGHTS / "domain.pddl", FLIGHTS / "problems" / f"{problem}.pddl")
    plans = []
    for seed in (1, 1):
        task = LiftedTask(lift(read))
        result = FirstBetter(task, GoalCount(task), np.random.default_rng(seed)).run(Limits(60))
        plans.append(Plan(tuple(Step(o.name, o.arguments) for o in result.plan or ())))
    assert plans[0] == plans[1]
    assert replay(read, plans[0]).verdict is Verdict.VALID


def test_a_long_way_back_is_the_same_state() -> None:
    """States are made again from what changed, also where more steps lie between than are kept whole."""
    places = [chr(97 + i // 26) + chr(97 + i % 26) for i in range(200)]
    steps = " ".join(f"(way {a} {b})" for a, b in zip(places, places[1:], strict=False))
    atoms = f"(:init (at aa) {steps} (way {places[50]} zz)) (:goal (at {places[-1]}))"
    problem = Text(f"(define (problem p) (:domain ways) (:objects {' '.join(places)} zz - place) {atoms})")
    values = {place: 1000.0 - i for i, place in enumerate(places)} | {"zz": 1.0}
    values.update(dict.fromkeys(places[100:], 2000.0))
    task = LiftedTask(lift(read_problem(Text(DOMAIN), problem)))
    result = FirstBetter(task, Table(values), np.random.default_rng(0)).run(Limits(60))
    assert names(result) == places[1:]


def test_the_time_is_up() -> None:
    task = LiftedTask(lift(read_problem(FLIGHTS / "domain.pddl", FLIGHTS / "problems" / "short-oslo-athens.pddl")))
    result = FirstBetter(task, GoalCount(task), np.random.default_rng(0)).run(Limits(0))
    assert (result.status, result.plan) == (Status.BUDGET, None)
