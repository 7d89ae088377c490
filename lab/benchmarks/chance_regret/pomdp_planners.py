"""POMCP of POMDPPlanners in the same problems, as ``peers`` has pomdp-py's.

Its actions are the same in every state, so they are numbers here: the k-th of those that can be tried; one that there
is not is a step in vain.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np
from POMDPPlanners.core.belief import get_initial_belief
from POMDPPlanners.core.distributions import DiscreteDistribution
from POMDPPlanners.core.environment import DiscreteActionsEnvironment, SpaceInfo, SpaceType
from POMDPPlanners.planners.mcts_planners.pomcp import POMCP

from lab.benchmarks.chance_regret.harness import Case, Walk
from lab.benchmarks.chance_regret.model import Problem, State
from lab.benchmarks.chance_regret.peers import DEPTH, EXPLORATION, PARTICLES, Situation, affordable, drawn, read, walked


class World(DiscreteActionsEnvironment):  # type: ignore[misc]
    """A problem as its generative model."""

    def __init__(self, problem: Problem, most: int, rng: random.Random) -> None:
        kinds = SpaceInfo(action_space=SpaceType.DISCRETE, observation_space=SpaceType.DISCRETE)
        super().__init__(discount_factor=1.0, name="problem", space_info=kinds)
        self.problem, self.most, self.rng = problem, most, rng
        self.now: State = problem.start, (1.0 / problem.truths,) * problem.truths  # where it begins

    def get_actions(self) -> list[int]:
        return list(range(self.most))

    def reward(self, state: Situation, action: int, next_state: Any = None) -> float:
        return 0.0 if self.is_terminal(state) else -1.0

    def is_terminal(self, state: Situation) -> bool:
        return bool(self.problem.reached(state.visible))

    def sample_next_state(self, state: Situation, action: int, n_samples: int = 1) -> Any:
        found = [self._next(state, action) for _ in range(n_samples)]
        return found[0] if n_samples == 1 else found

    def _next(self, state: Situation, action: int) -> Situation:
        steps = self.problem.actions(state.visible)
        if self.is_terminal(state) or action >= len(steps):
            return state
        return Situation(drawn(self.problem, state, steps[action], self.rng).visible, state.truth)

    def sample_observation(self, next_state: Situation, action: int, n_samples: int = 1) -> Any:
        found = [(next_state.visible, read(self.problem, next_state, self.rng)) for _ in range(n_samples)]
        return found[0] if n_samples == 1 else found

    def is_equal_observation(self, observation1: Any, observation2: Any) -> bool:
        return bool(observation1 == observation2)

    def hash_observation(self, observation: Any) -> Hashable:
        return observation  # type: ignore[no-any-return]

    def hash_action(self, action: int) -> Hashable:
        return action

    def initial_state_dist(self) -> DiscreteDistribution:
        visible, belief = self.now
        return DiscreteDistribution([Situation(visible, t) for t in range(len(belief))], np.array(belief) / sum(belief))

    def initial_observation_dist(self) -> DiscreteDistribution:
        raise NotImplementedError

    def transition_log_probability(self, state: Any, action: Any, next_states: Any) -> Any:
        raise NotImplementedError

    def observation_log_probability(self, next_state: Any, action: Any, observations: Any) -> Any:
        raise NotImplementedError


def pomcp(case: Case, episode: int, seconds: float) -> Walk:
    """An episode with so many seconds of processor time a decision."""
    random.seed(episode)  # POMDPPlanners draws with both
    np.random.seed(episode)
    world = World(case.problem, max(map(len, case.mdp.choices)), random.Random(episode))

    @cache
    def search(simulations: int) -> POMCP:
        return POMCP(world, 1.0, DEPTH, EXPLORATION, "pomcp", n_simulations=simulations)

    def decide(state: State, simulations: int) -> str:
        world.now = state
        [action], _ = search(simulations).action(get_initial_belief(world, n_particles=PARTICLES))
        steps = case.problem.actions(state[0])
        return steps[action] if action < len(steps) else ""

    start = next(state for state, number in case.mdp.numbers.items() if number in case.mdp.initial)
    simulations = affordable(lambda count: decide(start, count), seconds)
    return walked(case, episode, lambda state: decide(state, simulations))
