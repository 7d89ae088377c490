"""Many copies of a task's world as one Gymnasium vector environment, stepped by the kernels on several threads."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from commonsense_planning.errors import UsageError
from commonsense_planning.interfaces.gym import Hidden, Info, Name, World, new_stream, no_options
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

LEAST = 16  # copies for a thread; for fewer, none is woken
MOST, PACE = 0.9, 0.01  # of the copies: this thread's share at most, and how fast it changes


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
        self._world = World(domain, problem, sensors, world, hidden, step_cost)
        self.ground, self.compiled = self._world.ground, self._world.compiled
        self.num_envs = num_envs
        self.single_observation_space = self._world.observation_space()
        self.single_action_space = self._world.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masked, self._copy = action_mask, copy
        self._max_steps = max_episode_steps or 0
        self._copies = self._world.copies(num_envs, action_mask)
        self._seeded = False
        self._crew = Crew(min(threads or len(os.sched_getaffinity(0)), -(-num_envs // LEAST)))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Bytes, Info]:
        """Begin an episode in every copy. Copy i is seeded with ``seed`` + i, or with the i-th of a list; without seeds
        its random stream goes on. There are no ``options``: raises UsageError for any."""
        no_options(options)
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
        chosen = np.asarray(actions)
        whole = chosen.shape == (self.num_envs,) and np.issubdtype(chosen.dtype, np.integer)
        if not whole or chosen.min() < 0 or chosen.max() >= self.ground.operator_count:
            raise gymnasium.error.InvalidAction(
                f"actions are {self.num_envs} whole numbers from 0 to {self.ground.operator_count - 1}"
            )
        operators = np.ascontiguousarray(chosen, np.int64)
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset first")
        table, start, copies = self.compiled.table, self._world.start, self._copies
        cost, most, n = self._world.step_cost, self._max_steps, self.num_envs
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
        self._helpers = [Helper() for _ in range(1, threads)]
        self._mine = 1 / threads  # this thread's share: a thread that has to be woken begins late

    def share(self, work: Callable[[int, int], None], count: int) -> None:
        """Do ``work(first, last)`` on parts of [0, count), one for each thread, in no order. This thread's part grows
        as long as it has to wait for others, and shrinks where it has not."""
        others = len(self._helpers)
        if not others:
            return work(0, count)
        mine = round(count * self._mine)
        bounds = [mine + (count - mine) * k // others for k in range(others + 1)]
        parts = list(zip(self._helpers, pairwise(bounds), strict=True))
        for helper, part in parts:
            helper.begin(partial(work, *part))
        try:
            work(0, mine)
        finally:  # an interrupt leaves no helper at work that the next step does not know of
            waited = not all(helper.idle for helper in self._helpers)
            left = [part for helper, part in parts if not helper.finish()]
        for part in left:
            work(*part)
        self._mine = min(MOST, max(self._mine + (PACE if waited else -PACE), 1 / (others + 1)))
        return None

    def close(self) -> None:
        """End the threads."""
        for helper in self._helpers:
            helper.close()
        self._helpers = []


class Helper:
    """A thread that sleeps on a lock until it has something to do: an executor's takes three times as long to wake."""

    def __init__(self) -> None:
        self._go, self._done = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self._job: Callable[[], None] | None = None
        self._error: BaseException | None = None
        self._at_work = False
        self._thread = threading.Thread(target=self._run, name="cplan-copies", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Whether its job is done."""
        return not self._at_work

    def begin(self, job: Callable[[], None] | None) -> None:
        """Wake up and do a job; None: end."""
        self._job, self._at_work = job, True
        self._go.release()

    def finish(self) -> bool:
        """Wait until the job is done. False: it had not begun, and now never does. Raises what the job raised."""
        if self._go.acquire(blocking=False):
            return False
        while not self._done.acquire(blocking=False):  # soon: to fall asleep would take longer than its last part
            select.select((), (), (), 0)  # lets go of Python's lock, and comes back at once
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return True

    def close(self) -> None:
        """End the thread."""
        self.begin(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._go.acquire()
            if self._job is None:
                return
            try:
                self._job()
            except Exception as error:  # noqa: BLE001 - whoever waits for the job is told
                self._error = error
            self._at_work = False
            self._done.release()
