"""Fixtures of the studies' tests."""

import pytest

from lab.tests.shortcuts import shortcuts, sketches
from tests.cli.conftest import tiny
from tests.cli.running import cplan
from tests.own_methods import own_methods

__all__ = ["cplan", "own_methods", "shortcuts", "sketches", "tiny"]


@pytest.fixture(autouse=True)
def _sketches(sketches: None) -> None:
    """In all reports."""
