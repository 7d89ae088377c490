"""One budget for all episodes of an experiment."""

from __future__ import annotations

from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import BudgetError
from commonsense_planning.runner.rows import Row


class Spending:
    """Adds up what the new rows of a run cost. The limits are looked at between episodes, so they can be exceeded by
    what the episodes under way cost."""

    def __init__(self, limits: BudgetConfig) -> None:
        self._limits = {"calls": limits.max_calls, "tokens": limits.max_tokens, "usd": limits.max_usd}
        self._spent = dict.fromkeys(self._limits, 0.0)

    def check(self, row: Row) -> None:
        """Take a row into account. Raises BudgetError when a limit is reached."""
        for name, limit in self._limits.items():
            self._spent[name] += row.get(name) or 0
            if limit is not None and self._spent[name] >= limit:
                raise BudgetError(
                    f"the limit of {limit:g} {name} for all episodes is reached; what is done is kept: "
                    "the same command with a higher limit goes on from there"
                )
