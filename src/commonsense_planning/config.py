"""Settings, frozen and checked; ``Options``, with which a method declares its settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Self, get_args, get_origin, get_type_hints

from commonsense_planning.errors import UsageError

LARGEST = 1e12  # the largest number that a setting may have


class GuideLevel(StrEnum):
    """The language of a solution estimate (common-sense heuristics, section 3.2)."""

    NONE = "none"
    LOW = "low"  # the language of the actions
    HIGH = "high"  # English


class GuideKnowledge(StrEnum):
    """What the prompt for a guide tells about the environment (common-sense heuristics, section 4.1); each level
    includes the one before it."""

    NONE = "none"
    OBJECTS = "objects"
    STATIC = "static"  # and their properties that never change
    DYNAMIC = "dynamic"  # and those that do


class AskBy(StrEnum):
    """How a model that chooses among listed options gives a weight to each."""

    AUTO = "auto"  # the first of these that the endpoint supports
    SCORE = "score"  # the probability of each as the next output
    LIST = "list"  # the model writes a list of them, with weights
    SCHEMA = "schema"  # samples that a schema restricts to the options
    SAMPLES = "samples"  # free-text samples, which are matched


class Source(StrEnum):
    """The source of a prior or a policy."""

    MODEL = "model"
    UNIFORM = "uniform"


class PolicyAs(StrEnum):
    """How a search among sensing macros uses a model's policy."""

    EVIDENCE = "evidence"  # of what is hidden, and a prior over what to try
    PRIOR = "prior"  # only a prior over what to try


class Actions(StrEnum):
    """Which of the applicable actions a model may name when it is asked for the next one."""

    ALL = "all"
    RELEVANT = "relevant"  # those relevant to the goal


@dataclass(frozen=True)
class Option:
    """The attributes of a setting besides its type and its default. Its range is from ``least``, or above ``above``, to
    ``most``. ``metavar`` is the placeholder for its value in the help. A method cannot run without a setting that is
    ``needed``."""

    help: str
    flag: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    metavar: str | None = None
    needed: bool = False

    @property
    def range(self) -> str:
        """The range as text, empty if there is none."""
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
    """Makes a field of ``Options``. ``flag``: its name on the command line, if that is not the field's name."""
    return field(default=default, metadata={"option": Option(help, flag, least, above, most, metavar, needed)})


@dataclass(frozen=True)
class OptionField:
    """A field of ``Options``: its name, the type of its value (int, float, bool, str, Path, Mapping or an enum), its
    default, and its attributes. A default of None means that there is none, or that it depends on other values."""

    name: str
    value_type: type
    default: Any
    option: Option

    def takes(self, value: Any) -> bool:
        """Whether a value has the field's type; a string is accepted for a path or a member of an enum."""
        if self.value_type is bool or isinstance(value, bool):
            return self.value_type is type(value)
        kinds: dict[type, Any] = {int: Integral, float: Real, Mapping: Mapping}
        return isinstance(value, kinds.get(self.value_type, (str, Path)))

    @property
    def flag(self) -> str:
        """The name on the command line; for a switch that is on by default, the flag that turns it off."""
        name = self.name.replace("_", "-")
        return self.option.flag or (f"--no-{name}" if self.default is True else f"--{name}")


