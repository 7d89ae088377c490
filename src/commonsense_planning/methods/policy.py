"""L-Policy, the LLM-MCTS paper's second baseline: do at once what the model says comes next; no search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.methods.acting import Acting, ActingOptions, PriorOptions
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.task import Task
from commonsense_planning.search.agents import Agent, PolicyAgent
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.hindsight import HindsightPlanner
from commonsense_planning.search.policies import ModelPolicy


@dataclass(frozen=True)
class PolicyMethodOptions(PriorOptions, ActingOptions):
    """Of L-Policy; what the embedded model says comes next rests on where it believes things to be."""


class ModelAsPolicy:
    """One question a step, one answer."""

    name = "llm-policy"
    summary = "L-Policy, the paper's baseline: do at once what the model says comes next; no search"
    world = World.SEEN_IN_PART
    Options = PolicyMethodOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options: PolicyMethodOptions = request.options
        acting, models = Acting(request, self.world), request.models

        def agent() -> Agent:
            belief = acting.believe(options.placement_answers(models) if models.config.embedded else None)
            hindsight = HindsightPlanner(acting.task, BestFirst(acting.compiled), belief, acting.rng)
            policy = ModelPolicy(acting.model, acting.say, acting.matcher, hindsight, acting.goal, 0.0, 1, acting.note)
            return PolicyAgent(policy, belief, acting.rng)

        return acting.act(agent, options.max_steps)

    def estimate(self, request: Request) -> Estimate | None:
        options: PolicyMethodOptions = request.options
        acting = Acting(request, self.world)
        hindsight = HindsightPlanner(acting.task, BestFirst(acting.compiled), acting.belief, acting.rng)
        nobody = EmbeddedModel(np.random.default_rng(request.seed))  # a policy has a model; this one is not asked
        policy = ModelPolicy(nobody, acting.say, acting.matcher, hindsight, request.instruction, 0.0, 1)
        asked = acting.fewest_steps(options.max_steps), options.max_steps
        return acting.run.estimate(policy.question(acting.first_situation()), asked, ANSWER_TOKENS)


POLICY = ModelAsPolicy()
