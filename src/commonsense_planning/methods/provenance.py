"""The provenance of a result: everything that it depends on besides the task. Traces, plan files, recordings and
``cplan solve --json`` include it; rows of experiments have it in separate fields."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from commonsense_planning import __version__
from commonsense_planning.config import ModelConfig, Options
from commonsense_planning.methods.method import Request
from commonsense_planning.support.json_lines import append, locked
from commonsense_planning.validation.validate import versions

_RECORDINGS = ("record", "replay", "cache", "ask_later")
# fields of ModelConfig that the results do not depend on; the name is always included
_SILENT = {"name", "base_url", "parallel", "call_seconds", "retries", "pause", *_RECORDINGS}


def provenance(request: Request, options: Options | None = None) -> dict[str, Any]:
    """Version, method, seed, model, settings, whether time was limited, and the installed validators with their
    versions, as JSON values. ``options`` replaces the method's settings."""
    chosen = request.options if options is None else options
    return {
        "cplan": __version__,
        "method": request.method.name,
        "seed": request.seed,
        "model": model_in_words(request.models.config).removeprefix("model "),
        "time_limit": request.seconds is not None,
        "settings": {setting.name: _plain(getattr(chosen, setting.name)) for setting in chosen.settings()},
        "validators": versions(),
    }


def as_comments(made: Mapping[str, Any], prompts: str, verdicts: Mapping[str, str]) -> Iterator[str]:
    """Provenance as lines of text, with the version of the ``prompts`` (empty if none are read) and each validator's
    verdict."""
    asked = f", model {made['model']}" if made.get("model") else ""
    yield f"cplan {made['cplan']}, method {made['method']}, seed {made['seed']}{asked}"
    if prompts:
        yield f"prompts {prompts}"
    settings = [f"{name} {value}" for name, value in made["settings"].items() if value is not None]
    if settings:
        yield f"settings {', '.join(settings)}"
    said = [f"{name} {made['validators'].get(name, '')}".strip() + f": {verdict}" for name, verdict in verdicts.items()]
    yield "validators " + ("; ".join(said) or "none was asked")


def note_in_recording(path: Path, made: Mapping[str, Any]) -> None:
    """Adds the settings of its questions to a recording, unless they are there already. Raises InputError if it cannot
    be written."""
    entry = {"made_with": dict(made)}
    with locked(path) as file:
        there = os.pread(file, os.fstat(file).st_size, 0)
        if json.dumps(entry, ensure_ascii=False, sort_keys=True).encode() not in there:
            append(path, file, entry)


def model_in_words(model: ModelConfig) -> str:
    """The model, and its settings that affect results and differ from the defaults."""
    told = [f"model {model.name}"]
    for name in ModelConfig.__dataclass_fields__:
        value = getattr(model, name)
        if name not in _SILENT and value != getattr(ModelConfig(), name):
            told.append(f"{name.replace('_', ' ')} {value}")
    return ", ".join(told)


def _plain(value: object) -> object:
    """An option as a JSON value: paths and members of enums as texts."""
    return value if value is None or isinstance(value, bool | int | float) else str(value)
