"""The methods of the LLM-MCTS paper (Zhao, Lee and Hsu 2023): Algorithm 1; UCT, the same search without common sense;
and L-Policy, which carries out what the model answers. cplan's extended search is in ``llm_mcts``."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.config import option
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.acting_options import (
    ActingOptions,
    NamingOptions,
    PolicyAblation,
    PriorAblation,
    PriorOptions,
)
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Estimate
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.pomdp.agents import DeadEndDetector, EpisodeAgent, MctsAgent, PolicyAgent
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner, policy_of
from commonsense_planning.search.pomdp.mcts import Mcts, MctsOptions, UniformRollout
from commonsense_planning.search.pomdp.uct import Uct
from commonsense_planning.task import Task
from commonsense_planning.wording.questions import NextAction

PAPER_PRIOR_SAMPLES, PAPER_POLICY_SAMPLES = 50, 5
USUAL_SHARE = 0.2  # share of a decision's simulations that ask a question


@dataclass(frozen=True)
class TreeOptions(ActingOptions, MctsOptions):
    """Options of both: at most 30 steps, as in the paper (section 3.1)."""

    max_steps: int | None = option(30, "Limit on the actions of an episode.", least=1)


@dataclass(frozen=True)
class UctOptions(TreeOptions):
    """Options of UCT: the tree is kept from decision to decision."""

    reuse: bool = option(True, "Begin each decision with an empty tree.")


@dataclass(frozen=True)
class PaperOptions(NamingOptions, PriorAblation, PolicyAblation, TreeOptions):
    """Options of Algorithm 1: M = 50 for the prior and 5 for the policy, as in the authors' published code; λ = 0.5 is
    also the code's."""

    ask_again: bool = option(False, "Ask the model again about a thing that was not found where it is likely.")
    already_there: float = option(
        1.0, "Probability, at most, that a wanted thing is where the goal wants it from the start.", least=0, most=1
    )
    prior_samples: int | None = option(
        None, f"Answers sampled per placement question [default: {PAPER_PRIOR_SAMPLES}].", least=1
    )
    policy_samples: int | None = option(
        None, f"Answers sampled per action question [default: {PAPER_POLICY_SAMPLES}].", least=1
    )

    def placement_answers(self, models: ModelSession) -> int:
        return self.prior_samples or self.samples or PAPER_PRIOR_SAMPLES

    @property
    def action_answers(self) -> int:
        return self.policy_samples or self.samples or PAPER_POLICY_SAMPLES


class UctSearch(SolvesByActing):
    """UCT from the belief before each step, with random roll-outs: the prior is uniform, and UCB1 selects."""

    name = "uct"
    summary = "UCT: uniform prior, UCB1, random roll-outs: no common sense"
    Options: type[TreeOptions] = UctOptions

    def why_not(self, task: Task) -> str | None:
        return super().why_not(task) or task.correlated

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        compiled, rng, belief = acting.compiled, acting.rng, acting.belief
        uct = Uct(compiled, belief, UniformRollout(compiled, rng), acting.request.options_as(TreeOptions), rng)
        return MctsAgent(uct, DeadEndDetector(BestFirst(compiled), belief, _hindsight(acting)))

    def asks(self, acting: EpisodeContext) -> Estimate | None:
        return None


class PaperSearch(UctSearch):
    """Algorithm 1 word for word: one simulation at a time, and the model is asked at a node when a simulation first
    chooses there (lines 23 to 28), regardless of how many concurrent calls it allows. Without its policy, UCT."""

    name = "llm-mcts-paper"
    summary = "Algorithm 1 word for word: random roll-outs, one simulation at a time, argmax Q"
    Options = PaperOptions

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        options = acting.request.options_as(PaperOptions)
        belief = acting.believe_as_chosen()
        if not options.asks_policy:
            return super().agent(acting)
        compiled, rng, hindsight = acting.compiled, acting.rng, _hindsight(acting)
        policy = policy_of(
            acting.model,
            acting.next_questions(options.actions),
            hindsight,
            acting.matcher,
            options.mixing,
            options.action_answers,
            acting.note,
        )
        mcts = Mcts(compiled, belief, UniformRollout(compiled, rng), options, rng, policy)
        return MctsAgent(mcts, DeadEndDetector(BestFirst(compiled), belief, hindsight))

    def asks(self, acting: EpisodeContext) -> Estimate:
        """A decision asks about the nodes that it visits twice: usually a fifth of the simulations, and at most all of
        them."""
        options = acting.request.options_as(PaperOptions)
        if not options.asks_policy:
            return acting.forecast()
        usual = max(1, round(USUAL_SHARE * options.simulations))
        most = acting.step_limit(options.max_steps)
        asked = acting.fewest_steps(most) * usual, most * options.simulations
        question = acting.first_question(options.actions)
        return acting.forecast(question, asked, ANSWER_TOKENS * options.action_answers)


@dataclass(frozen=True)
class PolicyMethodOptions(NamingOptions, PriorOptions, ActingOptions):
    """Options of L-Policy; plans that replace a model's answers are based on its belief."""


class ModelAsPolicy(SolvesByActing):
    """The paper's second baseline: one question a step, one answer."""

    name = "llm-policy"
    summary = "L-Policy, the paper's baseline: do what the model says comes next, without a search"
    Options = PolicyMethodOptions

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        options = acting.request.options_as(PolicyMethodOptions)
        belief = acting.belief if acting.model.answers(NextAction) else acting.believe_as_chosen()
        questions = acting.next_questions(options.actions)
        policy = policy_of(acting.model, questions, _hindsight(acting), acting.matcher, 0.0, 1, acting.note)
        return PolicyAgent(policy, belief, acting.rng)

    def asks(self, acting: EpisodeContext) -> Estimate:
        options = acting.request.options_as(PolicyMethodOptions)
        most = acting.step_limit(options.max_steps)
        asked = acting.fewest_steps(most), most
        return acting.run.estimate(acting.first_question(options.actions), asked, ANSWER_TOKENS)


def _hindsight(acting: EpisodeContext) -> HindsightPlanner:
    return HindsightPlanner(acting.task, BestFirst(acting.compiled), acting.belief, acting.rng)


LLM_MCTS_PAPER = PaperSearch()
UCT = UctSearch()
POLICY = ModelAsPolicy()
