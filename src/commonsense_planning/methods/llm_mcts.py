"""LLM-MCTS among sensing macros (``search.pomdp.sensing_mcts``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from commonsense_planning.config import PolicyAs, option
from commonsense_planning.elicitation.policies import ModelPolicy, Policy
from commonsense_planning.methods.acting_options import ActingOptions, PolicyAblation, PriorAblation
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Estimate
from commonsense_planning.methods.run import ANSWER_TOKENS
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import EpisodeAgent, MacroAgent, ReplanAgent
from commonsense_planning.search.pomdp.belief_search import with_belief_search
from commonsense_planning.search.pomdp.chance_mcts import ChanceMcts
from commonsense_planning.search.pomdp.goal_parts import GoalParts
from commonsense_planning.search.pomdp.lower_bound import LowerBound
from commonsense_planning.search.pomdp.macro_mcts import HOPELESS, MacroMcts, MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts
from commonsense_planning.search.pomdp.travel_cost_mcts import TravelCostMcts
from commonsense_planning.search.pomdp.world_mcts import WorldMcts
from commonsense_planning.wording.questions import NextAction


@dataclass(frozen=True)
class LlmMctsOptions(PriorAblation, PolicyAblation, ActingOptions, MacroMctsOptions):
    """Options of the search."""

    policy_as: PolicyAs = option(
        PolicyAs.EVIDENCE, "Use of the model's policy: as evidence of what is hidden, or only as a prior."
    )


class LlmMcts(SolvesByActing):
    """Tree search among the places to look at."""

    name = "llm-mcts"
    summary = "search among places to look at, with the model's prior, and its policy if it can give one"
    Options = LlmMctsOptions

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        options, belief = acting.request.options_as(LlmMctsOptions), acting.believe_as_chosen()
        mixing = options.mixing if options.asks_policy else 1.0
        mcts: MacroMcts[Any]
        policy = None
        if acting.task.problem.outcomes and belief.known.all():
            mcts = ChanceMcts(acting.compiled, belief, options, acting.rng, mixing)
        elif acting.compiled.sensors.by_worlds:
            mcts = WorldMcts(acting.task, acting.compiled, belief, options, acting.rng, mixing)
            policy = _policy(acting, options)
        else:
            sensing = SensingMacros(acting.task, acting.compiled, belief)
            acting.is_known_enough = sensing.is_known_enough
            many = GoalParts.suit(sensing)
            kind = SensingMcts if SensingMcts.suits(sensing) and not many else TravelCostMcts
            mcts = kind(sensing, belief, options, acting.rng, mixing, options.policy_as)
            policy = _policy(acting, options)
            if many:
                acting.note(
                    f"{sensing.most_parts} goals and {sensing.count} looks are too many to plan for at once: the"
                    f" rest is estimated goal by goal, in {mcts.config.simulations} simulations and"
                    f" {mcts.config.worlds} worlds"
                )
        limits = Limits(acting.request.seconds)
        reason = acting.unreachable_reason(mcts.unreachable_reason)
        planner = BestFirst(acting.compiled)
        otherwise = ReplanAgent(planner, belief, acting.rng, limits, reason)
        agent = MacroAgent(mcts, policy, otherwise, LowerBound(acting.task, HOPELESS))
        return with_belief_search(agent, planner, belief, reason)

    def asks(self, acting: EpisodeContext) -> Estimate:
        """At most one question per step; as a rule one per three steps, since an option takes about three steps."""
        options = acting.request.options_as(LlmMctsOptions)
        if not options.asks_policy:
            return acting.forecast()
        most = acting.step_limit(options.max_steps)
        asked = max(1, acting.fewest_steps(most) // 3), most
        return acting.forecast(acting.first_question(), asked, ANSWER_TOKENS * options.action_answers)


def _policy(acting: EpisodeContext, options: PolicyAblation) -> Policy | None:
    """The model's policy, if it is asked and can answer what comes next."""
    if not options.asks_policy:
        return None
    if not acting.model.answers(NextAction):
        acting.note(f"{acting.model.name} cannot be asked for the next action: gain per cost replaces its policy")
        return None
    questions, samples = acting.next_questions(), options.action_answers
    return ModelPolicy(acting.model, questions, acting.matcher, options.mixing, samples, acting.note)


LLM_MCTS = LlmMcts()
