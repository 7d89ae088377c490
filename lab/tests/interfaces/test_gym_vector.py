"""Many copies of a task that are stepped together are as many single environments."""

import math
import time
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

from commonsense_lab.interfaces.gym_vector import TaskVectorEnv
from commonsense_planning import UsageError, register_envs
from tests.interfaces.test_gym import APPLE, DOMAIN, HOUSEHOLD, check_costs_and_options, same

register_envs()


@pytest.mark.parametrize(("ours", "both"), [
    ({"threads": 3}, {}),
    ({"copy": False}, {"action_mask": False}),
    ({"copy": False, "threads": 1}, {"hidden": "fixed", "step_cost": 0.25}),
    ({}, {"hidden": "shown"}),
    ({}, {"domain": HOUSEHOLD / "domain-slips.pddl", "hidden": "shown", "max_episode_steps": 40}),
])  # fmt: skip
def test_the_copies_are_the_single_environment_many_times(ours: dict[str, Any], both: dict[str, Any]) -> None:
    """Gymnasium's own SyncVectorEnv over single environments, step by step, through the ends of episodes."""
    kwargs = {"domain": DOMAIN, "problem": APPLE, "num_envs": 70, "max_episode_steps": 11, **both}
    vector = gymnasium.make_vec("cplan/Task-v0", **kwargs, **ours)
    sync = gymnasium.make_vec("cplan/Task-v0", vectorization_mode="sync", **kwargs)
    assert isinstance(vector.unwrapped, TaskVectorEnv)
    assert vector.observation_space == sync.observation_space
    assert vector.action_space == sync.action_space
    assert same(vector.reset(seed=7), sync.reset(seed=7))
    rng, ends = np.random.default_rng(0), np.zeros(2, np.int64)
    for _ in range(60):
        chosen = vector.unwrapped.draw_actions(rng)
        chosen[::10] = rng.integers(vector.single_action_space.n, size=7)  # most of them not applicable
        came, expected = vector.step(chosen), sync.step(chosen)
        assert same(came, expected)
        ends += came[2].sum(), came[3].sum()
    assert (ends > 0).all()
    assert same(vector.reset(), sync.reset())
    seeds = list(range(100, 170))
    assert same(vector.reset(seed=seeds), sync.reset(seed=seeds))
    vector.close()
    sync.close()


def test_copies_are_new_at_each_step_unless_one_says_otherwise() -> None:
    for copy in (True, False):
        vector = TaskVectorEnv(2, DOMAIN, APPLE, copy=copy)
        (first, info), (second, *_, later) = vector.reset(seed=1), vector.step([0, 0])
        assert np.shares_memory(first, second) == np.shares_memory(info["action_mask"], later["action_mask"]) != copy
        vector.close()


def test_an_interrupt_leaves_no_thread_at_work_and_errors_of_a_thread_are_raised_in_the_caller() -> None:
    vector, seen = TaskVectorEnv(32, "household:demo", threads=2), []

    def work(first: int, last: int, error: type[BaseException], failing: int) -> None:
        if first == failing:
            raise error(first)
        time.sleep(0.05)
        seen.append((first, last))

    with pytest.raises(KeyboardInterrupt):
        vector._share(partial(work, error=KeyboardInterrupt, failing=0))
    assert seen == [(16, 32)]
    with pytest.raises(ValueError, match="16"):
        vector._share(partial(work, error=ValueError, failing=16))
    vector.close()


@pytest.mark.parametrize("action", [-1, 40, 1.5, 1.0, math.nan, np.float64(1)])
def test_a_number_that_is_no_action_is_refused(action: Any) -> None:
    vector = TaskVectorEnv(2, DOMAIN, APPLE)
    vector.reset(seed=0)
    for numbers in ([0, action], [0]):
        with pytest.raises(gymnasium.error.InvalidAction, match="2 whole numbers from 0 to 39"):
            vector.step(np.array(numbers))
    vector.close()


def test_costs_and_options_that_mean_nothing_are_refused() -> None:
    check_costs_and_options(lambda **kwargs: TaskVectorEnv(2, DOMAIN, APPLE, **kwargs))


def test_a_step_before_the_first_reset_is_refused() -> None:
    vector = TaskVectorEnv(1, DOMAIN, APPLE)
    with pytest.raises(gymnasium.error.ResetNeeded):
        vector.step([0])
    vector.close()


def test_senseless_arguments_are_refused() -> None:
    for count in (0, "x", 1.5, True):
        with pytest.raises(UsageError, match=f"num_envs must be a whole number of at least 1, not {count!r}"):
            TaskVectorEnv(count, DOMAIN, APPLE)  # type: ignore[arg-type]
    for name in ("max_episode_steps", "threads"):
        with pytest.raises(UsageError, match=f"{name} must be a whole number of at least 1, not 'x'"):
            TaskVectorEnv(1, DOMAIN, APPLE, **{name: "x"})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="2 environments and 3 seeds"):
        TaskVectorEnv(2, DOMAIN, APPLE).reset(seed=[1, 2, 3])
