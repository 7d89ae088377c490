"""Plans: a sequence of ground actions, in the user's spelling, and IPC plan files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One ground action: the action's name and its arguments, in the user's spelling."""

    action: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.action, *self.arguments))})"


@dataclass(frozen=True)
class Plan:
    """A sequential plan; ``cost`` is None where nobody computed it."""

    steps: tuple[Step, ...]
    cost: float | None = None

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)
