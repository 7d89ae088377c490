"""Short ways for tests that run many commands; each long way has separate tests."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from commonsense_lab.report import pages
from commonsense_lab.report.document import Chart
from commonsense_lab.report.plots import draw
from commonsense_lab.studies.virtualhome import experiment
from commonsense_planning import task
from commonsense_planning.cli import job
from tests.shortcuts import short_ways

EMPTY = "<svg></svg>"


def _sketched(charts: Sequence[Chart], folder: Path) -> dict[str, str]:
    """As ``plots.save``, with charts that are made and laid out, and pictures with nothing in them."""
    folder.mkdir(exist_ok=True)
    for chart in charts:
        draw(chart).draw_without_rendering()
        for ending in ("png", "svg"):
            (folder / f"{chart.name}.{ending}").write_text(EMPTY)
    return dict.fromkeys((chart.name for chart in charts), EMPTY)


@pytest.fixture(scope="module", autouse=True)
def shortcuts() -> Iterator[None]:
    """The core's, and what the household experiment reads is read once."""
    with short_ways(job, task, experiment):
        yield


@pytest.fixture
def sketches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of this process have empty pictures."""
    monkeypatch.setattr(pages, "save", _sketched)
