"""What an episode costs: means with their standard errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonsense_planning.report.document import NOTHING
from commonsense_planning.report.statistics import Mean, mean
from commonsense_planning.runner.rows import Row

COSTS = (
    ("steps", "steps"),
    ("questions", "questions"),
    ("calls", "calls"),
    ("tokens", "tokens"),
    ("US $", "usd"),
    ("seconds", "seconds"),
)
"""Heading → field of a row whose mean per episode is shown."""

CAPTION = "Means per episode, with their standard errors:"


def costs(rows: Sequence[Row], seconds_digits: int = 1) -> Iterator[str]:
    """A cell for each of ``COSTS``, over the episodes where the cost is known."""
    digits = {"usd": 4, "seconds": seconds_digits}
    for _, field in COSTS:
        values = [row[field] for row in rows if row[field] is not None]
        yield with_error(mean(values), digits.get(field, 1)) if values else NOTHING


def with_error(found: Mean, digits: int) -> str:
    """A mean and, where there is one, its standard error, with that many digits after the point."""
    return f"{found.value:.{digits}f}" + ("" if found.error is None else f" ± {found.error:.{digits}f}")
