"""The rows of the experiment on travel planning, and its sections of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from commonsense_planning.report.document import Section
from commonsense_planning.report.method_layout import MethodSuite, read_method_suite
from commonsense_planning.report.method_tables import method_sections
from commonsense_planning.report.study import Study
from commonsense_planning.runner.rows import DecisionRow, VariantLabels

SUITE = "flights"


@dataclass(frozen=True, kw_only=True)
class FlightsLabels(VariantLabels):
    """``cities`` are "large" or "mid-size"; ``fewest_flights`` between the two of a pair, ``fewest`` the column that
    this counts in."""

    cities: str
    fewest: str
    fewest_flights: int


@dataclass(frozen=True, kw_only=True)
class FlightsRow(FlightsLabels, DecisionRow):
    """What came of an episode."""


@cache
def layout() -> MethodSuite:
    """The variants and tables of ``layout.toml``."""
    return read_method_suite(Path(__file__).with_name("layout.toml"))


def _sections(setup: str, rows: Sequence[FlightsRow], name: str) -> Iterator[Section]:
    return method_sections(layout(), setup, rows, name, lambda row: (row.cities, row.fewest))


STUDY = Study(lambda line: line.row(FlightsRow), _sections)
