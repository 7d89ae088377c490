"""The rows of the rearrangement experiment, and its sections of a report."""

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

SUITE = "rearrangement"


@dataclass(frozen=True, kw_only=True)
class RearrangementLabels(VariantLabels):
    """``home`` is "seen" or "unseen", ``setting`` one of the paper's, ``scene`` the homes in words."""

    home: str
    setting: str
    scene: str


@dataclass(frozen=True, kw_only=True)
class RearrangementRow(RearrangementLabels, DecisionRow):
    """What came of an episode."""


@cache
def layout() -> MethodSuite:
    """The variants and tables of ``layout.toml``."""
    return read_method_suite(Path(__file__).with_name("layout.toml"))


def _sections(setup: str, rows: Sequence[RearrangementRow], name: str) -> Iterator[Section]:
    return method_sections(layout(), setup, rows, name, lambda row: (row.home, row.setting))


STUDY = Study(lambda line: line.row(RearrangementRow), _sections)
