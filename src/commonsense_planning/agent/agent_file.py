"""The file of an agent, for a robot whose process may end at any moment: what was seen and said, and what the model
answered. The agent is made from it by thinking all of that once more, from the same seed and the same answers: nobody
is asked again, and it goes on as it would have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from commonsense_planning import __version__
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.config import ModelConfig, Options
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.support.reading import json_value, read_text, reading, wrong_field
from commonsense_planning.support.writing import write_text
from commonsense_planning.task import Task

FORMAT = 3
WHAT = "the file of an agent"


@dataclass(frozen=True)
class Turn:
    """One call of ``Agent.act``: what was ``seen`` after what somebody ``did`` (None: after nothing), and what the
    agent ``said`` then. ``late``: at which looks at the clock it was late, see ``Deadline``."""

    seen: ObservationReport
    did: str | None = None
    said: str | None = None
    late: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"seen": self.seen.as_json(), "did": self.did, "said": self.said, "late": list(self.late)}


@dataclass(frozen=True)
class Files:
    """Where the task was read, None for a text, and what tells it from others."""

    domain: str | None
    problem: str | None
    sensors: str | None
    fingerprint: str


@dataclass(frozen=True)
class Saved:
    """What the file says. It may be a stranger's: the ``model`` is there to be read by people; whom to ask, what that
    may cost and where its answers are written is for the caller to say."""

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


def fingerprint(task: Task) -> str:
    """What tells a task from others, as an agent meets it: a hash of all names and numbers, without what is hidden."""
    ground, compiled = task.seen_in_part
    names = repr((ground.objects, ground.schemas, ground.facts))
    seen = ground.init & ~compiled.sensors.hidden
    return hashlib.sha256(names.encode() + compiled.table.tobytes() + seen.tobytes()).hexdigest()


def as_json(settings: Options | ModelConfig) -> dict[str, Any]:
    """Settings as JSON values, without those that nobody has changed."""
    told = {f.name: getattr(settings, f.name) for f in fields(settings) if getattr(settings, f.name) != f.default}
    return {name: str(value.resolve()) if isinstance(value, Path) else value for name, value in told.items()}


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write the file as a whole. Raises InputError if that cannot be done."""
    text = json.dumps({"format": FORMAT, "cplan": __version__, **content}, indent=1, ensure_ascii=False)
    write_text(path, f"{text}\n", "the agent")


def read(path: Path) -> Saved:
    """What the file of an agent says. Raises InputError, with the place, for one that is none, or of another format."""
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
