"""Runs the episodes of an experiment on the cores of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from commonsense_lab.runner.rows import Failed
from commonsense_lab.runner.runner import Engine, Episode, Keep, attempt
from commonsense_planning.support.pool import DIED, completed


@dataclass(frozen=True)
class Local(Engine):
    """As many processes as ``workers`` says; one, or one episode: in this process."""

    workers: int

    def run(self, todo: Sequence[Episode], keep: Keep) -> None:
        """Run ``todo``; an episode that kills its process twice is recorded as failed."""
        if min(self.workers, len(todo)) <= 1:
            for episode in todo:
                keep(episode, attempt(episode))
            return
        with closing(completed(attempt, todo, self.workers)) as outcomes:
            for number, outcome in outcomes:
                keep(todo[number], outcome or Failed(error=DIED))
