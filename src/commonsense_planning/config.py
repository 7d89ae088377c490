"""Settings, frozen and checked; how a method declares its own (``Options``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import Any, Self, get_args, get_type_hints

from commonsense_planning.errors import UsageError

LARGEST = 1e12  # of the numbers that are set


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


class AskBy(StrEnum):
    """How a model that is asked to choose among listed options is made to say what each of them weighs."""

    AUTO = "auto"  # the first of these that it is able to
    SCORE = "score"  # how probable each is as what it says next
    LIST = "list"  # it writes a list of them, with weights
    SCHEMA = "schema"  # samples that can be nothing else
    SAMPLES = "samples"  # samples in free text, which are matched


class Source(StrEnum):
    """Where a prior or a policy comes from."""

    MODEL = "model"
    UNIFORM = "uniform"


class PolicyAs(StrEnum):
    """What a model's policy is to a search among sensing macros."""

    EVIDENCE = "evidence"  # of what is hidden, and a prior over what to try
    PRIOR = "prior"  # over what to try, and nothing more


class Actions(StrEnum):
    """Which of the applicable actions may be named by who is asked what comes next."""

    ALL = "all"
    RELEVANT = "relevant"  # those that bear on the goal


@dataclass(frozen=True)
class Option:
    """What is to be said of one setting beside its type and its default; its range runs from ``least`` or what is
    ``above`` some number, to ``most``. ``metavar`` stands for its value in the help. A method cannot run without one
    that is ``needed``."""

    help: str
    flag: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    metavar: str | None = None
    needed: bool = False

    @property
    def range(self) -> str:
        """The range in words, empty if there is none."""
        if self.most is not None:
            low = f"({self.above:g}" if self.above is not None else f"[{self.least:g}"
            return f"in {low}, {self.most:g}]"
        low = "" if self.above is None else f"above {self.above:g}"
        return low if self.least is None else f"at least {self.least:g}"

    def holds(self, value: float) -> bool:
        """Whether a number is in the range."""
        low = (self.least is None or value >= self.least) and (self.above is None or value > self.above)
        return low and (self.most is None or value <= self.most)


def option(
    default: Any,
    help: str,
    flag: str = "",
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    metavar: str | None = None,
    needed: bool = False,
) -> Any:
    """A field of ``Options``. ``flag``: its name on the command line, where that is not the field's name."""
    return field(default=default, metadata={"option": Option(help, flag, least, above, most, metavar, needed)})


@dataclass(frozen=True)
class OptionField:
    """A field of ``Options``: its name, the type of its value (int, float, bool, str, Path or an enum), default, and
    the rest. A default of None means that there is none, or that it depends on what else is given."""

    name: str
    value_type: type
    default: Any
    option: Option

    def takes(self, value: Any) -> bool:
        """Whether a value is of its type; words stand for paths and for members of enums."""
        if self.value_type is bool or isinstance(value, bool):
            return self.value_type is type(value)
        kinds: dict[type, Any] = {int: Integral, float: Real}
        return isinstance(value, kinds.get(self.value_type, (str, Path)))

    @property
    def flag(self) -> str:
        """Its name on the command line; of a switch that is on by default, the one that turns it off."""
        name = self.name.replace("_", "-")
        return self.option.flag or (f"--no-{name}" if self.default is True else f"--{name}")


