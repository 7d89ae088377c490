"""Turns files of expert trajectories into sequences that a policy learns from, in batches; and the learning rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_lab.learning.transcript import (
    DO,
    END,
    GOAL,
    SEEN,
    Encode,
    Transcript,
    TranscriptReader,
    TranscriptStep,
)
from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import json_value, reading

FORM = '{"instruction": "…", "observations": [["…"], …], "actions": ["…", …]}'


@dataclass(frozen=True)
class Trajectory:
    """The instruction, and for each step the new observations before the action, and the action, all in English.
    ``observations`` and ``actions`` are equally long."""

    instruction: str
    observations: tuple[tuple[str, ...], ...]
    actions: tuple[str, ...]


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """Reads JSON lines of the form ``FORM``, one trajectory each; other keys are ignored. Raises InputError with the
    wrong line, and if the file cannot be read or is empty."""
    found = False
    with reading(path, "trajectories"), path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                found = True
                with reading(path, "a trajectory", number, f"expected {FORM}"):
                    trajectory = _trajectory(path, number, line)
                yield trajectory
    if not found:
        raise InputError(f"{path}: there are no trajectories in this file; cplan data expert makes them")


def _trajectory(path: Path, number: int, line: bytes) -> Trajectory:
    entry = json_value(line)
    instruction = _text(entry["instruction"])
    observations = tuple(tuple(map(_text, _list(seen))) for seen in _list(entry["observations"]))
    actions = tuple(map(_text, _list(entry["actions"])))
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


HELD_OUT = 0.05  # the share of the trajectories for evaluation
WARM_UP = 0.05  # the share of all steps in which the learning rate rises
IGNORED = -100  # the target that torch's cross entropy ignores


@dataclass(frozen=True)
class Lesson:
    """``tokens`` int32 (length,); ``targets`` int64 (length,), the same for learned actions, else ``IGNORED``."""

    tokens: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.tokens)


def read_and_split(path: Path, rng: np.random.Generator) -> tuple[list[Trajectory], list[Trajectory]]:
    """Reads the trajectories of a file, with only what a policy reads, in two parts: for learning, and held out. Raises
    InputError if the file is wrong or has fewer than two trajectories."""
    every = [_read(trajectory) for trajectory in read_trajectories(path)]
    if len(every) < 2:
        raise InputError(f"{path}: one trajectory is too few: some are learned from, others are held out")
    order = rng.permutation(len(every)).tolist()
    held = max(1, round(HELD_OUT * len(every)))
    return [every[i] for i in order[held:]], [every[i] for i in order[:held]]


def texts(trajectories: Iterable[Trajectory]) -> set[str]:
    """Returns the texts that a tokenizer must know."""
    found = {GOAL, SEEN, DO, END, ";"}
    for trajectory in trajectories:
        found.update([trajectory.instruction], trajectory.actions, *trajectory.observations)
    return found


def lessons(encode: Encode, trajectories: Iterable[Trajectory], positions: int) -> list[Lesson]:
    """Returns a sequence for each trajectory, and another whenever steps are forgotten; learns every action once."""
    found = []
    for trajectory in trajectories:
        transcript = Transcript(encode, trajectory.instruction, positions)
        learned = 0  # steps of the transcript that an earlier lesson has
        for sentences, action in zip(trajectory.observations, trajectory.actions, strict=True):
            before = transcript.steps[:]
            transcript.see(sentences)
            if len(transcript.steps) < len(before):
                found.append(_lesson(transcript.head, before, learned))
                learned = len(transcript.steps)
            transcript.do(action)
        found.append(_lesson(transcript.head, transcript.steps, learned))
    return found


def _read(trajectory: Trajectory) -> Trajectory:
    reader = TranscriptReader(trajectory.instruction)
    return Trajectory(
        trajectory.instruction, tuple(tuple(reader.read(seen)) for seen in trajectory.observations), trajectory.actions
    )


def _lesson(head: Sequence[int], steps: Sequence[TranscriptStep], learned: int) -> Lesson:
    tokens, targets = list(head), [IGNORED] * len(head)
    for index, step in enumerate(steps):
        start = len(step.tokens) - (step.learned if index >= learned else 0)
        tokens += step.tokens
        targets += [IGNORED] * start + step.tokens[start:]
    return Lesson(np.array(tokens, np.int32), np.array(targets, np.int64))


_POOL = 32  # batches whose lessons are sorted by length among themselves


def shuffled(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Returns batches of at most ``size`` lessons of similar length, as indices: each lesson once, in random order."""
    order = rng.permutation(len(lengths)).tolist()
    batches = []
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lambda i: lengths[i])
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    return [batches[i] for i in rng.permutation(len(batches)).tolist()]


def padded(lessons: Sequence[Lesson]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns tokens and targets, int64 (lessons, longest), padded at the end, which is never attended to."""
    shape = (len(lessons), max(map(len, lessons)))
    tokens, targets = np.zeros(shape, np.int64), np.full(shape, IGNORED, np.int64)
    for row, lesson in enumerate(lessons):
        tokens[row, : len(lesson)] = lesson.tokens
        targets[row, : len(lesson)] = lesson.targets
    return tokens, targets


def schedule(step: int, steps: int) -> float:
    """Returns the share of the learning rate at a step: it rises to one, then falls along a cosine to zero."""
    warm = max(1, round(WARM_UP * steps))
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))
