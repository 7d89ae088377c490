"""Methods that do at once what a policy says, without a search: L-Policy, the LLM-MCTS paper's second baseline, whose
policy is the model's answer, and the paper's GPT-2 baseline, which was trained on an expert's trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.config import option
from commonsense_planning.errors import UsageError
from commonsense_planning.methods.acting import Acting
from commonsense_planning.methods.acting_options import ActingOptions, NamingOptions, PriorOptions
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.pomdp.agents import Agent, PolicyAgent
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner, policy_of
from commonsense_planning.wording.questions import NextAction


@dataclass(frozen=True)
class PolicyMethodOptions(NamingOptions, PriorOptions, ActingOptions):
    """Of L-Policy; plans that stand in for a model's answers rest on where it believes things to be."""


class ModelAsPolicy(SolvesByActing):
    """One question a step, one answer."""

    name = "llm-policy"
    summary = "L-Policy, the paper's baseline: do at once what the model says comes next; no search"
    world = World.SEEN_IN_PART
    Options = PolicyMethodOptions

    def agent(self, acting: Acting) -> Agent:
        options: PolicyMethodOptions = acting.request.options
        belief = acting.belief if acting.model.answers(NextAction) else acting.believe_as_chosen()
        hindsight = HindsightPlanner(acting.task, BestFirst(acting.compiled), belief, acting.rng)
        questions = acting.next_questions(options.actions)
        policy = policy_of(acting.model, questions, hindsight, acting.matcher, 0.0, 1, acting.note)
        return PolicyAgent(policy, belief, acting.rng)

    def asks(self, acting: Acting) -> Estimate:
        options: PolicyMethodOptions = acting.request.options
        most = acting.step_limit(options.max_steps)
        asked = acting.fewest_steps(most), most
        return acting.run.estimate(acting.first_question(options.actions), asked, ANSWER_TOKENS)


POLICY = ModelAsPolicy()


@dataclass(frozen=True)
class LearnedOptions(ActingOptions):
    """Of learned policies."""

    weights: Path | None = option(None, "The folder of a policy that cplan train-policy trained.", needed=True)


class LearnedPolicy(SolvesByActing):
    """No search, no model of the world, no language model."""

    name = "learned-policy"
    summary = "the paper's GPT-2 baseline: do what a policy trained on an expert's trajectories says (--weights DIR)"
    world = World.SEEN_IN_PART
    Options = LearnedOptions

    def solve(self, request: Request) -> Solution:
        self._weights(request.options)  # what makes no sense is said before any work
        return super().solve(request)

    def agent(self, acting: Acting) -> Agent:
        from commonsense_planning.learning.agent import learned_agent

        return learned_agent(self._weights(acting.request.options), acting.description, acting.say, acting.belief)

    def _weights(self, options: LearnedOptions) -> Path:
        if options.weights is None:
            raise UsageError(
                "--method learned-policy and --weights DIR go together: DIR is what cplan train-policy wrote"
            )
        return options.weights

    def asks(self, acting: Acting) -> None:
        return None


LEARNED = LearnedPolicy()
