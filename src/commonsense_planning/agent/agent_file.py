"""The file of an agent, for a robot whose process may end at any moment: reports, actions and the model's answers.

The agent is restored by repeating its decisions with the same seed and the same answers: the model is not asked again,
and the agent continues as it would have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.config import ModelConfig, Options
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.support.reading import Text, json_value, read_text, reading, wrong_field
from commonsense_planning.support.writing import write_text
from commonsense_planning.task import Task

FORMAT = 3
WHAT = "the file of an agent"


@dataclass(frozen=True)
class Turn:
    """One call of ``Agent.act``: what was ``seen`` after the action that was done, ``did`` (None: none), and the action
    ``said`` by the agent. ``late``: the checks of the deadline that found it passed, see ``Deadline``."""

    seen: ObservationReport
    did: str | None = None
    said: str | None = None
    late: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"seen": self.seen.as_json(), "did": self.did, "said": self.said, "late": list(self.late)}


@dataclass(frozen=True)
class Files:
    """The files of the task, None for a text, and a hash that identifies it."""

    domain: str | None
    problem: str | None
    sensors: str | None
    fingerprint: str


@dataclass(frozen=True)
class Saved:
    """The content of the file. It may be a stranger's: ``model`` is only for people to read; the caller decides which
    model to ask, its budget, and where its answers are written."""

    __pydantic_config__ = {"extra": "forbid"}

    format: int
    cplan: str
    task: Files
    method: str
    options: dict[str, Any]
    model: dict[str, Any]
    seed: int
    instruction: str
    tries: int
    error: float
    turns: list[Turn]
    generator: dict[str, Any]
    answers: list[dict[str, Any]]
    name: str = ""


def fingerprint(task: Task) -> str:
    """A hash that identifies a task as an agent sees it: of all names and numbers, without hidden facts."""
    ground, compiled = task.seen_in_part
    names = repr((ground.objects, ground.schemas, ground.facts))
    seen = ground.init & ~compiled.sensors.hidden
    return hashlib.sha256(names.encode() + compiled.table.tobytes() + seen.tobytes()).hexdigest()


def as_json(settings: Options | ModelConfig) -> dict[str, Any]:
    """Settings as JSON values, without unchanged ones."""
    told = {f.name: getattr(settings, f.name) for f in fields(settings) if getattr(settings, f.name) != f.default}
    return {name: str(value.resolve()) if isinstance(value, Path) else value for name, value in told.items()}


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Writes the file atomically. Raises InputError if that fails."""
    write_text(path, f"{json.dumps(content, indent=1, ensure_ascii=False)}\n", "the agent")


def read(path: Path | Text) -> Saved:
    """Reads the file of an agent. Raises InputError, with the place, for a file with other content or of another
    format."""
    from pydantic import TypeAdapter, ValidationError

    text = read_text(path, WHAT)
    with reading(path, WHAT, also=(UsageError,)):
        content = json_value(text)
        if content["format"] != FORMAT:
            raise InputError(f"{path}: it is {WHAT} in format {content['format']}, written by cplan {content['cplan']}")
        try:
            return TypeAdapter(Saved).validate_json(text, strict=True)
        except ValidationError as error:
            raise InputError(f"{path}: not {WHAT}: {wrong_field(error.errors()[0])}") from error
