"""The tasks of the rearrangement experiment as files: a problem each, and a list of all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.errors import InputError
from commonsense_planning.studies.rearrangement.draw import (
    Homes,
    RearrangementTask,
    evaluation_tasks,
    training_task,
)

LIST = "tasks.jsonl"
TRAINING = "training"

Report = Callable[[int, int], None]
"""Gets (tasks done, tasks in all)."""


@dataclass(frozen=True)
class Numbers:
    """How many tasks are for evaluation, in all ten cells together, and how many for training."""

    evaluation: int = 800
    training: int = 2000


def write_tasks(
    homes: Homes, numbers: Numbers, seed: int, out: Path, report: Report = lambda done, total: None
) -> dict[str, int]:
    """Write evaluation tasks to ``out``, training tasks to ``training`` in it, and a line for each to ``tasks.jsonl``.

    The folders are made where they are missing. Gives the number of tasks by home and setting, such as "seen comp" and
    "training simple". Raises InputError if something cannot be written.
    """
    counts: dict[str, int] = {}
    lines = []
    total = numbers.evaluation + numbers.training
    try:
        (out / TRAINING if numbers.training else out).mkdir(parents=True, exist_ok=True)
        for file, task in _files(homes, numbers, seed):
            (out / file).write_text(task.problem, encoding="utf-8")
            lines.append(_line(file, task))
            cell = f"{TRAINING if file.startswith(TRAINING) else task.home} {task.setting}"
            counts[cell] = counts.get(cell, 0) + 1
            report(len(lines), total)
        (out / LIST).write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename or out}: cannot write the tasks: {error.strerror}") from error
    return counts


def _files(homes: Homes, numbers: Numbers, seed: int) -> Iterator[tuple[str, RearrangementTask]]:
    for task in evaluation_tasks(homes, numbers.evaluation, seed):
        yield f"{task.name}.pddl", task
    for index in range(numbers.training):
        task = training_task(homes, index, seed)
        yield f"{TRAINING}/{task.name}.pddl", task


def _line(file: str, task: RearrangementTask) -> str:
    wishes = [f"({wish.relation} {wish.thing} {wish.place})" for wish in task.wishes]
    entry = {
        "name": task.name,
        "home": task.home,
        "setting": task.setting,
        "instruction": task.instruction,
        "goal": wishes[0] if len(wishes) == 1 else f"(and {' '.join(wishes)})",
        "file": file,
    }
    return json.dumps(entry) + "\n"
