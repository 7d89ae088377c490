"""The first paper's GPT-2 baseline: a method that does at once what a policy says that was trained on an expert's
trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_lab.learning.agent import learned_agent
from commonsense_planning.config import option
from commonsense_planning.errors import UsageError
from commonsense_planning.methods.acting_options import ActingOptions
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Observability, Request, Solution
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.pomdp.agents import EpisodeAgent


@dataclass(frozen=True)
class LearnedOptions(ActingOptions):
    """Of learned policies."""

    weights: Path | None = option(None, "The folder of a policy that cplan train-policy trained.", needed=True)


class LearnedPolicy(SolvesByActing):
    """No search, no model of the world, no language model."""

    name = "learned-policy"
    summary = "the paper's GPT-2 baseline: do what a policy trained on an expert's trajectories says (--weights DIR)"
    world = Observability.SEEN_IN_PART
    Options = LearnedOptions

    def solve(self, request: Request) -> Solution:
        self._weights(request)  # what makes no sense is said before any work
        return super().solve(request)

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        return learned_agent(self._weights(acting.request), acting.description, acting.say, acting.belief)

    def _weights(self, request: Request) -> Path:
        options = request.options_as(LearnedOptions)
        if options.weights is None:
            raise UsageError(
                "--method learned-policy and --weights DIR go together: DIR is what cplan train-policy wrote"
            )
        return options.weights

    def asks(self, acting: EpisodeContext) -> None:
        return None


LEARNED = LearnedPolicy()
