"""Replanning: greedy best-first search in the likeliest believed world, act, plan again if surprised."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.methods.acting import Acting, ActingOptions, PriorAblation
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import Agent, ReplanAgent
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.sense_and_replan import SenseAndReplanAgent
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.world_mcts import WorldMcts
from commonsense_planning.task import Task


@dataclass(frozen=True)
class ReplanOptions(PriorAblation, ActingOptions):
    """Of replanning."""


class Replan:
    """A model's prior, and a planner for the rest."""

    name = "llm-replan"
    summary = "plan with gbfs in the likeliest believed world, act, plan again if surprised"
    world = World.SEEN_IN_PART
    Options = ReplanOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options: ReplanOptions = request.options
        return Acting(request).act(self.agent, options.max_steps)

    def agent(self, acting: Acting) -> Agent:
        belief = acting.believe_as_chosen()
        planner, limits = BestFirst(acting.compiled), Limits(acting.request.seconds)
        if acting.compiled.sensors.by_worlds:
            macros = WorldMcts(acting.task, acting.compiled, belief, MacroMctsOptions(), acting.rng)
            return SenseAndReplanAgent(planner, belief, macros, limits)
        sensing = SensingMacros(acting.task, acting.compiled, belief)
        return ReplanAgent(planner, belief, acting.rng, limits, sensing.lost)

    def estimate(self, request: Request) -> Estimate | None:
        options: ReplanOptions = request.options
        if not options.asks_prior:
            return None
        acting = Acting(request)
        return acting.run.estimate(None, (0, 0), 0, *acting.placements())


REPLAN = Replan()
