"""Settings, frozen and checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from commonsense_planning.errors import UsageError


class RolloutKind(StrEnum):
    """How a new node is evaluated."""

    UNIFORM = "uniform"
    RELAXED_PLAN = "relaxed-plan"


class Choice(StrEnum):
    """By what the action is chosen at the root after the simulations."""

    VALUE = "q"
    VISITS = "visits"


class GuideLevel(StrEnum):
    """What a solution estimate is written in (common-sense heuristics, section 3.2)."""

    NONE = "none"
    LOW = "low"  # the language of the actions
    HIGH = "high"  # English


class GuideKnowledge(StrEnum):
    """What whoever writes a guide is told of the environment (common-sense heuristics, section 4.1); each level tells
    what the one before it tells, and more."""

    NONE = "none"
    OBJECTS = "objects"
    STATIC = "static"  # and their properties that never change
    DYNAMIC = "dynamic"  # and those that do


@dataclass(frozen=True)
class ClimbConfig:
    """The settings of hill climbing with a model's choices (common-sense heuristics, sections 3.2 and 4.1).

    ``partition``: actions a question lists at most. ``repeats``: limit on the cumulative number of repeated questions.
    ``guide``, ``knowledge``: the solution estimate, and what its writer is told. Not in the paper: ``beam``, the number
    of sequences kept; ``backtrack``, ``think`` and ``rules``, see ``search.hill_climbing`` and ``ChooseAction``.
    Raises UsageError for a number out of its range.
    """

    partition: int = 100
    repeats: int = 10
    guide: GuideLevel = GuideLevel.NONE
    knowledge: GuideKnowledge = GuideKnowledge.NONE
    beam: int = 1
    backtrack: bool = False
    think: bool = False
    rules: bool = False

    def __post_init__(self) -> None:
        for name, least in (("partition", 1), ("repeats", 0), ("beam", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}")


@dataclass(frozen=True)
class SearchConfig:
    """The numbers of Algorithm 1 and around it.

    ``simulations``: N. ``depth``: the horizon of a simulation, in actions. ``discount``: γ. ``exploration``:
    c, for rewards in [0, 1]. ``mixing``: λ. ``max_steps``: real actions of an episode. ``policy_samples``,
    ``prior_samples``: M for the policy and for the prior. ``reuse``: the tree goes along from decision to decision.
    ``breadth``: of travelling, how many ways are taken of those that a model predicts from a place;
    ``both_ends``, which is not in the paper: it is asked about the destination too, and ways are taken to lead back.
    Raises UsageError for a number out of its range.
    """

    simulations: int = 100
    depth: int = 20
    discount: float = 0.95
    exploration: float = 0.3
    mixing: float = 0.5
    max_steps: int = 30
    policy_samples: int = 10
    prior_samples: int = 100
    reuse: bool = True
    breadth: int = 50
    both_ends: bool = False

    def __post_init__(self) -> None:
        for name in ("simulations", "depth", "max_steps", "policy_samples", "prior_samples", "breadth"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.discount <= 1:
            raise UsageError(f"discount must be in (0, 1], not {self.discount}")
        if not 0 <= self.mixing <= 1:
            raise UsageError(f"lambda must be in [0, 1], not {self.mixing}")
        if not self.exploration >= 0:
            raise UsageError(f"exploration must not be negative, not {self.exploration}")


@dataclass(frozen=True)
class ModelConfig:
    """Who answers, and how answers are drawn. Raises UsageError for what makes no sense.

    ``name``: ``embedded``, ``openai:NAME`` for any endpoint that speaks OpenAI's chat completions, or a plug-in's.
    ``base_url``: the endpoint's, None for OPENAI_BASE_URL or OpenAI's own.
    ``temperature``: of the answers; None: what suits the kind of question.
    ``top_p``, ``presence_penalty``, ``frequency_penalty``: as the endpoint has them; None: not sent.
    ``parallel``: calls in flight, and simulations that may wait at a time.
    ``call_seconds``: limit of one call.
    ``retries``: how often a call is repeated that fails for a passing reason; ``pause``: seconds before the first
    repetition, doubled each time.
    ``record``, ``replay``, ``cache``: files of answers.
    ``prompts``: a folder of templates that replace the built-in ones.
    ``examples``: a file of solved tasks, of which the ``shots`` most similar enter the action prompt.
    ``matcher``: what compares a model's words with names and actions.
    """

    name: str = "embedded"
    base_url: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    parallel: int = 1
    call_seconds: float = 60.0
    retries: int = 5
    pause: float = 0.5
    record: Path | None = None
    replay: Path | None = None
    cache: Path | None = None
    prompts: Path | None = None
    examples: Path | None = None
    shots: int = 3
    matcher: str = "lexical"

    def __post_init__(self) -> None:
        if self.parallel < 1:
            raise UsageError(f"parallel must be at least 1, not {self.parallel}")
        if self.replay is not None and (self.record is not None or self.cache is not None):
            raise UsageError("a replay asks nobody: --replay goes with neither --record nor --cache")


@dataclass(frozen=True)
class BudgetConfig:
    """Limits on what a model may cost; None is no limit. ``prices``: a file that wins over the built-in table."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    prices: Path | None = None


FRESH_RATE, TUNING_RATE = 1e-3, 5e-5  # learning rates from random weights, and from a checkpoint


@dataclass(frozen=True)
class TrainConfig:
    """How a policy is trained.

    ``epochs``: passes over the data. ``batch``: sequences in a step. ``layers``, ``width``, ``heads``: of a GPT-2 from
    random weights, ``positions`` its context in tokens; a checkpoint has its own. ``learning_rate``: the highest of the
    schedule, None for ``FRESH_RATE`` or ``TUNING_RATE``. ``seed``: of the split, the order, the weights and dropout.
    Raises UsageError for a number out of its range.
    """

    epochs: int = 6
    batch: int = 16
    layers: int = 3
    width: int = 192
    heads: int = 4
    positions: int = 512
    learning_rate: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch", 1), ("layers", 1), ("width", 8), ("heads", 1), ("positions", 128)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.width % self.heads:
            raise UsageError(f"width must be a multiple of heads: {self.width} is none of {self.heads}")
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise UsageError(f"learning-rate must be in (0, 1), not {self.learning_rate}")
        if self.seed < 0:
            raise UsageError(f"seed must not be negative, not {self.seed}")
