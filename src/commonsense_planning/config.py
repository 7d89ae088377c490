"""Settings, frozen and checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from commonsense_planning.errors import UsageError


class RolloutKind(StrEnum):
    """How a new node is evaluated."""

    UNIFORM = "uniform"
    RELAXED_PLAN = "relaxed-plan"


class Choice(StrEnum):
    """By what the action is chosen at the root after the simulations."""

    VALUE = "q"
    VISITS = "visits"


@dataclass(frozen=True)
class SearchConfig:
    """The numbers of Algorithm 1 and around it.

    ``simulations``: N. ``depth``: the horizon of a simulation, in actions. ``discount``: γ. ``exploration``:
    c, for rewards in [0, 1]. ``mixing``: λ. ``max_steps``: real actions of an episode. ``policy_samples``,
    ``prior_samples``: M for the policy and for the prior. Raises UsageError for a number out of its range.
    """

    simulations: int = 100
    depth: int = 20
    discount: float = 0.95
    exploration: float = 0.3
    mixing: float = 0.5
    max_steps: int = 30
    policy_samples: int = 10
    prior_samples: int = 100

    def __post_init__(self) -> None:
        for name in ("simulations", "depth", "max_steps", "policy_samples", "prior_samples"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.discount <= 1:
            raise UsageError(f"discount must be in (0, 1], not {self.discount}")
        if not 0 <= self.mixing <= 1:
            raise UsageError(f"lambda must be in [0, 1], not {self.mixing}")
        if not self.exploration >= 0:
            raise UsageError(f"exploration must not be negative, not {self.exploration}")
