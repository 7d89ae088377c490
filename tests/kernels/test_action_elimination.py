import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import GroundTask, make_state
from commonsense_planning.kernels import action_elimination
from commonsense_planning.kernels.action_elimination import without_redundant
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.kernels.engine import applicable, failed, goal_reached, is_applicable, progress
from commonsense_planning.support.limits import SLACK, within_seconds
from tests.kernels.test_kernel import long_plan
from tests.random_tasks import derived_tasks, task_of, tasks


@given(task=tasks() | derived_tasks(), seed=st.integers(0, 1000))
def test_what_is_left_is_a_plan_that_needs_its_first_action(task: GroundTask, seed: int) -> None:
    compiled = compile_task(task)
    rng, buffer = np.random.default_rng(seed), np.empty(max(1, task.operator_count), np.int32)
    start = make_state(compiled, task.init)
    state, walked = start.copy(), []
    for _ in range(12):
        count = applicable(compiled.table, state, buffer)
        if goal_reached(compiled.table, state) or not count:
            break
        walked.append(int(rng.choice(buffer[:count])))
        progress(compiled.table, state, walked[-1])
        if failed(compiled.table, state) >= 0:
            return
    if not goal_reached(compiled.table, state):
        return
    left = without_redundant(compiled.table, start, np.array(walked, np.int32)).tolist()
    assert reaches(compiled.table, start, left)
    assert len(left) <= len(walked)
    if left:  # nothing comes before the first action that could have made it redundant
        assert not reaches(compiled.table, start, left[1:])


def reaches(table: np.ndarray, start: np.ndarray, operators: list[int]) -> bool:  # type: ignore[type-arg]
    state = start.copy()
    for operator in operators:
        if not is_applicable(table, state, operator):
            return False
        progress(table, state, operator)
        if failed(table, state) >= 0:
            return False
    return bool(goal_reached(table, state))


def test_what_keeps_from_a_violation_is_needed() -> None:
    """The second action violates a constraint (2) unless there is a shield (0); the third, which reaches the goal (1),
    corrects that too late."""
    shield, step, end = ([], [], [0], [], 1), ([], [], [3], [], 1), ([3], [], [1], [2], 1)
    task = task_of(4, [shield, step, end], [1], effects={1: ([], [0], [2], [])}, failure=[2])
    compiled = compile_task(task)
    left = without_redundant(compiled.table, make_state(compiled, task.init), np.arange(3, dtype=np.int32))
    assert left.tolist() == [0, 1, 2]


@pytest.mark.parametrize("late", [False, True])
def test_a_long_plan_is_kept_where_the_limit_is_reached(monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    """To leave actions out of a plan of 131,071 steps takes minutes: whether the clock or the limit on steps ends that,
    it is a plan."""
    monkeypatch.setattr(action_elimination, "MOST", 2**60 if late else 2**20)
    compiled, state, plan = long_plan()
    with within_seconds(0.1 - SLACK):
        assert without_redundant(compiled.table, state, plan).tolist() == plan.tolist()
