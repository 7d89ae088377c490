"""The file of an agent, for a robot whose process may end at any moment: what was seen and said, and what the model
answered. The agent is made from it by thinking all of that once more, from the same seed and the same answers: nobody
is asked again, and it goes on as it would have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from commonsense_planning import __version__
from commonsense_planning.config import AskBy, BudgetConfig, ModelConfig, Options
from commonsense_planning.errors import InputError
from commonsense_planning.methods.task import Task
from commonsense_planning.support.reading import json_value, read_text, reading
from commonsense_planning.support.writing import write_text

FORMAT = 1
WHAT = "the file of an agent"

Settings = TypeVar("Settings", ModelConfig, BudgetConfig)


def fingerprint(task: Task) -> str:
    """What tells a task from others, as an agent meets it: a hash of all names and numbers, without what is hidden."""
    ground, compiled = task.seen_in_part
    names = repr((ground.objects, ground.schemas, ground.facts))
    seen = ground.init & ~compiled.sensors.hidden
    return hashlib.sha256(names.encode() + compiled.table.tobytes() + seen.tobytes()).hexdigest()


def as_json(settings: Options | ModelConfig | BudgetConfig) -> dict[str, Any]:
    """Settings as JSON values, without those that nobody has changed."""
    told = {f.name: getattr(settings, f.name) for f in fields(settings) if getattr(settings, f.name) != f.default}
    return {name: str(value.resolve()) if isinstance(value, Path) else value for name, value in told.items()}


def settings_of(kind: type[Settings], values: Mapping[str, Any]) -> Settings:
    """The way back. Raises TypeError and ValueError for what are no such settings."""
    hints = get_type_hints(kind)

    def typed(name: str, value: Any) -> Any:
        plain = next((part for part in get_args(hints[name]) if part is not NoneType), hints[name])
        return plain(value) if plain in (Path, AskBy) else value

    return kind(**{name: typed(name, value) for name, value in values.items() if name in hints})


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write the file as a whole. Raises InputError if that cannot be done."""
    text = json.dumps({"format": FORMAT, "cplan": __version__, **content}, indent=1, ensure_ascii=False)
    write_text(path, f"{text}\n", "the agent")


def read(path: Path) -> dict[str, Any]:
    """What the file of an agent says. Raises InputError for one that is none, or of another format."""
    text = read_text(path, WHAT)
    with reading(path, WHAT):
        content: dict[str, Any] = json_value(text)
        if content["format"] != FORMAT:
            raise InputError(f"{path}: it is {WHAT} in format {content['format']}, written by cplan {content['cplan']}")
        return content
