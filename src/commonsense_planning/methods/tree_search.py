"""LLM-MCTS (Algorithm 1 of Zhao, Lee and Hsu 2023), its ablations, and UCT, which is the same search without common
sense."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from commonsense_planning.config import option
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.acting import Acting, ActingOptions, PolicyOptions, PriorOptions
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.task import Task
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.agents import Agent, DeadEndDetector, MctsAgent
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.hindsight import HindsightPlanner
from commonsense_planning.search.mcts import CHOOSE, Choose, Mcts, MctsOptions
from commonsense_planning.search.parallel_mcts import ParallelMcts
from commonsense_planning.search.policies import Policy, UniformPolicy, policy_of
from commonsense_planning.search.rollouts import RelaxedPlanRollout, UniformRollout
from commonsense_planning.search.uct import CompiledUct

ROLLOUT = "How a new node is judged: by random actions, or by a plan of greedy search."
PAPER_PRIOR_SAMPLES, PAPER_POLICY_SAMPLES = 50, 5
USUAL_SHARE = 0.2  # of the simulations of a decision, those that ask a question


class Guidance(StrEnum):
    """Where the prior or the policy comes from."""

    MODEL = "model"
    UNIFORM = "uniform"


class RolloutKind(StrEnum):
    """How a new node is evaluated."""

    UNIFORM = "uniform"
    RELAXED_PLAN = "relaxed-plan"


@dataclass(frozen=True)
class TreeOptions(ActingOptions, MctsOptions):
    """Of all tree searches."""

    rollout: RolloutKind = option(RolloutKind.RELAXED_PLAN, ROLLOUT)


@dataclass(frozen=True)
class UctOptions(ActingOptions, MctsOptions):
    """Of UCT: the action with the best value is taken, and c is √2, which goes with UCB1 for rewards in [0, 1]."""

    max_steps: int | None = option(30, "Actions of the episode at most.", least=1)

    exploration: float = option(1.414, "The constant c of UCB1.", least=0)
    choose: Choose = option(Choose.VALUE, CHOOSE)


@dataclass(frozen=True)
class NoPolicyOptions(PriorOptions, TreeOptions):
    """Of the search with the model's prior alone."""


@dataclass(frozen=True)
class NoPriorOptions(PolicyOptions, TreeOptions):
    """Of the searches with the model's policy alone."""


@dataclass(frozen=True)
class LlmMctsOptions(PriorOptions, PolicyOptions, TreeOptions):
    """Of the search with both."""


@dataclass(frozen=True)
class PaperPriorOptions(PriorOptions):
    """The same with the M of the published code."""

    ask_again: bool = option(False, "Ask the model again where a thing is that was looked for in vain.")
    prior_samples: int | None = option(
        None, f"Answers that are drawn per placement question [default: {PAPER_PRIOR_SAMPLES}].", least=1
    )

    def placement_answers(self, models: Models) -> int:
        return self.prior_samples or self.samples or PAPER_PRIOR_SAMPLES


@dataclass(frozen=True)
class PaperPolicyOptions(PolicyOptions):
    """The same with the M of the published code."""

    policy_samples: int | None = option(
        None, f"Answers that are drawn per action question [default: {PAPER_POLICY_SAMPLES}].", least=1
    )

    @property
    def action_answers(self) -> int:
        return self.policy_samples or self.samples or PAPER_POLICY_SAMPLES


@dataclass(frozen=True)
class PaperTreeOptions(ActingOptions, MctsOptions):
    """Of Algorithm 1 as printed; a symbol's value is the paper's where the paper has it, else that of the authors'
    published code (1989Ryan/llm-mcts).

    In the paper: N = 100 simulations (appendix E), at most 30 steps (section 3.1), argmax Q (line 8), 1e-3 for what was
    never named (appendix C.2, ``belief.FLOOR``). In the code alone: γ = 0.95; γ^d < ε after 20 actions; c = 24 for a
    reward of 10 at the goal, which is 2.4 for our reward of 1; λ = 0.5; M = 50 for the prior and 5 for the policy. That
    a decision begins with an empty tree 𝒯 is the code's as well: the paper hands 𝒯 in and does not say with what in it.
    """

    max_steps: int | None = option(30, "Actions of the episode at most.", least=1)

    exploration: float = option(2.4, "The constant c of PUCT.", least=0)
    choose: Choose = option(Choose.VALUE, CHOOSE)
    reuse: bool = option(False, "Keep the tree from decision to decision.")


@dataclass(frozen=True)
class PaperOptions(PaperPriorOptions, PaperPolicyOptions, PaperTreeOptions):
    """Of Algorithm 1 with the model's prior and policy."""


@dataclass(frozen=True)
class PaperNoPriorOptions(PaperPolicyOptions, PaperTreeOptions):
    """Of its ablations with the model's policy alone."""


@dataclass(frozen=True)
class PaperNoPolicyOptions(PaperPriorOptions, UctOptions):
    """Of its ablation with the model's prior alone, which is UCT."""

    reuse: bool = option(False, "Keep the tree from decision to decision.")


