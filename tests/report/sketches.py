"""For tests that make reports and do not look at the pictures: drawing them takes longer than all else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from commonsense_planning.report import pages
from commonsense_planning.report.document import Chart
from commonsense_planning.report.plots import draw

EMPTY = "<svg></svg>"


def _sketched(charts: Sequence[Chart], folder: Path) -> dict[str, str]:
    """As ``plots.save``, with charts that are made and laid out, and pictures with nothing in them."""
    folder.mkdir(exist_ok=True)
    for chart in charts:
        draw(chart).draw_without_rendering()
        for ending in ("png", "svg"):
            (folder / f"{chart.name}.{ending}").write_text(EMPTY)
    return dict.fromkeys((chart.name for chart in charts), EMPTY)


@pytest.fixture
def sketches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of this process have empty pictures."""
    monkeypatch.setattr(pages, "save", _sketched)
