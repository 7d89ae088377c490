"""Tabular Q-learning in a small household in which the apple may be anywhere: the agent learns where to look."""

from __future__ import annotations

from collections import defaultdict

import gymnasium
import numpy as np

import commonsense_planning as cplan

EPISODES, EVALUATED = 6000, 500
DISCOUNT, RATE, EXPLORATION = 0.9, 0.3, 0.3

cplan.register_envs()
env = gymnasium.make("cplan/Household-v0", domain="household:small-apple", max_episode_steps=30)
rng = np.random.default_rng(0)

# What was seen once stays in the observation: it is all that an agent has to remember, and so the table's key.
values: defaultdict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(env.action_space.n))


def episode(exploration: float, seed: int | None = None) -> tuple[list[tuple[bytes, int]], float]:
    """Play an episode: what was seen and done in each step, and the reward in the end."""
    observation, info = env.reset(seed=seed)
    steps, done = [], False
    while not done:
        seen, possible = observation.tobytes(), np.flatnonzero(info["action_mask"])
        best = possible[values[seen][possible] == values[seen][possible].max()]
        action = int(rng.choice(possible if rng.random() < exploration else best))
        steps.append((seen, action))
        observation, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated
    return steps, float(reward)


def evaluate(policy: str, exploration: float) -> None:
    """Print how often the goal is reached, and in how many steps."""
    played = [episode(exploration) for _ in range(EVALUATED)]
    reached, steps = np.mean([reward for _, reward in played]), np.mean([len(steps) for steps, _ in played])
    print(f"{policy}: the apple is on the table in {reached:.0%} of the episodes, {steps:.1f} steps each")


env.reset(seed=0)
evaluate("at random", exploration=1.0)
for _ in range(EPISODES):
    steps, target = episode(EXPLORATION)
    for seen, action in reversed(steps):  # so that one episode teaches all of its steps
        values[seen][action] += RATE * (target - values[seen][action])
        target = DISCOUNT * values[seen].max()
evaluate("after learning", exploration=0.0)
for _, action in episode(exploration=0.0, seed=1)[0]:
    print(env.unwrapped.ground.step(action))
