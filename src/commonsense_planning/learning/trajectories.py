"""Files of expert trajectories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError

FORM = '{"instruction": "…", "observations": [["…"], …], "actions": ["…", …]}'


@dataclass(frozen=True)
class Trajectory:
    """What was to be done, and step by step what was newly seen before the action, and the action, all in English.

    ``observations`` and ``actions`` are equally long.
    """

    instruction: str
    observations: tuple[tuple[str, ...], ...]
    actions: tuple[str, ...]


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """Read JSON lines of the form ``FORM``, one trajectory each; other keys do not matter.

    Raises InputError with the line that is wrong, and where the file cannot be read or is empty.
    """
    found = False
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    found = True
                    yield _trajectory(path, number, line)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read the trajectories: {error}") from error
    if not found:
        raise InputError(f"{path}: there are no trajectories in this file; cplan data expert makes them")


def _trajectory(path: Path, number: int, line: str) -> Trajectory:
    try:
        entry = json.loads(line)
        instruction = _text(entry["instruction"])
        observations = tuple(tuple(map(_text, _list(seen))) for seen in _list(entry["observations"]))
        actions = tuple(map(_text, _list(entry["actions"])))
    except (ValueError, KeyError, TypeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path}:{number}:1: not a trajectory: {what}; expected {FORM}") from error
    if not actions or len(observations) < len(actions):
        raise InputError(
            f"{path}:{number}:1: {len(actions)} actions and {len(observations)} observations; expected at least one "
            "action, and an observation before each"
        )
    return Trajectory(instruction, observations[: len(actions)], actions)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return " ".join(value.split())


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return value
