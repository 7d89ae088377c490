"""A batch of a task's worlds as one Gymnasium vector environment, stepped by the kernels on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from commonsense_planning.errors import UsageError
from commonsense_planning.interfaces.gym import EnvironmentTask, Hidden, Info, Name, check_count, new_stream, no_options
from commonsense_planning.kernels.batched import Bits, Outcomes, begin_batch, draw_operators, step_batch
from commonsense_planning.kernels.kernel import Bytes, Floats, Int64
from commonsense_planning.task import Task

LEAST = 16  # worlds of a thread, at least


class TaskVectorEnv(VectorEnv):
    """``num_envs`` copies of a ``TaskEnv`` that ends its episodes after ``max_episode_steps``. Equal seeds and actions
    give the arrays of ``gymnasium.vector.SyncVectorEnv`` over such environments, with any number of ``threads``.

    A copy whose episode is over begins the next one in the next step, for any action (``AutoresetMode.NEXT_STEP``),
    with reward 0. With ``copy=False``, observations and masks are the environment's arrays, which the next step
    changes. ``threads``: at most; by default one for each core of this process. All else is as in ``TaskEnv``.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        domain: Name | Task,
        problem: Name | None = None,
        sensors: Name | None = None,
        world: Name | None = None,
        hidden: Hidden = "drawn",
        action_mask: bool = True,
        step_cost: float = 0.0,
        max_episode_steps: int | None = None,
        copy: bool = True,
        threads: int | None = None,
    ) -> None:
        check_count("num_envs", num_envs)
        for name, value in (("max_episode_steps", max_episode_steps), ("threads", threads)):
            if value is not None:
                check_count(name, value)
        self._world = EnvironmentTask(domain, problem, sensors, world, hidden, step_cost)
        self.ground, self.compiled = self._world.ground, self._world.compiled
        self.num_envs = num_envs
        self.single_observation_space = self._world.observation_space()
        self.single_action_space = self._world.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masked, self._copy = action_mask, copy
        self._max_steps = max_episode_steps or 0
        self._batch = self._world.batch(num_envs, action_mask)
        self._seeded = False
        parts = min(threads or len(os.sched_getaffinity(0)), -(-num_envs // LEAST))
        self._parts = list(pairwise(num_envs * part // parts for part in range(parts + 1)))
        self._helpers = ThreadPoolExecutor(max(1, parts - 1), "cplan-batch")

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Bytes, Info]:
        """Begins an episode in every copy. Copy i is seeded with ``seed`` + i, or with the i-th of a list; without
        seeds its random stream continues. Raises UsageError for any ``options``."""
        no_options(options)
        if isinstance(seed, int):
            super().reset(seed=seed)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        if len(seeds) != self.num_envs:
            raise UsageError(f"there are {self.num_envs} environments and {len(seeds)} seeds")
        for i, one in enumerate(seeds):
            if one is not None or not self._seeded:
                self._batch.streams[i] = new_stream(np_random(one)[0])
        self._seeded = True
        table, start, batch = self.compiled.table, self._world.start, self._batch
        return self._seen(lambda first, last: begin_batch(table, start, batch, first, last))

    def step(self, actions: Any) -> tuple[Bytes, Floats, Bits, Bits, Info]:
        """Steps every copy. ``actions``: int (num_envs,). Raises gymnasium.error.InvalidAction."""
        chosen = np.asarray(actions)
        whole = chosen.shape == (self.num_envs,) and np.issubdtype(chosen.dtype, np.integer)
        if not whole or chosen.min() < 0 or chosen.max() >= self.ground.operator_count:
            raise gymnasium.error.InvalidAction(
                f"actions are {self.num_envs} whole numbers from 0 to {self.ground.operator_count - 1}"
            )
        operators = np.ascontiguousarray(chosen, np.int64)
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset first")
        table, start, batch = self.compiled.table, self._world.start, self._batch
        cost, most, n = self._world.step_cost, self._max_steps, self.num_envs
        outcomes = Outcomes.empty(n)
        seen, info = self._seen(
            lambda first, last: step_batch(table, start, batch, operators, cost, most, outcomes, first, last)
        )
        ended = outcomes.terminated.view(np.bool_), outcomes.truncated.view(np.bool_)
        return seen, outcomes.rewards, *ended, info

    def draw_actions(self, rng: np.random.Generator) -> Int64:
        """Draws an applicable action for each copy, each equally likely: int64 (num_envs,); 0 if there is none."""
        actions = np.empty(self.num_envs, np.int64)
        draw_operators(self._batch, rng.random(self.num_envs), actions)
        return actions

    def _seen(self, work: Callable[[int, int], None]) -> tuple[Bytes, Info]:
        """Does the work; returns observations and masks."""
        shown, masks = self._batch.observations, self._batch.masks
        if self._copy:
            ours, theirs = (shown, masks), (np.empty_like(shown), np.empty_like(masks))

            def work_and_copy(first: int, last: int) -> None:
                work(first, last)
                for one, other in zip(ours, theirs, strict=True):
                    other[first:last] = one[first:last]

            self._share(work_and_copy)
            shown, masks = theirs
        else:
            self._share(work)
        return shown, {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)} if self._masked else {}

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        self._helpers.shutdown()

    def _share(self, work: Callable[[int, int], None]) -> None:
        """Does the work on parts of the batch, one for each thread, the first on this one. It releases Python's lock.
        After an interrupt no thread is still at work."""
        first, *others = self._parts
        helping = [self._helpers.submit(work, *part) for part in others]
        try:
            work(*first)
        finally:
            wait(helping)
        for done in helping:
            done.result()
