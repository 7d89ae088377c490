"""What is compared on: problems of the competition and our own packs, random tasks, and what a finding kept."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.classical.problems import Task, collection
from commonsense_planning.pddl.packs import packs_folder
from commonsense_planning.pddl.plan import Plan, read_plan
from tests.random_domains import RandomDomains

PACKS = {"household": "small-apple.pddl", "flights": "short-oslo-athens.pddl"}
"""Our own domains without contingent parts, with a small problem of each."""


@dataclass(frozen=True)
class Case:
    """A task, the ``seed`` of all that is drawn on it; or, not ``drawn``, what a finding kept, with its plan."""

    task: Task
    seed: int
    drawn: bool = True
    plan: Plan | None = None


def smallest(data: Path) -> list[Task]:
    """The smallest problem of each domain below ``data``, none if it is not there, and small ones of our packs."""
    shipped = packs_folder()
    ours = [
        Task(f"{pack}/{problem}", shipped / pack / "domain.pddl", shipped / pack / "problems" / problem)
        for pack, problem in PACKS.items()
    ]
    return [*(collection(data).smallest() if data.is_dir() else []), *ours]


def many(data: Path) -> list[Task]:
    """Up to three problems of each domain below ``data``, and all of our packs."""
    shipped = sorted(packs_folder().glob("*/problems/*.pddl"))
    ours = [Task(f"{file.parents[1].name}/{file.name}", file.parents[1] / "domain.pddl", file) for file in shipped]
    return [*(collection(data).spread(3) if data.is_dir() else []), *ours]


def random_tasks(seed: int, folder: Path, derived: bool) -> Iterator[Task]:
    """Random tasks without end: plain ones, ones with costs, and, with ``derived``, ones with derived predicates, too.
    Their files are the same two in ``folder``, written anew for each."""
    kinds = [RandomDomains(seed), RandomDomains(seed, costs=True)]
    kinds += [RandomDomains(seed, costs=True, derived=True)] * derived
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    number = 0
    while True:
        kinds[number % len(kinds)].write(domain, problem)
        yield Task(f"random/{number}", domain, problem)
        number += 1


def cases(real: list[Task], count: int, seed: int, folder: Path, derived: bool, again: bool) -> Iterator[Case]:
    """So many tasks, each with a seed of its own: the ``real`` ones, then random ones; or, with ``again``, the real
    ones again and again, and a random one after every three."""
    drawn = random_tasks(seed, folder, derived)
    every = _mixed(itertools.cycle(real), drawn) if again else itertools.chain(real, drawn)
    for number, task in enumerate(itertools.islice(every, count)):
        yield Case(task, seed + number)


def _mixed(real: Iterator[Task], drawn: Iterator[Task]) -> Iterator[Task]:
    while True:
        yield from itertools.islice(real, 3)
        yield next(drawn)


def kept(folder: Path, seed: int) -> Case:
    """What a finding kept. Raises InputError if its plan cannot be read."""
    plan = folder / "plan"
    task = Task(folder.name, folder / "domain.pddl", folder / "problem.pddl")
    return Case(task, seed, False, read_plan(plan) if plan.exists() else None)
