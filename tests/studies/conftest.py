"""Fixtures of the studies' tests."""

from __future__ import annotations

from tests.cli.conftest import tiny
from tests.cli.running import cplan

__all__ = ["cplan", "tiny"]
