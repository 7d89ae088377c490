"""LLM-MCTS as the paper has it (Algorithm 1 of Zhao, Lee and Hsu 2023), its ablations, and UCT, which is the same
search without common sense. Our own search, which goes beyond it, is ``look_search``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from commonsense_planning.config import option
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.acting import Acting, ActingOptions, NamingOptions, PolicyOptions, PriorOptions
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.task import Task
from commonsense_planning.search.agents import Agent, DeadEndDetector, MctsAgent
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.hindsight import HindsightPlanner
from commonsense_planning.search.mcts import Mcts, MctsOptions, UniformRollout
from commonsense_planning.search.policies import policy_of
from commonsense_planning.search.uct import CompiledUct

PAPER_PRIOR_SAMPLES, PAPER_POLICY_SAMPLES = 50, 5
USUAL_SHARE = 0.2  # of the simulations of a decision, those that ask a question


@dataclass(frozen=True)
class TreeOptions(ActingOptions, MctsOptions):
    """Of all of them: at most 30 steps, as the paper has it (section 3.1)."""

    max_steps: int | None = option(30, "Actions of the episode at most.", least=1)


@dataclass(frozen=True)
class UctOptions(TreeOptions):
    """Of UCT: c is √2, which goes with UCB1 for rewards in [0, 1]; the tree goes along from decision to decision."""

    exploration: float = option(1.414, "The constant c of UCB1.", least=0)
    reuse: bool = option(True, "Begin each decision with an empty tree.")


@dataclass(frozen=True)
class PaperPriorOptions(PriorOptions):
    """The same with M = 50, as the authors' published code has it."""

    ask_again: bool = option(False, "Ask the model again where a thing is that was looked for in vain.")
    prior_samples: int | None = option(
        None, f"Answers that are drawn per placement question [default: {PAPER_PRIOR_SAMPLES}].", least=1
    )

    def placement_answers(self, models: Models) -> int:
        return self.prior_samples or self.samples or PAPER_PRIOR_SAMPLES


@dataclass(frozen=True)
class PaperPolicyOptions(NamingOptions, PolicyOptions):
    """The same with M = 5, as the authors' published code has it; λ = 0.5 is the code's as well."""

    policy_samples: int | None = option(
        None, f"Answers that are drawn per action question [default: {PAPER_POLICY_SAMPLES}].", least=1
    )

    @property
    def action_answers(self) -> int:
        return self.policy_samples or self.samples or PAPER_POLICY_SAMPLES


@dataclass(frozen=True)
class PaperOptions(PaperPriorOptions, PaperPolicyOptions, TreeOptions):
    """Of Algorithm 1 with the model's prior and policy."""


@dataclass(frozen=True)
class PaperNoPriorOptions(PaperPolicyOptions, TreeOptions):
    """Of its ablations with the model's policy alone."""


@dataclass(frozen=True)
class PaperNoPolicyOptions(PaperPriorOptions, UctOptions):
    """Of its ablation with the model's prior alone, which is UCT."""

    reuse: bool = option(False, "Keep the tree from decision to decision.")


@dataclass(frozen=True)
class TreeSearch:
    """Monte-Carlo tree search from the belief before each step: what the paper varies are its fields. ``prior``,
    ``policy``: whether they are the model's; else they are uniform.

    With a policy it is Algorithm 1 word for word: random roll-outs, one simulation at a time, and the model is asked at
    a node when a simulation first chooses there (lines 23 to 28), however many calls the model could take at a time.
    Without one it is UCT: UCB1 selects.
    """

    name: str
    summary: str
    Options: type[Any]
    prior: bool = True
    policy: bool = True
    world: World = World.SEEN_IN_PART

    def why_not(self, task: Task) -> str | None:
        return task.no_world or (task.tied if self.world is World.SEEN_IN_PART else None)

    def solve(self, request: Request) -> Solution:
        acting, options = Acting(request, self.world), request.options
        return acting.act(self.agent, options.max_steps, options.simulations)

    def agent(self, acting: Acting) -> Agent:
        options: Any = acting.request.options
        compiled, rng, belief = acting.compiled, acting.rng, acting.belief
        if self.prior:
            belief = acting.believe(options.placement_answers(acting.request.models), options.ask_again)
        planner = BestFirst(compiled)
        hindsight = HindsightPlanner(acting.task, planner, belief, rng)
        dead_ends = DeadEndDetector(planner, belief, hindsight)
        if not self.policy:
            return MctsAgent(CompiledUct(compiled, belief, UniformRollout(compiled, rng), options, rng), dead_ends)
        policy = policy_of(
            acting.model,
            acting.next_questions(options.actions),
            hindsight,
            acting.matcher,
            options.mixing,
            options.action_answers,
            acting.note,
        )
        return MctsAgent(Mcts(compiled, belief, policy, UniformRollout(compiled, rng), options, rng), dead_ends)

    def estimate(self, request: Request) -> Estimate | None:
        """A decision asks about as many nodes as it visits twice: a fifth of the simulations as a rule, and never more
        than all of them."""
        if not (self.prior or self.policy):
            return None
        acting, options = Acting(request, self.world), request.options
        placements, answers = [], 0
        if self.prior:
            placements, answers = acting.placements(), options.placement_answers(request.models)
        if not self.policy:
            return acting.run.estimate(None, (0, 0), 0, placements, answers)
        usual = max(1, round(USUAL_SHARE * options.simulations))
        most = acting.step_limit(options.max_steps)
        asked = acting.fewest_steps(most) * usual, most * options.simulations
        question = acting.first_question(options.actions)
        return acting.run.estimate(question, asked, ANSWER_TOKENS * options.action_answers, placements, answers)


LLM_MCTS_PAPER = TreeSearch(
    "llm-mcts-paper", "Algorithm 1 word for word: random roll-outs, one simulation at a time, argmax Q", PaperOptions
)
PAPER_NO_POLICY = TreeSearch(
    "llm-mcts-paper-no-policy",
    "ablation of llm-mcts-paper: UCT from the model's prior, no policy",
    PaperNoPolicyOptions,
    policy=False,
)
PAPER_UNIFORM_PRIOR = TreeSearch(
    "llm-mcts-paper-uniform-prior", "ablation of llm-mcts-paper: uniform prior", PaperNoPriorOptions, prior=False
)
PAPER_OBSERVABLE = TreeSearch(
    "llm-mcts-paper-observable",
    "ablation of llm-mcts-paper: the true world is known from the start",
    PaperNoPriorOptions,
    prior=False,
    world=World.KNOWN,
)
UCT = TreeSearch(
    "uct", "UCT: uniform prior, UCB1, random roll-outs: no common sense", UctOptions, prior=False, policy=False
)
