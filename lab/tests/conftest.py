"""The settings are those of the core's tests."""

from tests.conftest import *  # noqa: F403
