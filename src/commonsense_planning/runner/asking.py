"""How the episodes of an experiment ask their model: what is told of it, whose files of answers are whose, and what was
spent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypedDict

from commonsense_planning.config import ModelConfig
from commonsense_planning.llm.model import Usage

# fields of ModelConfig that the results do not depend on; the name is always told
_SILENT = {"name", "base_url", "parallel", "call_seconds", "retries", "pause", "record", "replay", "cache"}


def model_in_words(model: ModelConfig) -> str:
    """The model, and those of its settings on which results depend and that are not the usual ones."""
    told = [f"model {model.name}"]
    for name in ModelConfig.__dataclass_fields__:
        value = getattr(model, name)
        if name not in _SILENT and value != getattr(ModelConfig(), name):
            told.append(f"{name.replace('_', ' ')} {value}")
    return ", ".join(told)


def with_own_files(model: ModelConfig, episode: str, seed: int) -> ModelConfig:
    """The model with files of answers of its own: ``answers.jsonl`` → ``answers.EPISODE.jsonl``.

    Repeats must not get each other's answers, so each seed has its own cache; a replay gives what was recorded only if
    each episode has its own recording.
    """
    own: dict[str, Any] = {
        name: path.with_name(f"{path.stem}.{ending}{path.suffix}")
        for name, ending in (("record", episode), ("replay", episode), ("cache", str(seed)))
        if (path := getattr(model, name)) is not None
    }
    return replace(model, **own)


class Spent(TypedDict):
    """The fields of ``Asked`` that say what an episode asked of its model, and what that cost."""

    questions: int
    calls: int
    failures: int
    tokens: int
    usd: float | None


def spent(usage: Usage, usd: float | None) -> Spent:
    """What was asked, and what that cost."""
    return {
        "questions": usage.questions,
        "calls": usage.calls,
        "failures": usage.failures,
        "tokens": usage.tokens,
        "usd": usd,
    }
