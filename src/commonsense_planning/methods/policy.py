"""L-Policy, the LLM-MCTS paper's second baseline: it carries out what the model answers, without a search."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.methods.acting_options import ActingOptions, NamingOptions, PriorOptions
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Estimate, Observability
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.pomdp.agents import EpisodeAgent, PolicyAgent
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner, policy_of
from commonsense_planning.wording.questions import NextAction


@dataclass(frozen=True)
class PolicyMethodOptions(NamingOptions, PriorOptions, ActingOptions):
    """Options of L-Policy; plans that replace a model's answers are based on its belief."""


class ModelAsPolicy(SolvesByActing):
    """One question a step, one answer."""

    name = "llm-policy"
    summary = "L-Policy, the paper's baseline: do what the model says comes next, without a search"
    world = Observability.SEEN_IN_PART
    Options = PolicyMethodOptions

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        options = acting.request.options_as(PolicyMethodOptions)
        belief = acting.belief if acting.model.answers(NextAction) else acting.believe_as_chosen()
        hindsight = HindsightPlanner(acting.task, BestFirst(acting.compiled), belief, acting.rng)
        questions = acting.next_questions(options.actions)
        policy = policy_of(acting.model, questions, hindsight, acting.matcher, 0.0, 1, acting.note)
        return PolicyAgent(policy, belief, acting.rng)

    def asks(self, acting: EpisodeContext) -> Estimate:
        options = acting.request.options_as(PolicyMethodOptions)
        most = acting.step_limit(options.max_steps)
        asked = acting.fewest_steps(most), most
        return acting.run.estimate(acting.first_question(options.actions), asked, ANSWER_TOKENS)


POLICY = ModelAsPolicy()
