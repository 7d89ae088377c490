"""Gymnasium environments: a PDDL task in which an agent acts and observes what the sensors show.

Importing this module registers ``cplan/Task-v0`` and ``cplan/Household-v0``, and the environments of plug-ins (entry
points ``commonsense_planning.environments``), see docs/gymnasium.md: since version 1.0, Gymnasium has no plug-ins.
"""

from __future__ import annotations

import math
import operator
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.batched import BatchedWorlds, Outcomes, begin_batch, new_batch, start_of, step_batch
from commonsense_planning.kernels.kernel import Bytes
from commonsense_planning.methods.run import goal_in_words
from commonsense_planning.state import StateView, facts_in
from commonsense_planning.support.registry import load, plug_ins
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.verbalise import Verbaliser

try:
    import gymnasium
    from gymnasium.spaces import Discrete, MultiBinary
except ImportError as error:
    raise MissingError("Gymnasium is not installed: pip install 'commonsense-planning[gym]'") from error

Hidden = Literal["drawn", "fixed", "shown"]
Info = dict[str, Any]
Name = str | Path

HOUSEHOLD_STEPS = 200  # of an episode of cplan/Household-v0, unless max_episode_steps is given


class EnvironmentTask:
    """A task as environments hold it: read, grounded, compiled, with its spaces.

    ``domain``, ``problem``, ``sensors``, ``world``: as ``read_task`` takes them, or the task itself. ``hidden``: the
    facts that the sensors hide are "drawn" again for each episode, uniformly one place of each exactly-one group;
    "fixed", as in the problem; or "shown", so that everything is known from the start. ``step_cost``: subtracted from
    the reward of each step. Raises InputError, MissingError and BudgetError like ``read_task`` and grounding,
    UsageError for facts that cannot be drawn and for a cost that is not a finite number.
    """

    def __init__(
        self,
        domain: Name | Task,
        problem: Name | None,
        sensors: Name | None,
        world: Name | None,
        hidden: Hidden,
        step_cost: float,
    ) -> None:
        cost: Any = step_cost
        if isinstance(cost, bool) or not isinstance(cost, Real) or not math.isfinite(cost):
            raise UsageError(f"step_cost must be a finite number, not {step_cost!r}")
        if hidden not in get_args(Hidden):
            raise UsageError(f"hidden must be one of {', '.join(get_args(Hidden))}, not {hidden!r}")
        files = [None if name is None else Path(name) for name in (sensors, world)]
        task = domain if isinstance(domain, Task) else read_task(domain, problem, files[0], world=files[1])
        self.ground, self.compiled = task.all_seen if hidden == "shown" else task.seen_in_part
        if not self.ground.operator_count:
            raise UsageError(f"{task.problem.problem_file}: no action can ever be carried out")
        if not self.ground.fact_count:
            raise UsageError(f"{task.problem.problem_file}: no fact ever changes, so there is nothing to observe")
        if self.compiled.sensors.shown_true is not None or task.sensing is not None:
            raise UsageError("sensors that err are not supported here: give hidden='shown', or sensors without errors")
        if self.compiled.sensors.correlated or len(self.compiled.sensors.unobserved):
            raise UsageError("correlated hidden facts are not supported here: give hidden='shown'")
        self.say = Verbaliser(self.ground, task.lexicon)
        choices = self._choices(bool(task.contingent.atoms)) if hidden == "drawn" else []
        self.step_cost = step_cost
        self.start = start_of(self.compiled, self.ground.init, choices)

    def _choices(self, contingent: bool) -> list[list[int]]:
        """The exactly-one groups of which a member is true in the problem, and the hidden facts outside of all groups
        that a ``contingent`` problem leaves open."""
        sensors, init = self.compiled.sensors, self.ground.init
        grouped = sensors.groups.items
        groups = [sensors.groups.row(g).tolist() for g in range(len(sensors.groups))]
        independent = np.setdiff1d(np.flatnonzero(sensors.hidden), grouped).tolist() if contingent else []
        return [group for group in groups if init[group].sum() == 1] + [[fact, -1] for fact in independent]

    def batch(self, count: int, masked: bool) -> BatchedWorlds:
        """Copies that have not begun, with masks or without."""
        return new_batch(self.compiled, self.ground.fact_count, count, masked)

    def observation_space(self) -> MultiBinary:
        """Layers by facts: which are true as far as the agent knows; where anything is hidden, which it knows."""
        return MultiBinary([1 + int(self.compiled.sensors.partial), self.ground.fact_count])

    def action_space(self) -> Discrete:
        """The operators of ``ground``."""
        return Discrete(self.ground.operator_count)


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Raises UsageError for a value that is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name} must be a whole number of at least {least}, not {value!r}")


def no_options(options: dict[str, Any] | None) -> None:
    """Raises UsageError if ``reset`` is given options: there are none."""
    if options:
        raise UsageError(f"reset has no options, and was given {', '.join(map(str, options))}")


def new_stream(rng: np.random.Generator) -> np.uint64:
    """The seed of a copy's random stream."""
    return rng.integers(2**64, dtype=np.uint64)


