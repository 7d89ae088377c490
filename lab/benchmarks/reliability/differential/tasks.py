"""The tasks of the comparison: problems of the competition and cplan's packs, random tasks, and kept findings."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.pddl.packs import packs_folder
from commonsense_planning.pddl.plan import Plan, read_plan
from lab.benchmarks.classical.problems import Task, collection
from tests.oracle.drawing import draw
from tests.oracle.task import Task as Tree

PACKS = {"household": "small-apple.pddl", "flights": "short-oslo-athens.pddl"}
"""cplan's domains without contingent parts, with a small problem of each."""


@dataclass(frozen=True)
class Case:
    """A task with the ``seed`` of its random choices; or, not ``drawn``, a kept finding with its plan. ``tree``: the
    source of a random task."""

    task: Task
    seed: int
    drawn: bool = True
    plan: Plan | None = None
    tree: Tree | None = None


def smallest(data: Path) -> list[Task]:
    """Returns the smallest problem of each domain below ``data``, if it is there, and small ones of cplan's packs."""
    shipped = packs_folder()
    ours = [
        Task(f"{pack}/{problem}", shipped / pack / "domain.pddl", shipped / pack / "problems" / problem)
        for pack, problem in PACKS.items()
    ]
    return [*(collection(data).smallest() if data.is_dir() else []), *ours]


def many(data: Path) -> list[Task]:
    """Returns up to three problems of each domain below ``data``, and all of cplan's packs."""
    shipped = sorted(packs_folder().glob("*/problems/*.pddl"))
    ours = [Task(f"{file.parents[1].name}/{file.name}", file.parents[1] / "domain.pddl", file) for file in shipped]
    return [*(collection(data).spread(3) if data.is_dir() else []), *ours]


def none(data: Path) -> list[Task]:
    """No problem, for what random ones alone can show."""
    return []


def random_case(seed: int, folder: Path, derived: bool = True, plain: bool = True) -> Case:
    """Returns a random task, whose files are ``domain.pddl`` and ``problem.pddl`` in ``folder``; a ``plain`` one has no
    constraints and nothing odd, which others may not know. Of the others, those of odd seeds have large costs."""
    drawn = draw(random.Random(seed), derived, not plain, not plain, large=not plain and seed % 2 == 1)
    task = Task(f"random/{seed}", *drawn.write(folder / "domain.pddl", folder / "problem.pddl"))
    return Case(task, seed, tree=drawn)


def cases(
    real: list[Task], count: int, seed: int, folder: Path, derived: bool, again: bool, plain: bool
) -> Iterator[Case]:
    """Yields ``count`` tasks, each with a separate seed: the ``real`` ones, then random ones; with ``again``, the real
    ones repeatedly, and a random one after every three."""
    for number in range(count):
        if real and (number % 4 < 3 if again else number < len(real)):
            yield Case(real[(number - number // 4 if again else number) % len(real)], seed + number)
        else:
            yield random_case(seed + number, folder, derived, plain)


def kept(folder: Path, seed: int) -> Case:
    """Returns what a finding kept. Raises InputError if its plan cannot be read."""
    plan = folder / "plan"
    task = Task(folder.name, folder / "domain.pddl", folder / "problem.pddl")
    return Case(task, seed, False, read_plan(plan) if plan.exists() else None)
