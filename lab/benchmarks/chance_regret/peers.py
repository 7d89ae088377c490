"""POMCP of pomdp-py in the same problems: the generative model is the problem's own, no PDDL is read.

Its particles are drawn anew from the exact belief before each decision, so none ever run out; its tree begins anew.
Roll-outs choose uniformly. The reward is -1 a step; the exploration constant is about the least expected steps.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pomdp_py

from lab.benchmarks.chance_regret.harness import LIMIT, Case, Walk
from lab.benchmarks.chance_regret.model import Outcome, Problem, State

PARTICLES, DEPTH, EXPLORATION = 200, 60, 10.0
PROBE = 30


@dataclass(frozen=True)
class Situation(pomdp_py.State):
    visible: Any
    truth: int


@dataclass(frozen=True)
class Try(pomdp_py.Action):
    step: str


@dataclass(frozen=True)
class Label(pomdp_py.Observation):
    visible: Any
    readings: tuple[bool, ...]


class Transition(pomdp_py.TransitionModel):
    def __init__(self, problem: Problem, rng: random.Random) -> None:
        self.problem, self.rng = problem, rng

    def sample(self, state: Situation, action: Try) -> Situation:
        if self.problem.reached(state.visible):
            return state
        return Situation(drawn(self.problem, state, action.step, self.rng).visible, state.truth)


class Sensing(pomdp_py.ObservationModel):
    def __init__(self, problem: Problem, rng: random.Random) -> None:
        self.problem, self.rng = problem, rng

    def sample(self, next_state: Situation, action: Try) -> Label:
        return Label(next_state.visible, read(self.problem, next_state, self.rng))


class Cost(pomdp_py.RewardModel):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def sample(self, state: Situation, action: Try, next_state: Situation) -> float:
        return 0.0 if self.problem.reached(state.visible) else -1.0


class Uniform(pomdp_py.RolloutPolicy):
    def __init__(self, problem: Problem, rng: random.Random) -> None:
        self.problem, self.rng = problem, rng

    def get_all_actions(self, state: Situation | None = None, history: Any = None) -> list[Try]:
        visible = state.visible if state is not None else self.problem.start
        return [Try(step) for step in self.problem.actions(visible)]

    def rollout(self, state: Situation, history: Any = None) -> Try:
        return self.rng.choice(self.get_all_actions(state))


def drawn(problem: Problem, state: Situation, step: str, rng: random.Random) -> Outcome:
    """One of the outcomes, by their probabilities."""
    outcomes = problem.outcomes(state.visible, state.truth, step)
    return rng.choices(outcomes, [outcome.chance for outcome in outcomes])[0]


def read(problem: Problem, state: Situation, rng: random.Random) -> tuple[bool, ...]:
    """What the sensors show."""
    return tuple(rng.random() < problem.reads(state.truth, about) for about in problem.shown(state.visible))


def affordable(decide: Callable[[int], object], seconds: float) -> int:
    """How many simulations so many seconds of processor time buy, at least one, by a decision with PROBE of them: on a
    busy machine a limit in wall-clock time would give less."""
    began = time.process_time()
    decide(PROBE)
    return max(1, round(PROBE * seconds / (time.process_time() - began)))


def pomcp(case: Case, episode: int, seconds: float) -> Walk:
    """An episode with so many seconds of processor time a decision."""
    random.seed(episode)  # pomdp-py draws with this
    rng, problem = random.Random(episode), case.problem
    policy = Uniform(problem, rng)
    models = policy, Transition(problem, rng), Sensing(problem, rng), Cost(problem)

    def decide(state: State, simulations: int) -> str:
        visible, belief = state
        truths = rng.choices(range(problem.truths), belief, k=PARTICLES)
        agent = pomdp_py.Agent(pomdp_py.Particles([Situation(visible, truth) for truth in truths]), *models)
        search = pomdp_py.POMCP(
            max_depth=DEPTH,
            discount_factor=1.0,
            num_sims=simulations,
            exploration_const=EXPLORATION,
            rollout_policy=policy,
        )
        return str(search.plan(agent).step)

    start = next(state for state, number in case.mdp.numbers.items() if number in case.mdp.initial)
    simulations = affordable(lambda count: decide(start, count), seconds)
    return walked(case, episode, lambda state: decide(state, simulations))


def at_random(case: Case, episode: int) -> Walk:
    """An episode in which all actions are alike: what it is worth not to think."""
    rng = random.Random(episode)
    return walked(case, episode, lambda state: rng.choice(case.problem.actions(state[0])))


def walked(case: Case, episode: int, choose: Callable[[State], str]) -> Walk:
    """An episode of whoever chooses a step by the visible state and the exact belief; "" is one in vain."""
    problem, mdp, walk, world = case.problem, case.mdp, Walk(), random.Random(1000 + episode)
    now = Situation(problem.start, episode % problem.truths)
    state = mdp.begin(read(problem, now, world))
    while walk.steps < LIMIT and not problem.reached(now.visible):
        began = time.process_time()
        action = choose(state)
        walk.seconds += time.process_time() - began
        walk.steps += 1
        walk.regret += mdp.regret(state, action)
        if not action:
            continue  # in vain
        outcome = drawn(problem, now, action, world)
        now = Situation(outcome.visible, now.truth)
        state = mdp.follow(state, action, (outcome.visible, outcome.tag, read(problem, now, world)))
    walk.solved = bool(problem.reached(now.visible))
    return walk
