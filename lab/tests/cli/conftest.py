"""Fixtures of the command line's tests."""

from lab.tests.shortcuts import shortcuts, sketches
from tests.cli.conftest import tiny
from tests.cli.running import cplan
from tests.own_methods import own_methods

__all__ = ["cplan", "own_methods", "shortcuts", "sketches", "tiny"]