@dataclass(frozen=True)
class Options:
    """Settings of a method or of a part of it: a frozen dataclass whose fields are made by ``option``. The command line
    has them as options, files and Python as names. Raises UsageError for a value of another type, and for a number out
    of its range."""

    def __post_init__(self) -> None:
        for setting in self.settings():
            value = getattr(self, setting.name)
            name, kind = setting.flag.lstrip("-"), setting.value_type
            if value is not None and not setting.takes(value):
                raise UsageError(f"{name} must be of type {kind.__name__}, not {value!r}")
            if value is not None and kind in (int, float) and not setting.option.holds(value):
                raise UsageError(f"{name} must be {setting.option.range}, not {value}")
            if value is not None and kind in (int, float) and not abs(value) <= LARGEST:
                raise UsageError(f"{name} must be at most {LARGEST:g}, not {value}")

    @classmethod
    def settings(cls) -> tuple[OptionField, ...]:
        """All settings, in the order of the fields."""
        hints = get_type_hints(cls)
        return tuple(
            OptionField(f.name, _plain(hints[f.name]), f.default, f.metadata["option"]) for f in fields(cls)
        )

    @property
    def changed(self) -> str:
        """Those that are not as they are by default, as a command line has them."""
        given = [(s, getattr(self, s.name)) for s in self.settings() if getattr(self, s.name) != s.default]
        return " ".join(s.flag if s.value_type is bool else f"{s.flag} {value}" for s, value in given)

    @classmethod
    def among(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The settings among ``values`` of several methods, by name."""
        return {setting.name: values[setting.name] for setting in cls.settings() if setting.name in values}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The settings as a file or a command line has them: name → value, words for the members of enums. Raises
        UsageError for names and words that there are not."""
        known = {setting.name: setting for setting in cls.settings()}
        for name in values:
            if name not in known:
                raise UsageError(f"there is no setting {name}; there are {', '.join(known)}")
        return cls(**{name: _member(known[name], value) for name, value in values.items()})


def _plain(hint: Any) -> type:
    """``X`` of ``X | None``."""
    plain: type = next((part for part in get_args(hint) if part is not NoneType), hint)
    return plain


def _member(setting: OptionField, value: Any) -> Any:
    if isinstance(value, str) and issubclass(setting.value_type, Path):
        return Path(value)
    if value is None or not issubclass(setting.value_type, StrEnum):
        return value
    try:
        return setting.value_type(value)
    except ValueError as error:
        there = ", ".join(setting.value_type)
        raise UsageError(f"{setting.flag.lstrip('-')} is none of {there}: {value}") from error


POLICY_SAMPLES = 10
MAX_OPERATORS = 2_000_000  # of a grounded task, and as many facts


@dataclass(frozen=True)
class ModelConfig(Options):
    """Who answers, and how answers are drawn. Raises UsageError for what makes no sense.

    ``base_url``: None for OPENAI_BASE_URL or OpenAI's own. ``temperature``: None for what suits the kind of question.
    ``top_p``, ``presence_penalty``, ``frequency_penalty``: None is not sent. ``call_seconds``: None for what suits the
    endpoint. ``weight_temperature``: what a model gives to each option is raised to one over this, and normalised.
    """

    name: str = option(
        "embedded",
        "Who answers common-sense questions: embedded, local or local:FILE.gguf for a language model on this machine, "
        "openai:NAME for any OpenAI-compatible endpoint, or a plug-in's; see cplan models.",
        "--model",
    )
    base_url: str | None = option(None, "Of the endpoint [default: OPENAI_BASE_URL, else OpenAI's own].")
    temperature: float | None = option(
        None, "Of the model's answers [default: 0 to 0.7, by the question].", least=0
    )
    top_p: float | None = option(None, "Of the model's answers [default: the endpoint's].", least=0, most=1)
    presence_penalty: float | None = option(None, "Of the model's answers [default: the endpoint's].")
    frequency_penalty: float | None = option(None, "Of the model's answers [default: the endpoint's].")
    parallel: int = option(1, "Calls in flight.", least=1)
    call_seconds: float | None = option(
        None, "Seconds for one call [default: 300, and 600 for the local model].", "--call-timeout", above=0
    )
    answer_tokens: int = option(
        32_768, "Limit on the tokens of one answer, for models that think first; reached by doubling.", least=1
    )
    retries: int = option(5, "How often a failing call is repeated.", least=0)
    pause: float = option(
        0.5, "Seconds before the first repetition; doubled each time.", "--retry-pause", least=0
    )
    record: Path | None = option(
        None, "Add the model's answers to this file; what is there is not asked again."
    )
    replay: Path | None = option(None, "Answer from this file alone: no key, no network.")
    cache: Path | None = option(None, "As --record, but the same question always gets the same answer.")
    ask_later: Path | None = option(
        None, "As --record, but what is not there is added as a question to be answered later; see cplan answer."
    )
    prompts: Path | None = option(None, "paper for the papers' own words, or a folder with templates.")
    examples: Path | None = option(None, "Solved tasks, as JSON lines, for the action prompt.")
    preferences: Path | None = option(
        None, 'Lines such as "yellow shirts go into the drawer", for the belief.'
    )
    shots: int = option(3, "How many of the examples, the most similar ones, enter the prompt.", least=0)
    matcher: str = option(
        "lexical",
        "What compares a model's words with names and actions: lexical, embeddings, embeddings:MODEL, or a plug-in's.",
    )
    ask_by: AskBy = option(
        AskBy.AUTO,
        "How a model weighs listed options: by scores, a list, samples under a schema or plain samples; auto: "
        "the first of these that the endpoint is able to.",
    )
    weight_temperature: float = option(
        1.0,
        "Of what a model gives to listed options: above 1 flatter, below 1 sharper; cplan belief fits it.",
        above=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.replay is not None and (self.record is not None or self.cache is not None):
            raise UsageError("a replay asks nobody: --replay goes with neither --record nor --cache")
        if self.ask_later is not None and (self.recorded is not self.ask_later or self.replay or self.cache):
            raise UsageError("--ask-later asks nobody now, and records: it goes without --record, --replay and --cache")

    @property
    def recorded(self) -> Path | None:
        """The recording that answers are added to."""
        return self.record or self.ask_later

    @property
    def as_in_papers(self) -> bool:
        """Whether all is asked as the papers have it, word for word and step by step."""
        return self.prompts == Path("paper")

    @property
    def asks_by(self) -> AskBy:
        """``ask_by``; plain samples where all is asked as the papers have it and no way is chosen."""
        return AskBy.SAMPLES if self.as_in_papers and self.ask_by is AskBy.AUTO else self.ask_by


@dataclass(frozen=True)
class BudgetConfig(Options):
    """Limits on what a model may cost; None is no limit."""

    max_calls: int | None = option(None, "Limit on calls of the endpoint.", least=0)
    max_tokens: int | None = option(None, "Limit on tokens, of prompts and answers together.", least=0)
    max_usd: float | None = option(None, "Limit on money, in US dollars.", least=0)
    prices: Path | None = option(None, "Prices of models, as TOML, that win over the built-in table.")


@dataclass(frozen=True)
class WritingOptions(Options):
    """How a model writes heuristics (Corrêa, Pereira and Seipp 2025, section 3; 2026)."""

    candidates: int = option(5, "Heuristics that the model writes; the best one is kept.", least=1)
    repairs: int = option(3, "How often the best one is mended by a counterexample, at most.", least=0)
    trial_seconds: float = option(10.0, "Seconds of a search on a training problem.", above=0)


FRESH_RATE, TUNING_RATE = 1e-3, 5e-5  # learning rates from random weights, and from a checkpoint


@dataclass(frozen=True)
class TrainConfig(Options):
    """How a policy is trained: a GPT-2 from random weights, or a checkpoint, which has its own shape.

    ``learning_rate``: None for ``FRESH_RATE`` or ``TUNING_RATE``. Raises UsageError for a number out of its range.
    """

    epochs: int = option(6, "Passes over the data.", least=1)
    batch: int = option(16, "Trajectories in a step.", least=1)
    layers: int = option(3, "Of a model from random weights.", least=1)
    width: int = option(192, "Of a model from random weights.", least=8)
    heads: int = option(4, "Of a model from random weights.", least=1)
    positions: int = option(512, "Tokens that a model from random weights reads.", least=128)
    learning_rate: float | None = option(
        None, f"The highest [default: {FRESH_RATE}; with --from {TUNING_RATE}].", above=0, most=1
    )
    seed: int = option(0, "Of split, order, weights and dropout.", least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.heads:
            raise UsageError(f"width must be a multiple of heads: {self.width} is none of {self.heads}")
