"""Looking without search: the nearest place first (the nearest-neighbour baseline), or the most probable one for its
cost (greedy)."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.methods.acting_options import ActingOptions, PriorOptions
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Estimate, Observability
from commonsense_planning.methods.simulated import SolvesByActing
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import EpisodeAgent, ReplanAgent
from commonsense_planning.search.pomdp.look_order import Index, LookInOrder, chance_by_cost, nearness
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.task import Task


@dataclass(frozen=True)
class LookGreedyOptions(PriorOptions, ActingOptions):
    """Options of the greedy order."""


@dataclass(frozen=True)
class LookOrder(SolvesByActing):
    """Looks in the order of ``index``. ``prior``: whether the model gives the probabilities of the places; else no
    model is asked."""

    name: str
    summary: str
    index: Index
    Options: type[ActingOptions] = ActingOptions
    prior: bool = False
    world: Observability = Observability.SEEN_IN_PART

    def why_not(self, task: Task) -> str | None:
        return super().why_not(task) or task.seen_by_acting

    def agent(self, acting: EpisodeContext) -> EpisodeAgent:
        belief = acting.believe_as_chosen() if self.prior else acting.belief
        sensing = SensingMacros(acting.task, acting.compiled, belief)
        acting.is_known_enough = sensing.is_known_enough
        limits = Limits(acting.request.seconds)
        reason = acting.unreachable_reason(sensing.unreachable_reason)
        otherwise = ReplanAgent(BestFirst(acting.compiled), belief, acting.rng, limits, reason)
        return LookInOrder(sensing, belief, self.index, otherwise)

    def asks(self, acting: EpisodeContext) -> Estimate | None:
        return acting.forecast() if self.prior else None


NEAREST = LookOrder(
    "look-nearest", "nearest-neighbour baseline: look at the nearest place not yet looked at; asks no model", nearness
)
GREEDY = LookOrder(
    "look-greedy",
    "look where the model's prior per step of walking is highest",
    chance_by_cost,
    LookGreedyOptions,
    prior=True,
)