@dataclass(frozen=True)
class Options:
    """Settings of a method or of a part of it: a frozen dataclass whose fields are made by ``option``. They are options
    on the command line, and names in files and in Python. Raises UsageError for a value of another type, and for a
    number out of its range."""

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
    @cache
    def settings(cls) -> tuple[OptionField, ...]:
        """Returns all settings, in the order of the fields."""
        hints = get_type_hints(cls)
        return tuple(OptionField(f.name, _plain(hints[f.name]), f.default, f.metadata["option"]) for f in fields(cls))

    @property
    def changed(self) -> str:
        """Returns the settings that differ from their defaults, as words of a command line."""
        given = [(s, getattr(self, s.name)) for s in self.settings() if getattr(self, s.name) != s.default]
        return " ".join(s.flag if s.value_type is bool else f"{s.flag} {value}" for s, value in given)

    @classmethod
    def among(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Takes the settings of this class out of ``values``, which may be of several methods, by name."""
        return {setting.name: values[setting.name] for setting in cls.settings() if setting.name in values}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Makes the settings from the values in a file or on a command line: name → value, with strings for members of
        enums. Raises UsageError for unknown names and members."""
        known = {setting.name: setting for setting in cls.settings()}
        for name in values:
            if name not in known:
                raise UsageError(f"there is no setting {name}; the settings are {', '.join(known)}")
        return cls(**{name: _member(known[name], value) for name, value in values.items()})


def _plain(hint: Any) -> type:
    """``X`` of ``X | None`` and of ``X[…]``."""
    if isinstance(hint, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    plain: type = get_origin(hint) or hint
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
        raise UsageError(f"{setting.flag.lstrip('-')} must be one of {there}, not {value}") from error


POLICY_SAMPLES = 10
ALREADY_THERE = 0.05  # probability that a thing is already where the goal wants it: the goal is not true yet
MAX_OPERATORS = 2_000_000  # of a grounded task, and as many facts
TOLERANCE = 0.001  # of the times of a plan, in time units, as in the competitions


OWN_FIELDS = {  # of a request's body, which cplan sets → what sets them
    "model": "--model",
    "temperature": "--temperature",
    "n": "--samples",
    "seed": "--seed",
    **dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens"), "--answer-tokens"),
    **dict.fromkeys(("messages", "input", "instructions", "system"), "--prompts"),
    **dict.fromkeys(("response_format", "text", "score"), "--ask-by"),
    **dict.fromkeys(("stream", "stream_options"), "the endpoint, where it answers in streams only"),
}
REQUEST_FIELD = "--request-field reasoning_effort='\"low\"'"
SILENT_FIELDS = {  # that change no answer
    "keep_alive", "metadata", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "service_tier",
    "store", "user",
}  # fmt: skip


@dataclass(frozen=True)
class ModelConfig(Options):
    """The model, and how its answers are sampled. Raises UsageError for settings that contradict each other.

    ``base_url``: None for OPENAI_BASE_URL, else OpenAI's URL. ``request_fields``: further fields of a request's body,
    as JSON values; not those of ``OWN_FIELDS``. ``temperature``: None for the default of the kind of
    question. ``call_seconds``: None for the endpoint's default. ``weight_temperature``: the weight that a model gives
    to each option is raised to one over this, and normalised.
    """

    name: str = option(
        "embedded",
        "Model that answers common-sense questions: embedded; embeddings, which goes by the names; local or "
        "local:FILE.gguf, on this machine; openai:NAME, at any OpenAI-compatible endpoint; or a plug-in's. See cplan "
        "models.",
        "--model",
    )
    base_url: str | None = option(None, "URL of the endpoint [default: OPENAI_BASE_URL, else OpenAI's].")
    temperature: float | None = option(
        None, "Sampling temperature of the model [default: 0 to 0.7, depending on the question].", least=0
    )
    request_fields: Mapping[str, Any] | None = option(
        None,
        "Further field of each request to the endpoint, such as reasoning_effort='\"low\"'. May be repeated.",
        "--request-field",
        metavar="KEY=JSON",
    )
    parallel: int = option(1, "Concurrent calls.", least=1)
    call_seconds: float | None = option(
        None, "Limit in seconds for one call [default: 300; 600 for the local model].", "--call-timeout", above=0
    )
    answer_tokens: int = option(
        32_768, "Limit on the tokens of one answer, as reasoning models need many; reached by doubling.", least=1
    )
    retries: int = option(5, "How often a failed call is repeated.", least=0)
    pause: float = option(
        0.5, "Seconds before the first repetition; doubled for each further one.", "--retry-pause", least=0
    )
    record: Path | None = option(
        None, "Add the model's answers to this file; a question answered there is not asked again."
    )
    replay: Path | None = option(None, "Take answers only from this file: no key, no network.")
    cache: Path | None = option(None, "Like --record, but the same question always gets the same answer.")
    ask_later: Path | None = option(
        None, "Like --record, but questions without an answer are added, to be answered later; see cplan answer."
    )
    prompts: Path | None = option(None, "Wording of the questions: paper for the papers', or a folder with templates.")
    examples: Path | None = option(None, "Solved tasks, as JSON lines, to show in the prompt for an action.")
    preferences: Path | None = option(
        None, 'Text file of preferences, one per line, such as "yellow shirts go into the drawer", for the belief.'
    )
    shots: int = option(3, "Number of examples, the most similar ones, in the prompt.", least=0)
    matcher: str = option(
        "lexical",
        "Matcher of the model's words with names and actions: lexical, embeddings, embeddings:MODEL, or a plug-in's.",
    )
    ask_by: AskBy = option(
        AskBy.AUTO,
        "How the model weights listed options: by scores, a list, samples under a schema or plain samples; auto: "
        "the first of these that the endpoint supports.",
    )
    weight_temperature: float = option(
        1.0,
        "Temperature of the weights of listed options: above 1 flatter, below 1 sharper; cplan belief fits it.",
        above=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.replay is not None and (self.record is not None or self.cache is not None):
            raise UsageError("--replay asks no model, and cannot be combined with --record or --cache")
        for name, value in (self.request_fields or {}).items():
            if name in OWN_FIELDS:
                raise UsageError(f"request-field: cplan sets {name} itself: see {OWN_FIELDS[name]}")
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError) as error:
                raise UsageError(f"request-field: {name} must be a JSON value, not {value!r}") from error
        if self.ask_later is not None and (self.recorded is not self.ask_later or self.replay or self.cache):
            raise UsageError("--ask-later cannot be combined with --record, --replay or --cache")

    @property
    def recorded(self) -> Path | None:
        """Returns the recording that answers are added to."""
        return self.record or self.ask_later

    @property
    def as_in_papers(self) -> bool:
        """Whether every question is asked as in the papers, word for word and step by step."""
        return self.prompts == Path("paper")

    def most_there(self, share: float = ALREADY_THERE) -> float:
        """The share of a thing's weight that is left on places where the goal wants it; 1 if all is as in the
        papers."""
        return 1.0 if self.as_in_papers else share

    @property
    def asks_by(self) -> AskBy:
        """Returns ``ask_by``; plain samples if the questions are the papers' and no way is chosen."""
        return AskBy.SAMPLES if self.as_in_papers and self.ask_by is AskBy.AUTO else self.ask_by


@dataclass(frozen=True)
class BudgetConfig(Options):
    """Limits on what a model may cost; None is no limit."""

    max_calls: int | None = option(None, "Limit on the calls of the endpoint.", least=0)
    max_tokens: int | None = option(None, "Limit on the tokens of prompts and answers together.", least=0)
    max_usd: float | None = option(None, "Limit on the cost, in US dollars.", least=0)
    prices: Path | None = option(None, "Prices of models, as TOML, which override the built-in table.")
