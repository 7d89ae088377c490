"""The paper's GPT-2 baseline: do what a policy trained on an expert's trajectories says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.config import option
from commonsense_planning.errors import UsageError
from commonsense_planning.methods.acting import Acting, ActingOptions
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.task import Task
from commonsense_planning.search.agents import Agent


@dataclass(frozen=True)
class LearnedOptions(ActingOptions):
    """Of learned policies."""

    weights: Path | None = option(None, "The folder of a policy that cplan train-policy trained.", needed=True)


class LearnedPolicy:
    """No search, no model of the world, no language model."""

    name = "learned-policy"
    summary = "the paper's GPT-2 baseline: do what a policy trained on an expert's trajectories says (--weights DIR)"
    world = World.SEEN_IN_PART
    Options = LearnedOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options: LearnedOptions = request.options
        weights = options.weights
        if weights is None:
            raise UsageError(
                "--method learned-policy and --weights DIR go together: DIR is what cplan train-policy wrote"
            )
        acting = Acting(request, self.world)

        def agent() -> Agent:
            from commonsense_planning.learning.agent import learned_agent

            return learned_agent(weights, acting.description, acting.say, acting.belief)

        return acting.act(agent, options.max_steps)

    def estimate(self, request: Request) -> Estimate | None:
        return None


LEARNED = LearnedPolicy()
