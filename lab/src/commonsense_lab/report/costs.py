"""What an episode costs, as columns of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from commonsense_lab.report.document import NOTHING
from commonsense_lab.runner.rows import PlanRow
from commonsense_planning.support.statistics import Mean, mean, with_error

R_contra = TypeVar("R_contra", contravariant=True)


@dataclass(frozen=True)
class Cost(Generic[R_contra]):
    """A column of a table of costs: its heading, what of a row is averaged over the episodes where it is known, and how
    the mean is shown."""

    head: str
    of: Callable[[R_contra], float | None]
    show: Callable[[Mean], str] = partial(with_error, digits=1)

    def cell(self, rows: Sequence[R_contra]) -> str:
        """What stands in the column for these episodes."""
        values = [value for row in rows if (value := self.of(row)) is not None]
        return self.show(mean(values)) if values else NOTHING


COSTS: tuple[Cost[PlanRow], ...] = (
    Cost("steps", lambda row: row.steps),
    Cost("questions", lambda row: row.questions),
    Cost("calls", lambda row: row.calls),
    Cost("tokens", lambda row: row.tokens),
    Cost("US $", lambda row: row.usd, partial(with_error, digits=4)),
    Cost("seconds", lambda row: row.seconds),
)
"""What methods cost in the tables by method and by task; other studies have tables of their own."""

CAPTION = "Means per episode, with their standard errors:"
