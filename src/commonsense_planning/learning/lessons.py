"""From expert trajectories to the sequences that a policy learns from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.learning.reading import Reader
from commonsense_planning.learning.trajectories import Trajectory, read_trajectories
from commonsense_planning.learning.transcript import DO, END, GOAL, SEEN, Encode, Step, Transcript

HELD_OUT = 0.05  # the share of the trajectories that is kept for judging
IGNORED = -100  # what torch's cross entropy leaves out


@dataclass(frozen=True)
class Lesson:
    """``tokens`` int32 (length,); ``targets`` int64 (length,), the same where an action is learned, else a number that
    the loss leaves out."""

    tokens: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.tokens)


def read_and_split(path: Path, rng: np.random.Generator) -> tuple[list[Trajectory], list[Trajectory]]:
    """The trajectories of a file with what a policy reads of them alone, in two parts: to learn from, and held out.

    Raises InputError where the file is wrong or has fewer than two trajectories.
    """
    every = [_read(trajectory) for trajectory in read_trajectories(path)]
    if len(every) < 2:
        raise InputError(f"{path}: one trajectory is too few: some are learned from, others are held out")
    order = rng.permutation(len(every)).tolist()
    held = max(1, round(HELD_OUT * len(every)))
    return [every[i] for i in order[held:]], [every[i] for i in order[:held]]


def texts(trajectories: Iterable[Trajectory]) -> set[str]:
    """All that a tokenizer has to know."""
    found = {GOAL, SEEN, DO, END, ";"}
    for trajectory in trajectories:
        found.update([trajectory.instruction], trajectory.actions, *trajectory.observations)
    return found


def lessons(encode: Encode, trajectories: Iterable[Trajectory], positions: int) -> list[Lesson]:
    """A sequence for each trajectory, and one more for each time that steps are forgotten; every action is learned
    once."""
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
    reader = Reader(trajectory.instruction)
    return Trajectory(
        trajectory.instruction, tuple(tuple(reader.read(seen)) for seen in trajectory.observations), trajectory.actions
    )


def _lesson(head: Sequence[int], steps: Sequence[Step], learned: int) -> Lesson:
    tokens, targets = list(head), [IGNORED] * len(head)
    for index, step in enumerate(steps):
        start = len(step.tokens) - (step.learned if index >= learned else 0)
        tokens += step.tokens
        targets += [IGNORED] * start + step.tokens[start:]
    return Lesson(np.array(tokens, np.int32), np.array(targets, np.int64))
