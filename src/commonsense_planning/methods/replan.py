"""Replanning: greedy best-first search in the most likely world, act, plan again after a surprise."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.methods.acting_options import ActingOptions, PriorAblation
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Estimate
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.classical.best_first import BestFirst, ExpectedAttemptsPlanner
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import EpisodeAgent, ReplanAgent
from commonsense_planning.search.pomdp.belief_search import with_belief_search
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.sense_and_replan import SenseAndReplanAgent
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.world_mcts import WorldMcts


@dataclass(frozen=True)
class ReplanOptions(PriorAblation, ActingOptions):
    """Options of replanning."""


class Replan(SolvesByActing):
    """A model's prior, and a planner for the rest."""

    name = "llm-replan"
    summary = "plan with gbfs in the most likely world, act, plan again after a surprise"
    Options = ReplanOptions

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        belief = acting.believe_as_chosen()
        limits = Limits(acting.request.seconds)
        if acting.task.problem.outcomes and belief.known.all():
            return ReplanAgent(ExpectedAttemptsPlanner(acting.compiled), belief, acting.rng, limits)
        planner = BestFirst(acting.compiled)
        if acting.compiled.sensors.by_worlds:
            macros = WorldMcts(acting.task, acting.compiled, belief, MacroMctsOptions(), acting.rng)
            reason = acting.unreachable_reason(str)
            return with_belief_search(SenseAndReplanAgent(planner, belief, macros, limits), planner, belief, reason)
        sensing = SensingMacros(acting.task, acting.compiled, belief)
        acting.is_known_enough = sensing.is_known_enough
        reason = acting.unreachable_reason(sensing.unreachable_reason)
        agent = ReplanAgent(planner, belief, acting.rng, limits, reason, sensing)
        return with_belief_search(agent, planner, belief, reason)

    def asks(self, acting: EpisodeContext) -> Estimate | None:
        options = acting.request.options_as(ReplanOptions)
        return acting.forecast() if options.asks_prior else None


REPLAN = Replan()