class TaskEnv(gymnasium.Env[Bytes, np.int64]):
    """One copy of a task's world, see docs/gymnasium.md.

    Actions are the operators of ``ground``, int in [0, operators): ``ground.step(action)`` names one. One that the
    agent does not know to be applicable changes nothing. Observations are int8 (layers, facts), 0 or 1, new at each
    call: layer 0 says which facts of ``ground.facts`` are true as far as the agent knows, layer 1, where anything is
    hidden, which facts it knows. The reward is 1 at the goal, seen or not, less ``step_cost``. The goal and a violated
    constraint terminate the episode. ``info["action_mask"]``, int8 (operators,), is 1 for the operators that are
    applicable as far as the agent knows; without ``action_mask`` it is left out.

    The other arguments are those of ``EnvironmentTask``, and so are the errors.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        domain: Name | Task,
        problem: Name | None = None,
        sensors: Name | None = None,
        world: Name | None = None,
        hidden: Hidden = "drawn",
        action_mask: bool = True,
        step_cost: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        self._world = EnvironmentTask(domain, problem, sensors, world, hidden, step_cost)
        self.ground, self.compiled = self._world.ground, self._world.compiled
        self.observation_space, self.action_space = self._world.observation_space(), self._world.action_space()
        self.render_mode = render_mode
        self._masked = action_mask
        self._batch = self._world.batch(1, action_mask)
        self._batch.over[0] = True
        self._seeded = False
        self._operators = self.ground.operator_count
        self._operator = np.zeros(1, np.int64)
        self._outcomes = Outcomes.empty(1)
        self._last = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Bytes, Info]:
        """Begins an episode; without a ``seed``, the next one of the random stream. There are no ``options``: raises
        UsageError for any."""
        no_options(options)
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._batch.streams[0] = new_stream(self.np_random)
            self._seeded = True
        begin_batch(self.compiled.table, self._world.start, self._batch, 0, 1)
        self._last = ""
        return self._batch.observations[0].copy(), self._info()

    def step(self, action: int | np.int64) -> tuple[Bytes, float, bool, bool, Info]:
        """Carries out an operator. Raises gymnasium.error.InvalidAction for an action that is not the number of an
        operator, ResetNeeded if no episode is under way."""
        batch, outcomes = self._batch, self._outcomes
        try:
            chosen = operator.index(action)
        except TypeError:  # neither 1.5 nor 1.0 is an action
            chosen = -1
        if not 0 <= chosen < self._operators:
            raise gymnasium.error.InvalidAction(
                f"actions are whole numbers from 0 to {self._operators - 1}, not {action!r}"
            )
        if batch.over[0]:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset first")
        self._operator[0] = chosen
        if self.render_mode is not None:
            can = "" if chosen in self.applicable() else " (this cannot be done here: nothing has changed)"
            self._last = self._world.say.action(chosen) + can
        world = self._world
        step_batch(self.compiled.table, world.start, batch, self._operator, world.step_cost, 0, outcomes, 0, 1)
        reward, terminated = float(outcomes.rewards[0]), bool(outcomes.terminated[0])
        return batch.observations[0].copy(), reward, terminated, False, self._info()

    def applicable(self) -> Int32:
        """The operators that the agent knows to be applicable, ascending: the mask as a list."""
        found = self._batch.applicable[0, : self._batch.counts[0]].copy()
        found.sort()
        return found

    def render(self) -> str | None:
        """With ``render_mode="ansi"``: in English, what was done last, and what the agent knows to be true."""
        if self.render_mode != "ansi":
            return None
        say = self._world.say
        known = facts_in(StateView(self.compiled, self._batch.shown[0]).true).tolist()
        goal = f"goal: {goal_in_words(self.ground, say)}"
        first = f"step {self._batch.steps[0]}: {self._last}" if self._last else goal
        return "\n".join([first, *(f"  {say.fact(fact)}" for fact in known)])

    def _info(self) -> Info:
        return {"action_mask": self._batch.masks[0].copy()} if self._masked else {}


def register_envs() -> None:
    """Registers cplan's environments for ``gymnasium.make`` and ``make_vec``; repeated calls have no effect. Plug-ins
    register theirs first."""
    for entry in plug_ins("commonsense_planning.environments").values():
        load(entry)()
    register_env("cplan/Task-v0", f"{__name__}:TaskEnv")
    register_env("cplan/Household-v0", f"{__name__}:TaskEnv", {"domain": "household:demo"}, HOUSEHOLD_STEPS)


def register_env(
    name: str, single: str, kwargs: dict[str, Any] | None = None, steps: int | None = None, vector: str | None = None
) -> None:
    """Registers an environment with Gymnasium, unless there is one of that ``name``. ``single`` and ``vector``: the
    ``module:function`` that makes one and many; ``steps``: limit on an episode."""
    if name not in gymnasium.registry:
        gymnasium.register(name, single, vector_entry_point=vector, kwargs=kwargs or {}, max_episode_steps=steps)


register_envs()
