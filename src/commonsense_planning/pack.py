"""A domain pack: the files beside a domain that say what is hidden and how things are called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.language.verbalise import Lexicon
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import Sensors, read_sensors


@dataclass(frozen=True)
class Task:
    """What a user brings: the problem, what can be seen (None: everything), how things are called."""

    problem: Problem
    sensors: Sensors | None
    lexicon: Lexicon


def read_task(domain: Path, problem: Path, sensors: Path | None = None, lexicon: Path | None = None) -> Task:
    """Read a problem, and ``sensors.pddl`` and ``lexicon.toml`` from beside the domain where they are not
    given.

    Raises InputError for what is wrong in any of the files.
    """
    read = read_problem(domain, problem)
    sensors = sensors or _beside(domain, "sensors.pddl")
    lexicon = lexicon or _beside(domain, "lexicon.toml")
    return Task(
        read,
        read_sensors(sensors, read) if sensors else None,
        Lexicon.read(lexicon) if lexicon else Lexicon(),
    )


def _beside(domain: Path, name: str) -> Path | None:
    path = domain.parent / name
    return path if path.is_file() else None
