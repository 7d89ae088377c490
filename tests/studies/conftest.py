"""Fixtures of the studies' tests."""

from __future__ import annotations

import pytest

from tests.cli.conftest import tiny
from tests.cli.running import cplan
from tests.shortcuts import sketches

__all__ = ["cplan", "sketches", "tiny"]


@pytest.fixture(autouse=True)
def _sketches(sketches: None) -> None:
    """In all reports."""
