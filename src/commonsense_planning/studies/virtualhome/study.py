"""The rows of the household experiment, and its sections of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from commonsense_planning.report.document import Section
from commonsense_planning.report.statistics import COSTS, Cost
from commonsense_planning.report.study import Study
from commonsense_planning.report.task_tables import Suite, read_suite, task_sections
from commonsense_planning.runner.rows import PlanOutcome, PlanRow, VariantLabels

SUITE = "household"


@dataclass(frozen=True, kw_only=True)
class HouseholdLabels(VariantLabels):
    """``scene``: the home in words."""

    scene: str


@dataclass(frozen=True, kw_only=True)
class HouseholdOutcome(PlanOutcome):
    """``executability``: which share of the actions that a model wrote could be carried out; None where it wrote
    none."""

    executability: float | None


@dataclass(frozen=True, kw_only=True)
class HouseholdRow(HouseholdLabels, PlanRow, HouseholdOutcome):
    """What came of an episode."""


COLUMNS: tuple[Cost[HouseholdRow], ...] = (
    Cost("executability", lambda row: row.executability, lambda found: f"{100 * found.value:.0f} %"),
    *COSTS,
)


@cache
def layout() -> Suite:
    """The variants and tables of ``layout.toml``."""
    return read_suite(Path(__file__).with_name("layout.toml"))


def _sections(setup: str, rows: Sequence[HouseholdRow], name: str) -> Iterator[Section]:
    return task_sections(layout(), setup, rows, COLUMNS)


STUDY = Study(lambda line: line.row(HouseholdRow), _sections)
