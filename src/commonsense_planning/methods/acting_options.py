"""Settings of the methods that act: steps, answers that are drawn, whose prior and whose policy."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.config import POLICY_SAMPLES, Actions, Options, Source, option
from commonsense_planning.llm.models import ModelSession


@dataclass(frozen=True)
class ActingOptions(Options):
    """Of all who act."""

    max_steps: int | None = option(
        None, "Actions of the episode at most [default: enough to look at everything, more than once].", least=1
    )


@dataclass(frozen=True)
class SamplingOptions(Options):
    """Of those who draw answers, of either kind below."""

    samples: int | None = option(None, "Answers that are drawn per question, whatever it is about.", least=1)


@dataclass(frozen=True)
class PriorOptions(SamplingOptions):
    """Of those whose prior is the model's."""

    prior_samples: int | None = option(
        None,
        "Answers that are drawn per placement question [default: what suits the model; see cplan models].",
        least=1,
    )

    ask_again: bool = option(True, "Do not ask the model again where a thing is that was looked for in vain.")

    @property
    def asks_prior(self) -> bool:
        """Whether the model is asked for it."""
        return True

    def placement_answers(self, models: ModelSession) -> int:
        """How many answers are drawn per placement question."""
        return self.prior_samples or self.samples or models.adapter.prior_samples


@dataclass(frozen=True)
class PolicyOptions(SamplingOptions):
    """Of those whose policy is the model's, mixed with the uniform one: ``mixing`` is λ."""

    mixing: float = option(
        0.5, "Share of the uniform policy, mixed with the model's or its stand-in's.", "--lambda", least=0, most=1
    )
    policy_samples: int | None = option(
        None, f"Answers that are drawn per action question [default: {POLICY_SAMPLES}].", least=1
    )

    @property
    def action_answers(self) -> int:
        """How many answers are drawn per action question."""
        return self.policy_samples or self.samples or POLICY_SAMPLES


@dataclass(frozen=True)
class PriorAblation(PriorOptions):
    """Of those whose prior can be taken away, as in the paper's ablations (section 3.2, Table 2)."""

    prior: Source = option(Source.MODEL, "Whose prior: the model's, or the uniform one.")
    observable: bool = option(False, "Know the true world from the start.")

    @property
    def asks_prior(self) -> bool:
        return self.prior is Source.MODEL and not self.observable


@dataclass(frozen=True)
class PolicyAblation(PolicyOptions):
    """Of those whose policy can be taken away, likewise."""

    policy: Source = option(Source.MODEL, "Whose policy: the model's, or the uniform one.")

    @property
    def asks_policy(self) -> bool:
        """Whether the model is asked for it."""
        return self.policy is Source.MODEL


@dataclass(frozen=True)
class NamingOptions(Options):
    """Of the paper's methods that ask what comes next: its answers are compared with all admissible actions (section
    2.3)."""

    actions: Actions = option(
        Actions.ALL,
        "Applicable actions that a model is asked about and its answer may name: all, or those that bear on the goal.",
    )
