"""LLM-MCTS (Algorithm 1 of Zhao, Lee and Hsu 2023), its ablations, and UCT, which is the same search without common
sense."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from commonsense_planning.config import option
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
        belief = acting.believe(options.placement_answers(models) if self.prior is Guidance.MODEL else None)
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
        asked = acting.fewest_steps(options.max_steps) * usual, options.max_steps * options.simulations
        question = acting.first_question()
        return acting.run.estimate(question, asked, ANSWER_TOKENS * options.action_answers, placements, answers)


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
