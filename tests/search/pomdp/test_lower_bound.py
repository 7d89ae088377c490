"""The bound is below what any policy can take, and says what it rests on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import BestFirst, Blind, GroundTask
from commonsense_planning.grounding.ground_task import closed
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.search.pomdp.lower_bound import Expectation, LowerBound, PossibleWorlds
from tests.random_tasks import TRUTHS, derived_tasks, task_of, tasks

MOST = 50.0
# To reach the goal (3) one takes the thing at 0 or, by way of 2, at 1. With the last one, 0 has to be false.
FETCHING = [([0], [], [3], [], 7), ([], [], [2], [], 7), ([1, 2], [], [3], [], 7), ([1], [0], [3], [], 7)]


@given(
    tasks() | derived_tasks(), st.lists(st.tuples(TRUTHS, TRUTHS, st.integers(1, 9)), min_size=1, max_size=3), TRUTHS
)
def test_no_world_has_a_shorter_plan(task: GroundTask, drawn: list[tuple[int, int, int]], open_facts: int) -> None:
    """Whatever the values of the facts that worlds leave open, and of those that may follow from them."""
    task.operators.cost[:] = 1
    compiled, derived = compile_task(task), np.isin(np.arange(task.fact_count), task.rules.head)
    of = lambda bits: np.array([bits >> f % 7 & 1 for f in range(task.fact_count)], np.bool_) & ~derived  # noqa: E731
    may, steps, truth = of(open_facts), [], []
    outcomes = [closed(task.rules, of(world) & ~may | of(values) & may) for world, values, _ in drawn]
    may |= derived & may.any()
    for true in outcomes:
        plan = BestFirst(compiled, Blind(compiled)).astar(make_state(compiled, true)).operators
        steps.append(MOST if plan is None else float(len(plan)))
        truth.append(true | may)
    weight = np.array([share for _, _, share in drawn], np.float64)
    bound, settled = LowerBound(task, MOST).of(PossibleWorlds(np.array(truth), weight, may, True))
    assert bound is None or bound <= np.average(steps, weights=weight) + 1e-9
    assert bound is not None and settled or may.any()


@pytest.mark.parametrize(
    ("worlds", "may", "actions", "lower_bound", "exact"),
    [
        ([[1, 0, 0, 0], [0, 1, 0, 0]], [0, 0, 0, 0], 3, 0.25 * 1 + 0.75 * 2, True),
        ([[1, 0, 0, 0], [0, 0, 0, 0]], [0, 0, 0, 0], 3, 0.25 * 1 + 0.75 * MOST, True),
        ([[1, 0, 0, 0], [1, 1, 0, 0]], [1, 0, 0, 0], 3, 1.0, False),  # it may be at 0 in both
        ([[1, 0, 0, 0], [1, 1, 0, 0]], [1, 0, 0, 0], 4, None, False),
    ],
)
def test_the_bound_is_the_mean_of_steps(
    worlds: list[list[int]], may: list[int], actions: int, lower_bound: float | None, exact: bool
) -> None:
    possible = PossibleWorlds(np.array(worlds, np.bool_), np.array([1.0, 3.0]), np.array(may, np.bool_), False)
    said = Expectation(3.5, True, possible, LowerBound(task_of(4, FETCHING[:actions], [3]), MOST)).as_json
    assert said == {"lower_bound": lower_bound, "reached": 3.5, "exact": exact, "worlds": 2, "all_worlds": False}
