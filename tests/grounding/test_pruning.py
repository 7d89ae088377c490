"""What matters of a task: less of it, and a cheapest plan costs the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.pruning import Pruning
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.best_first import BestFirst
from tests.data import REPOSITORY
from tests.random_tasks import derived_tasks, task_of, tasks

HOME = REPOSITORY / "pddl" / "household"


def least(task: GroundTask) -> int | None:
    """The cost of a cheapest plan."""
    compiled = compile_task(task)
    plan = BestFirst(compiled, Blind(compiled)).astar(make_state(compiled, task.init)).operators
    return None if plan is None else int(sum(task.operators.cost[o] for o in plan))


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
    relevant = Pruning(task).of(task)
    assert least(relevant.task) == least(task)


def test_who_walks_to_the_apple_might_have_walked_to_the_table() -> None:
    task = task_of(3, [([0], [], [1], [0], 1), ([0, 2], [], [1], [0], 1)], [1], [0, 2])
    assert Pruning(task).of(task).operators.tolist() == [0]


def test_who_wants_more_and_costs_less_is_kept() -> None:
    task = task_of(2, [([], [], [1], [0], 5), ([0], [], [1], [0], 1)], [1], [0])
    assert Pruning(task).of(task).operators.tolist() == [0, 1]


HAND, HELD, OTHER_HELD, PLACED, LAID, OTHER_LAID = range(6)
GRIPPER = [
    ([HAND, LAID], [], [HELD], [HAND, LAID], 1),
    ([HELD], [], [HAND, PLACED], [HELD], 1),
    ([HAND, OTHER_LAID], [], [OTHER_HELD], [HAND, OTHER_LAID], 1),
    ([OTHER_HELD], [], [HAND, OTHER_LAID], [OTHER_HELD], 1),
]


def test_what_the_goal_does_not_want_need_not_be_lifted() -> None:
    task = task_of(6, GRIPPER, [PLACED], [HAND, LAID, OTHER_LAID])
    assert Pruning(task).of(task).operators.tolist() == [0, 1]


def test_what_is_in_the_hand_at_first_is_laid_down() -> None:
    task = task_of(6, GRIPPER, [PLACED], [OTHER_HELD, LAID])
    relevant = Pruning(task).of(task)
    assert 3 in relevant.operators
    assert least(relevant.task) == 3


def test_of_a_home_a_small_part_matters_and_other_goals_share_the_work() -> None:
    task = ground(read_problem(HOME / "domain.pddl", HOME / "problems" / "demo.pddl"))
    pruning = Pruning(task)
    relevant = pruning.of(task)
    assert relevant.task.operator_count < task.operator_count / 10
    names = [task.step(int(o)) for o in relevant.operators]
    assert [relevant.task.step(i) for i in range(relevant.task.operator_count)] == names
    assert pruning.of(replace(task, init=np.zeros_like(task.init))).task.operator_count
