"""What matters for the goal: a search for it finds the same without the rest."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import BestFirst, Blind, GroundTask, Text, make_state, read_problem
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.relevance import PrunedTask, Pruning, relevant
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.kernels.engine import failed, goal_reached, is_applicable, progress
from tests.data import HOUSEHOLD
from tests.random_tasks import compiled_at, derived_tasks, task_of, tasks


def cheapest(task: GroundTask) -> tuple[int, ...] | None:
    """The operators of a cheapest plan."""
    compiled = compile_task(task)
    return BestFirst(compiled, Blind(compiled)).astar(make_state(compiled, task.init)).operators


def cost_if_plan(task: GroundTask, operators: list[int]) -> int | None:
    """What the operators cost; None if they are no plan."""
    compiled, state = compiled_at(task)
    for operator in operators:
        if failed(compiled.table, state) >= 0 or not is_applicable(compiled.table, state, operator):
            return None
        progress(compiled.table, state, operator)
    if failed(compiled.table, state) >= 0 or not goal_reached(compiled.table, state):
        return None
    return int(sum(task.operators.cost[o] for o in operators))


def same_cost(task: GroundTask, less: PrunedTask) -> None:
    """Without what does not matter a cheapest plan costs the same, and is one of the whole task."""
    whole = cheapest(task)
    found = cheapest(less.task)
    assert (found is None) == (whole is None)
    if found is not None and whole is not None:
        mapped = [int(less.operators[o]) for o in found]
        assert cost_if_plan(task, mapped) == cost_if_plan(task, list(whole))
        assert less.task.plan(found) == task.plan(mapped)


@given(st.one_of(tasks(), derived_tasks()))
def test_a_cheapest_plan_is_one_of_the_whole_task(task: GroundTask) -> None:
    same_cost(task, relevant(task))


def test_what_nothing_looks_at_is_left_out() -> None:
    task = task_of(4, [([0], [], [1], [0], 1), ([1], [], [2, 3], [], 1), ([], [], [3], [], 1)], [2], [0])
    less = relevant(task)
    assert less.operators.tolist() == [0, 1]
    assert [name for name, _ in less.task.facts] == ["f0", "f1", "f2"]
    assert less.task.operators.add.row(1).tolist() == [2]


def test_an_operator_that_only_makes_false_is_relevant_where_that_is_wanted() -> None:
    task = task_of(3, [([], [], [], [1], 1), ([], [1], [2], [], 1), ([], [], [], [0], 1)], [2], [0, 1])
    assert relevant(task).operators.tolist() == [0, 1]


@pytest.mark.parametrize("task", [
    task_of(2, [([], [], [0], [], 1), ([], [], [1], [], 1)], [0], failure=[1]),  # a constraint looks at the other fact
    task_of(2, [([0], [], [1], [], 1)], [1], [0]),
])  # fmt: skip
def test_where_everything_is_relevant_the_task_is_the_same(task: GroundTask) -> None:
    assert relevant(task).task is task


def test_of_conditional_effects_those_stay_that_matter() -> None:
    effects = {0: ([1], [], [2], []), 1: ([1], [], [3], [])}
    task = task_of(4, [([], [], [1], [], 1), ([], [], [1], [], 1), ([], [], [3], [], 1)], [2], effects=effects)
    less = relevant(task)
    assert less.operators.tolist() == [0, 1]
    operators = less.task.operators
    assert (operators.effect_end - operators.effect_start).tolist() == [1, 0]
    assert [name for name, _ in less.task.facts] == ["f1", "f2"]
    assert operators.cond_add.row(0).tolist() == [1]


DOMAIN = """(define (domain lamps)
 (:requirements :strips :typing :negative-preconditions :derived-predicates :constraints)
 (:types lamp)
 (:predicates (on ?l - lamp) (next ?l ?m - lamp) (dusty ?l - lamp) (lit) (noticed))
 (:derived (lit) (exists (?l - lamp) (on ?l)))
 (:derived (noticed) (exists (?l - lamp) (dusty ?l)))
 (:action light :parameters (?l - lamp) :precondition (not (on ?l)) :effect (and (on ?l) (dusty ?l)))
 (:action pass :parameters (?l ?m - lamp) :precondition (and (on ?l) (next ?l ?m)) :effect (and (not (on ?l)) (on ?m)))
 (:action wipe :parameters (?l - lamp) :precondition (and (dusty ?l) (noticed)) :effect (not (dusty ?l))))"""
PROBLEM = """(define (problem dark) (:domain lamps) (:objects a b c - lamp)
 (:init (next a b) (next b c) (dusty c))
 (:goal (and (lit) (not (on a)) (not (on b))))
 (:constraints (and (sometime (on a)) (at-most-once (on c)) (sometime-before (on c) (on b)))))"""


def test_rules_and_what_remembers_for_constraints_stay() -> None:
    task = ground(read_problem(Text(DOMAIN), Text(PROBLEM)))
    less = relevant(task)
    assert {task.facts[f][0] for f in range(task.fact_count)} >= {"dusty", "noticed"}
    assert not {name for name, _ in less.task.facts} & {"dusty", "noticed"}
    assert len(less.task.monitors.bit) == len(task.monitors.bit) > 0
    assert 0 < len(less.task.rules.head) < len(task.rules.head)
    assert not any(str(step).startswith("(wipe") for step in map(less.task.step, range(less.task.operator_count)))
    plan = less.task.plan(cheapest(less.task) or ())
    assert [str(step) for step in plan.steps] == ["(light a)", "(pass a b)", "(pass b c)"]
    same_cost(task, less)


@st.composite
def moves(draw: st.DrawFn) -> GroundTask:
    """Operators that give one fact up for another, and now and then want, add or delete others: in such tasks detours
    are common."""
    facts = draw(st.integers(3, 7))
    one = st.integers(0, facts - 1)
    few = st.lists(one, max_size=1)
    operators = []
    for _ in range(draw(st.integers(1, 10))):
        given_up, got = draw(one), draw(one)
        add = sorted({got, *draw(few)})
        operators.append((sorted({given_up, *draw(few)}), [], add, sorted({given_up, *draw(few)}), draw(st.just(1))))
    return task_of(facts, operators, sorted(set(draw(st.lists(one, min_size=1, max_size=2)))), draw(few))


@given(st.one_of(moves(), tasks(least_cost=1), derived_tasks(least_cost=1)))
def test_a_cheapest_plan_costs_the_same(task: GroundTask) -> None:
    same_cost(task, Pruning(task).of(task))


HAND, HELD, OTHER_HELD, PLACED, LAID, OTHER_LAID = range(6)
GRIPPER = [
    ([HAND, LAID], [], [HELD], [HAND, LAID], 1),
    ([HELD], [], [HAND, PLACED], [HELD], 1),
    ([HAND, OTHER_LAID], [], [OTHER_HELD], [HAND, OTHER_LAID], 1),
    ([OTHER_HELD], [], [HAND, OTHER_LAID], [OTHER_HELD], 1),
]


@pytest.mark.parametrize(("task", "kept"), [
    (task_of(3, [([0], [], [1], [0], 1), ([0, 2], [], [1], [0], 1)], [1], [0, 2]), [0]),  # the second wants more
    (task_of(2, [([], [], [1], [0], 5), ([0], [], [1], [0], 1)], [1], [0]), [0, 1]),  # and costs less
    (task_of(6, GRIPPER, [PLACED], [HAND, LAID, OTHER_LAID]), [0, 1]),  # the other thing need not be lifted
])  # fmt: skip
def test_dominated_operators_are_pruned(task: GroundTask, kept: list[int]) -> None:
    assert Pruning(task).of(task).operators.tolist() == kept


def test_what_is_in_the_hand_at_first_is_laid_down() -> None:
    task = task_of(6, GRIPPER, [PLACED], [OTHER_HELD, LAID])
    less = Pruning(task).of(task)
    assert 3 in less.operators
    assert len(cheapest(less.task) or ()) == 3


def test_of_a_home_a_small_part_matters_and_other_goals_share_the_work() -> None:
    task = ground(read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl"))
    pruning = Pruning(task)
    less = pruning.of(task)
    assert less.task.operator_count < task.operator_count / 10
    names = [task.step(int(o)) for o in less.operators]
    assert [less.task.step(i) for i in range(less.task.operator_count)] == names
    assert pruning.of(replace(task, init=np.zeros_like(task.init))).task.operator_count
