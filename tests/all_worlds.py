"""A contingent problem in each of its worlds."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from commonsense_planning.pddl.reader import read_problem, with_text
from commonsense_planning.pddl.variants import spelt, with_world
from commonsense_planning.pddl.worlds import parts_of
from commonsense_planning.task import Task, read_task


def tasks(domain: Path, problem: Path, most: int) -> Iterator[Task]:
    """The problem in each of its worlds, or in ``most`` of them, drawn by the seeds from 0 on."""
    open_problem = read_problem(domain, problem)
    parts = parts_of(open_problem.contingent, lambda atom: spelt(open_problem, atom))
    if math.prod(len(part.worlds) for part in parts) > most:
        yield from (read_task(domain, problem, seed=seed) for seed in range(most))
        return
    task = read_task(domain, problem)
    for rows in itertools.product(*(part.worlds for part in parts)):
        true = [str(a) for part, row in zip(parts, rows, strict=True) for a in np.array(part.atoms)[row]]
        yield replace(task, problem=with_text(open_problem, with_world(open_problem, true)))