@dataclass(frozen=True)
class TreeSearch:
    """Monte-Carlo tree search from the belief before each step: what the paper varies are its fields."""

    name: str
    summary: str
    Options: type[Any]
    prior: Guidance = Guidance.MODEL
    policy: Guidance = Guidance.MODEL
    world: World = World.SEEN_IN_PART

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        acting, options = Acting(request, self.world), request.options
        return acting.act(lambda: self._agent(acting, options), options.max_steps, options.simulations)

    def _agent(self, acting: Acting, options: Any) -> Agent:
        models, compiled, rng = acting.request.models, acting.compiled, acting.rng
        belief = acting.belief
        if self.prior is Guidance.MODEL:
            belief = acting.believe(options.placement_answers(models), options.ask_again)
        planner = BestFirst(compiled)
        hindsight = HindsightPlanner(acting.task, planner, belief, rng)
        dead_ends = DeadEndDetector(planner, belief, hindsight)
        return MctsAgent(self._search(acting, belief, hindsight, options), dead_ends)

    def _search(self, acting: Acting, belief: Belief, hindsight: HindsightPlanner, options: Any) -> Mcts:
        compiled, rng, parallel = acting.compiled, acting.rng, acting.request.models.config.parallel
        policy = _policy(acting, hindsight, options) if self.policy is Guidance.MODEL else UniformPolicy()
        uniform = UniformRollout(compiled, rng) if options.rollout is RolloutKind.UNIFORM else None
        if uniform is None or parallel > 1:
            rollout = uniform or RelaxedPlanRollout(hindsight)
            return ParallelMcts(compiled, belief, policy, rollout, options, rng, parallel)
        return Mcts(compiled, belief, policy, uniform, options, rng)

    def estimate(self, request: Request) -> Estimate | None:
        """A decision asks about as many nodes as it visits twice: a fifth of the simulations as a rule, and never more
        than all of them."""
        if self.prior is self.policy is Guidance.UNIFORM:
            return None
        acting, options = Acting(request, self.world), request.options
        placements, answers = [], 0
        if self.prior is Guidance.MODEL:
            placements, answers = acting.placements(), options.placement_answers(request.models)
        if self.policy is Guidance.UNIFORM:
            return acting.run.estimate(None, (0, 0), 0, placements, answers)
        usual = max(1, round(USUAL_SHARE * options.simulations))
        most = acting.step_limit(options.max_steps)
        asked = acting.fewest_steps(most) * usual, most * options.simulations
        question = acting.first_question()
        return acting.run.estimate(question, asked, ANSWER_TOKENS * options.action_answers, placements, answers)


class PaperSearch(TreeSearch):
    """Algorithm 1 word for word: random roll-outs, one simulation at a time, and the model is asked at a node when a
    simulation first chooses there (lines 23 to 28), however many calls the model could take at a time."""

    def _search(self, acting: Acting, belief: Belief, hindsight: HindsightPlanner, options: Any) -> Mcts:
        policy, rollout = _policy(acting, hindsight, options), UniformRollout(acting.compiled, acting.rng)
        return Mcts(acting.compiled, belief, policy, rollout, options, acting.rng)


class UctSearch(TreeSearch):
    """The same without a policy: UCB1 selects, roll-outs are random."""

    def _search(self, acting: Acting, belief: Belief, hindsight: HindsightPlanner, options: Any) -> Mcts:
        return CompiledUct(acting.compiled, belief, UniformRollout(acting.compiled, acting.rng), options, acting.rng)


def _policy(acting: Acting, hindsight: HindsightPlanner, options: PolicyOptions) -> Policy:
    samples = options.action_answers
    return policy_of(
        acting.model, hindsight, acting.say, acting.matcher, acting.goal, options.mixing, samples, acting.note
    )


LLM_MCTS = TreeSearch("llm-mcts", "Algorithm 1: search with the model's prior belief and policy", LlmMctsOptions)
LLM_MCTS_PAPER = PaperSearch(
    "llm-mcts-paper", "Algorithm 1 word for word: random roll-outs, one simulation at a time, argmax Q", PaperOptions
)
PAPER_NO_POLICY = UctSearch(
    "llm-mcts-paper-no-policy",
    "ablation of llm-mcts-paper: UCT from the model's prior, no policy",
    PaperNoPolicyOptions,
    policy=Guidance.UNIFORM,
)
PAPER_UNIFORM_PRIOR = PaperSearch(
    "llm-mcts-paper-uniform-prior",
    "ablation of llm-mcts-paper: uniform prior",
    PaperNoPriorOptions,
    prior=Guidance.UNIFORM,
)
PAPER_OBSERVABLE = PaperSearch(
    "llm-mcts-paper-observable",
    "ablation of llm-mcts-paper: the true world is known from the start",
    PaperNoPriorOptions,
    prior=Guidance.UNIFORM,
    world=World.KNOWN,
)
UCT = UctSearch(
    "uct",
    "UCT: uniform prior, UCB1, random roll-outs: no common sense",
    UctOptions,
    prior=Guidance.UNIFORM,
    policy=Guidance.UNIFORM,
)
NO_POLICY = TreeSearch(
    "llm-mcts-no-policy", "ablation: the model's prior, uniform policy", NoPolicyOptions, policy=Guidance.UNIFORM
)
UNIFORM_PRIOR = TreeSearch(
    "llm-mcts-uniform-prior", "ablation: uniform prior, the model's policy", NoPriorOptions, prior=Guidance.UNIFORM
)
OBSERVABLE = TreeSearch(
    "llm-mcts-observable",
    "ablation: the true world is known from the start",
    NoPriorOptions,
    prior=Guidance.UNIFORM,
    world=World.KNOWN,
)
