"""Files of the expert's trajectories: the dataset D of the LLM-MCTS paper (section 3.1, appendix B), and the few of
them that serve as examples in prompts.

Both are JSON lines that ``language.examples`` reads. A line of the dataset has in ``observations`` what is new before
each action; a line of the pool has what is in sight, as a prompt says it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

import numpy as np

from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.runner.pool import Pool
from commonsense_planning.studies.homes.scene_graph import load_graph
from commonsense_planning.studies.rearrangement.draw import Homes, own_homes, scene_homes, training_task
from commonsense_planning.studies.rearrangement.expert import Expert, Trajectory

CHUNK = 50  # trajectories that a process makes at a time

Report = Callable[[int, int], None]
"""Gets (trajectories done, trajectories in all)."""


@dataclass(frozen=True)
class Source:
    """Whose trajectories: of the training tasks of ``seed``, in our seen home, or in VirtualHome's graph in the file
    ``scene``; ``pack`` is the folder of the household domain."""

    seed: int = 0
    scene: Path | None = None
    pack: Path = Path("pddl/household")


@dataclass(frozen=True)
class Pooled:
    """Where ``number`` trajectories, drawn uniformly from all, go for prompts."""

    file: Path
    number: int = 200


@dataclass(frozen=True)
class Counts:
    """``trajectories`` with ``actions`` in all, the longest of ``longest``."""

    trajectories: int
    actions: int
    longest: int


def write_trajectories(
    source: Source,
    number: int,
    out: Path,
    pooled: Pooled | None,
    workers: int,
    report: Report = lambda done, total: None,
) -> Counts:
    """Write the trajectories of the first ``number`` training tasks to ``out``, with as many processes as ``workers``
    says; one: in this process. Equal sources give equal files, however many processes there are.

    A file is there when it is complete. Raises InputError for what is wrong in a file that is read, or if a file cannot
    be written; UsageError if there are fewer trajectories than the pool shall have.
    """
    chosen: frozenset[int] = frozenset()
    if pooled is not None:
        if pooled.number > number:
            raise UsageError(f"a pool of {pooled.number} cannot be drawn from {number} trajectories; make more of them")
        rng = np.random.default_rng([source.seed, number])
        chosen = frozenset(rng.choice(number, pooled.number, replace=False).tolist())
    lengths: list[int] = []
    report(0, number)
    with ExitStack() as stack:
        everything = stack.enter_context(_replacing(out))
        pool = stack.enter_context(_replacing(pooled.file)) if pooled else None
        for trajectory in _trajectories(source, number, workers):
            everything.write(_line(trajectory, trajectory.observations))
            if pool is not None and len(lengths) in chosen:
                pool.write(_line(trajectory, trajectory.in_sight))
            lengths.append(len(trajectory.actions))
            report(len(lengths), number)
    return Counts(number, sum(lengths), max(lengths))


def _trajectories(source: Source, number: int, workers: int) -> Iterator[Trajectory]:
    """The trajectories in the order of their tasks."""
    chunks = [range(first, min(first + CHUNK, number)) for first in range(0, number, CHUNK)]
    if workers == 1 or len(chunks) == 1:
        for chunk in chunks:
            yield from _carried_out(source, chunk)
        return
    with Pool(min(workers, len(chunks))) as pool:
        for done in pool.map(_carried_out, [source] * len(chunks), chunks):
            yield from done


def _carried_out(source: Source, indices: Iterable[int]) -> list[Trajectory]:
    """The trajectories of some training tasks."""
    homes = _homes(source.scene)
    expert = _expert(source)
    return [expert.trajectory(training_task(homes, index, source.seed)) for index in indices]


@cache
def _homes(scene: Path | None) -> Homes:
    if scene is None:
        return own_homes()
    graph = load_graph(scene)
    return scene_homes(graph, graph)  # training tasks are all in the seen home


@cache
def _expert(source: Source) -> Expert:
    return Expert(source.pack, training_task(_homes(source.scene), 0, source.seed))


def _line(trajectory: Trajectory, observations: tuple[tuple[str, ...], ...]) -> str:
    entry = {
        "instruction": trajectory.instruction,
        "goal": trajectory.goal,
        "home": trajectory.home,
        "task": trajectory.task,
        "observations": observations,
        "actions": trajectory.actions,
        "plan": trajectory.plan,
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of ``path`` when the block is left, unless by an exception."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot write the trajectories: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
