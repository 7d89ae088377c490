"""The rows of the experiment with misplaced things."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.runner.rows import PlanOutcome, PlanRow, VariantLabels


@dataclass(frozen=True, kw_only=True)
class MisplacedLabels(VariantLabels):
    """``home``: one of ours, or VirtualHome's graph. ``share``: with which probability a wanted thing was moved, or
    "least": where the model puts it least."""

    home: str
    share: str


@dataclass(frozen=True, kw_only=True)
class MisplacedOutcome(PlanOutcome):
    """``limit``: of steps. ``cheapest``: the steps of the plan of who knows everything, of which no plan has fewer than
    ``bound``. ``wasted``: steps that could have been left out, see ``wasted.wasted_steps``."""

    limit: int
    cheapest: int
    bound: float
    wasted: int


@dataclass(frozen=True, kw_only=True)
class MisplacedRow(MisplacedLabels, MisplacedOutcome, PlanRow):
    """What came of an episode."""

    @property
    def taken(self) -> int:
        """The steps until the goal was reached; the limit where it was not."""
        return self.steps if self.solved and self.steps is not None else self.limit

    def found_within(self, steps: int) -> bool:
        """Whether the goal was reached in so many steps."""
        return self.solved and self.taken <= steps
