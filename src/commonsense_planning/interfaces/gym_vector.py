"""Many copies of a task's world as one Gymnasium vector environment, stepped by the kernels on several threads."""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from commonsense_planning.errors import UsageError
from commonsense_planning.interfaces.gym import Hidden, Info, Name, World, new_stream
from commonsense_planning.kernels.copies import (
    Bits,
    Bytes,
    Floats,
    Int64,
    Outcomes,
    begin_copies,
    draw_operators,
    step_copies,
)

LEAST = 16  # copies that a thread takes at a time


class TaskVectorEnv(VectorEnv):
    """``num_envs`` copies of a ``TaskEnv`` that ends its episodes after ``max_episode_steps``: from equal seeds and
    actions, equal arrays come of ``gymnasium.vector.SyncVectorEnv`` over such environments, however many ``threads``
    there are.

    A copy whose episode is over begins the next one in the next step, whatever its action is
    (``AutoresetMode.NEXT_STEP``); its reward is 0 then. With ``copy=False``, observations and masks are the
    environment's own arrays, which the next step changes. ``threads``: at most; by default one for each core that this
    process may use. All else is as in ``TaskEnv``.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        domain: Name,
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
        if num_envs < 1:
            raise UsageError(f"there is at least 1 copy, and not {num_envs}")
        self._world = World(domain, problem, sensors, world, hidden)
        self.ground, self.compiled = self._world.ground, self._world.compiled
        self.num_envs = num_envs
        self.single_observation_space = self._world.observation_space()
        self.single_action_space = self._world.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masked, self._step_cost, self._copy = action_mask, step_cost, copy
        self._max_steps = max_episode_steps or 0
        self._copies = self._world.copies(num_envs, action_mask)
        self._seeded = False
        self._crew = Crew(min(threads or len(os.sched_getaffinity(0)), -(-num_envs // LEAST)))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Bytes, Info]:
        """Begin an episode in every copy. Copy i is seeded with ``seed`` + i, or with the i-th of a list; without seeds
        its random stream goes on. There are no ``options``."""
        if isinstance(seed, int):
            super().reset(seed=seed)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        if len(seeds) != self.num_envs:
            raise UsageError(f"there are {self.num_envs} copies and {len(seeds)} seeds")
        for i, one in enumerate(seeds):
            if one is not None or not self._seeded:
                self._copies.streams[i] = new_stream(np_random(one)[0])
        self._seeded = True
        table, start, copies = self.compiled.table, self._world.start, self._copies
        return self._seen(lambda first, last: begin_copies(table, start, copies, first, last))

    def step(self, actions: Any) -> tuple[Bytes, Floats, Bits, Bits, Info]:
        """One step of every copy. ``actions``: int (num_envs,). Raises gymnasium.error.InvalidAction."""
        operators = np.ascontiguousarray(actions, np.int64)
        if operators.shape != (self.num_envs,) or operators.min() < 0 or operators.max() >= self.ground.operator_count:
            raise gymnasium.error.InvalidAction(
                f"actions are {self.num_envs} numbers from 0 to {self.ground.operator_count - 1}"
            )
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset first")
        table, start, copies = self.compiled.table, self._world.start, self._copies
        cost, most, n = self._step_cost, self._max_steps, self.num_envs
        outcomes = Outcomes(np.empty(n), np.empty(n, np.bool_), np.empty(n, np.bool_))
        seen, info = self._seen(
            lambda first, last: step_copies(table, start, copies, operators, cost, most, outcomes, first, last)
        )
        return seen, outcomes.rewards, outcomes.terminated, outcomes.truncated, info

    def draw_actions(self, rng: np.random.Generator) -> Int64:
        """An action for each copy, drawn from those that it may take, all alike: int64 (num_envs,); 0 where there is
        none."""
        actions = np.empty(self.num_envs, np.int64)
        draw_operators(self._copies, rng.random(self.num_envs), actions)
        return actions

    def _seen(self, work: Callable[[int, int], None]) -> tuple[Bytes, Info]:
        """Do the work, and give observations and masks."""
        shown, masks = self._copies.observations, self._copies.masks
        if self._copy:
            ours, theirs = (shown, masks), (np.empty_like(shown), np.empty_like(masks))

            def work_and_copy(first: int, last: int) -> None:
                work(first, last)
                for one, other in zip(ours, theirs, strict=True):
                    other[first:last] = one[first:last]

            self._crew.share(work_and_copy, self.num_envs)
            shown, masks = theirs
        else:
            self._crew.share(work, self.num_envs)
        return shown, {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)} if self._masked else {}

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._crew.close()


class Crew:
    """``threads`` that share work on a range, this one among them. The work lets go of Python's lock."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, "cplan-copies")

    def share(self, work: Callable[[int, int], None], count: int) -> None:
        """Do ``work(first, last)`` on all parts of [0, count), in no order. Each thread has a stretch of its own, the
        same each time, as what it worked on is in its core's cache. Who is done with it takes parts of the others':
        a thread that has to be woken begins late."""
        bounds = [count * k // self._threads for k in range(self._threads + 1)]
        queues = [deque(_halves(first, last)) for first, last in pairwise(bounds)]
        helpers = [self._pool.submit(_work_off, work, queues[k:] + queues[:k]) for k in range(1, self._threads)]
        _work_off(work, queues)
        for helper in helpers:
            if not helper.cancel():  # it has begun
                while not helper.done():  # soon: to fall asleep and be woken would take longer than its last part
                    select.select((), (), (), 0)  # lets go of Python's lock, and comes back at once
                helper.result()

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


def _halves(first: int, last: int) -> Iterator[tuple[int, int]]:
    """The parts of a stretch: half of it, half of what is left, and so on."""
    while first < last:
        middle = first + max(LEAST, (last - first) // 2)
        yield first, min(middle, last)
        first = middle


def _work_off(work: Callable[[int, int], None], queues: Sequence[deque[tuple[int, int]]]) -> None:
    """Do the parts of the first queue, in order, then those of the others, from behind."""
    own, *others = queues
    for queue, take in [(own, own.popleft), *((other, other.pop) for other in others)]:
        while queue:
            try:
                part = take()
            except IndexError:  # another was faster
                break
            work(*part)
