"""The rows of the comparison of models."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_lab.runner.rows import Asked, Labels


@dataclass(frozen=True, kw_only=True)
class ModelLabels(Labels):
    """One ``task`` of a ``skill`` with a ``model``."""

    skill: str
    task: str
    seed: int
    model: str


@dataclass(frozen=True)
class Guess:
    """What a model believed of a ``thing`` of which it was asked where it is, among so many ``places``: the probability
    ``top`` of the likeliest place, whether it was there (``right``), ``log_loss`` of the true place and of the uniform
    belief, in nats."""

    thing: str
    places: int
    top: float
    right: bool
    log_loss: float
    uniform: float


@dataclass(frozen=True, kw_only=True)
class ModelOutcome(Asked):
    """``success``, and in words why not; ``steps`` of the plan and ``guesses`` where the skill has them. ``waiting``:
    seconds in which nothing went on but waiting for the model; ``thinking_tokens``: tokens of thoughts, as far as the
    endpoint says; ``unmatched``: phrases that fitted nothing."""

    success: bool
    reason: str
    steps: int | None
    guesses: list[Guess]
    waiting: float
    thinking_tokens: int
    unmatched: int
    model_note: str


@dataclass(frozen=True, kw_only=True)
class ModelRow(ModelLabels, ModelOutcome):
    """What came of an episode."""
