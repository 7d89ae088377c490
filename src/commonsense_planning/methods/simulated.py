"""Acting in the task's own world, which is simulated, and a method that solves a task in that way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.methods.acting_options import ActingOptions
from commonsense_planning.methods.episode import Actor, PlanningEpisode
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.given_up import given_up
from commonsense_planning.methods.method import Estimate, Observability, Request, Solution, TrueWorldMethod
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.transition_system import PathResult
from commonsense_planning.search.pomdp.agents import EpisodeAgent


class SimulatedEpisode(EpisodeContext):
    """A run in the task's true world, of which the agent observes what its sensors show."""

    @cached_property
    def _environment(self) -> Environment:
        errors = np.random.default_rng([self.request.seed, 1])  # of the sensors; the agent's draws do not affect them
        return Environment(self.compiled, self.task.init, self.request.task.sensing, errors)

    @cached_property
    def _first(self) -> Observation:
        return self._environment.look()

    def recall(self, belief: Belief) -> None:
        belief.update(None, self._first)

    def act(self, make: Callable[[EpisodeContext], EpisodeAgent]) -> Solution:
        """Makes the agent and lets it act until the goal is known to be reached, nothing is left to do, or steps or
        time are used up."""
        run, options, report = self.run, self.request.options_as(ActingOptions), self.request.report
        simulations: int | None = getattr(options, "simulations", None)
        counts: dict[str, Any] = {"operators": self.task.operator_count, "facts": self.task.fact_count}
        try:
            run.clock.check()
            most = self.step_limit(options.max_steps)
            agent = self.request.observer.watch(make(self), self.say, self.belief, self.relevance)
            run.notes.sources = (self.belief.take_notes, run.model.take_notes)
            self.start([str(self.task.fact_step(f)) for f, value in self._first.readings if value])
            actor = Actor(agent, self.belief, self.say, self.request.emit, run.notes.take, self.update_prior)
            must_know = bool(self.request.task.contingent.atoms)
            episode = PlanningEpisode(
                self._environment,
                actor,
                lambda n: report("simulations", n, simulations),
                must_know,
                lambda: given_up(self.task, self.belief, self.relevance, actor.done),
            )
            ended = episode.run(self._first, most, run.clock.check)
            counts["expectation"] = actor.expectation
        except BudgetError as error:  # before the first step
            ended = PathResult(Status.BUDGET, (), str(error))
        more = {"reported": True, "unmatched": self.matcher.unmatched, **counts}
        solution = run.end(ended.status, self.task.plan(ended.operators), ended.reason, **more)
        return solution if run.model.usage.questions else replace(solution, model="", model_note="", usage=None)


class SolvesByActing(TrueWorldMethod, ABC):
    """A method that solves a task by acting step by step in the task's simulated world. ``Options`` are
    ``ActingOptions``."""

    world = Observability.SEEN_IN_PART

    def solve(self, request: Request) -> Solution:
        """Acts until the episode ends."""
        return SimulatedEpisode(request).act(self.agent)

    def estimate(self, request: Request) -> Estimate | None:
        """The estimate of ``asks``."""
        return self.asks(SimulatedEpisode(request))

    @abstractmethod
    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        """The agent that decides, by the request's options."""

    def asks(self, acting: EpisodeContext) -> Estimate | None:
        """The questions to a model, None if it asks none: by default only those for its prior."""
        return acting.forecast()
