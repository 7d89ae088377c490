"""Settings of the methods that act: steps, numbers of sampled answers, source of the prior and of the policy."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.config import ALREADY_THERE, POLICY_SAMPLES, Actions, Options, Source, option
from commonsense_planning.llm.models import ModelSession

MOVE_RATE = 0.001


@dataclass(frozen=True)
class ActingOptions(Options):
    """Options of all methods that act."""

    max_steps: int | None = option(
        None, "Limit on the actions of an episode [default: enough to look at everything, more than once].", least=1
    )
    move_rate: float | None = option(
        None,
        f"Probability, at each step, that a hidden thing was moved by others [default: {MOVE_RATE} for a robot whose "
        "sensors err, else 0].",
        least=0,
        most=0.5,
    )


@dataclass(frozen=True)
class SamplingOptions(Options):
    """Options of the methods that sample answers, of either kind below."""

    samples: int | None = option(None, "Answers sampled per question of any kind.", least=1)


@dataclass(frozen=True)
class PriorOptions(SamplingOptions):
    """Options of the methods whose prior is the model's."""

    prior_samples: int | None = option(
        None, "Answers sampled per placement question [default: depends on the model; see cplan models].", least=1
    )

    ask_again: bool = option(True, "Do not ask the model again about a thing that was not found where it is likely.")
    already_there: float = option(
        ALREADY_THERE,
        "Probability, at most, that a wanted thing is where the goal wants it from the start; 1: as the prior says.",
        least=0,
        most=1,
    )

    @property
    def asks_prior(self) -> bool:
        """Whether the model is asked."""
        return True

    def placement_answers(self, models: ModelSession) -> int:
        """The number of answers sampled per placement question."""
        return self.prior_samples or self.samples or models.adapter.prior_samples


@dataclass(frozen=True)
class PolicyAblation(SamplingOptions):
    """Options of the methods whose policy is the model's, mixed with the uniform one (``mixing`` is λ), and can be
    removed as in the paper's ablations (section 3.2, Table 2)."""

    mixing: float = option(
        0.5, "Weight of the uniform policy when mixed with the model's or its substitute.", "--lambda", least=0, most=1
    )
    policy_samples: int | None = option(
        None, f"Answers sampled per action question [default: {POLICY_SAMPLES}].", least=1
    )
    policy: Source = option(Source.MODEL, "Source of the policy: the model, or uniform.")

    @property
    def asks_policy(self) -> bool:
        """Whether the model is asked."""
        return self.policy is Source.MODEL

    @property
    def action_answers(self) -> int:
        """The number of answers sampled per action question."""
        return self.policy_samples or self.samples or POLICY_SAMPLES


@dataclass(frozen=True)
class PriorAblation(PriorOptions):
    """Options of the methods whose prior can be removed, as in the paper's ablations (section 3.2, Table 2)."""

    prior: Source = option(Source.MODEL, "Source of the prior: the model, or uniform.")
    observable: bool = option(False, "Know the true world from the start.")

    @property
    def asks_prior(self) -> bool:
        return self.prior is Source.MODEL and not self.observable


@dataclass(frozen=True)
class NamingOptions(Options):
    """Options of the paper's methods that ask for the next action: answers are compared with all admissible actions
    (section 2.3)."""

    actions: Actions = option(
        Actions.ALL, "Applicable actions that are listed for the model: all, or those relevant to the goal."
    )
