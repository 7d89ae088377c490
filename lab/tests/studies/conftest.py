"""Fixtures of the studies' tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.tests.report.lines import Row, rows_in
from lab.tests.shortcuts import shortcuts, sketches
from tests.cli.conftest import tiny
from tests.cli.running import Run, cplan
from tests.own_methods import own_methods

__all__ = ["cplan", "own_methods", "shortcuts", "sketches", "tiny"]

Bench = Callable[..., list[Row]]


@pytest.fixture(autouse=True)
def _sketches(sketches: None) -> None:
    """In all reports."""


@pytest.fixture
def bench(cplan: Run, tmp_path: Path) -> Bench:
    """Runs an experiment in this process, with results in the folder ``results``; its rows."""

    def run(*args: object) -> list[Row]:
        ended = cplan("bench", *args, "--workers", "1", "--quiet", "-o", tmp_path / "results")
        assert ended.code == 0, ended.err
        return rows_in(tmp_path / "results")

    return run
