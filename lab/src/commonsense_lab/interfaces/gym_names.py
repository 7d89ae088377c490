"""The laboratory's environments by name, for ``gymnasium.make`` and ``make_vec``; they are imported when made."""

from __future__ import annotations

from commonsense_planning.interfaces.gym import HOUSEHOLD_STEPS, register_env

ALFWORLD_STEPS = 50  # the usual limit of an episode; max_episode_steps sets another
_SINGLE = "commonsense_planning.interfaces.gym:TaskEnv"
_VECTOR = "commonsense_lab.interfaces.gym_vector:TaskVectorEnv"
_ALFWORLD = "commonsense_lab.interfaces.gym_alfworld"


def register() -> None:
    """Registers ALFWorld's games, and copies of a task that are stepped together, with Gymnasium."""
    register_env("cplan/Task-v0", _SINGLE, vector=_VECTOR)
    register_env("cplan/Household-v0", _SINGLE, {"domain": "household:demo"}, HOUSEHOLD_STEPS, _VECTOR)
    games = f"{_ALFWORLD}:alfworld_vector_env"
    register_env("cplan/ALFWorld-v0", f"{_ALFWORLD}:alfworld_env", {}, ALFWORLD_STEPS, games)
