"""Looking without search: the nearest place first (the nearest-neighbour baseline), or the most probable one for its
cost (greedy)."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.methods.acting import Acting, ActingOptions, PriorOptions
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import Agent, ReplanAgent
from commonsense_planning.search.pomdp.look_order import Index, LookInOrder, chance_by_cost, nearness
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.task import Task


@dataclass(frozen=True)
class GreedyOptions(PriorOptions, ActingOptions):
    """Of the greedy order."""


@dataclass(frozen=True)
class LookOrder:
    """Looks in the order of ``index``. ``prior``: whether the model says how probable the places are; else none is
    asked."""

    name: str
    summary: str
    index: Index
    Options: type[ActingOptions] = ActingOptions
    prior: bool = False
    world: World = World.SEEN_IN_PART

    def why_not(self, task: Task) -> str | None:
        return task.no_world or task.seen_by_acting

    def solve(self, request: Request) -> Solution:
        return Acting(request).act(self.agent, request.options.max_steps)

    def agent(self, acting: Acting) -> Agent:
        belief = acting.believe_as_chosen() if self.prior else acting.belief
        sensing = SensingMacros(acting.task, acting.compiled, belief)
        limits = Limits(acting.request.seconds)
        otherwise = ReplanAgent(BestFirst(acting.compiled), belief, acting.rng, limits, sensing.lost)
        return LookInOrder(sensing, belief, self.index, otherwise)

    def estimate(self, request: Request) -> Estimate | None:
        if not self.prior:
            return None
        acting = Acting(request)
        return acting.run.estimate(None, (0, 0), 0, *acting.placements())


NEAREST = LookOrder(
    "look-nearest",
    "nearest-neighbour baseline: look at the nearest place not yet looked at; asks no model",
    nearness,
)
GREEDY = LookOrder(
    "look-greedy",
    "look where the model's prior is highest for the steps that it takes",
    chance_by_cost,
    GreedyOptions,
    prior=True,
)
