"""Fixtures of the command line's tests."""

from pathlib import Path

import pytest

from tests.cli.running import cplan
from tests.own_methods import own_methods
from tests.shortcuts import shortcuts
from tests.tiny import write_tiny_task

__all__ = ["cplan", "own_methods", "shortcuts", "tiny"]


@pytest.fixture
def tiny(tmp_path: Path) -> tuple[Path, Path]:
    """Domain file and problem file of a task that is solved in a blink; sensors.pddl is next to them."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    return write_tiny_task(folder)
