"""The whole tutorial, with the part that needs the laboratory."""

from tests.examples.test_tutorial import *  # noqa: F403
from tests.examples.test_tutorial import LABORATORY, TUTORIAL, pytestmark

__all__ = ["pytestmark"]


def test_it_has_a_part_that_needs_the_laboratory() -> None:
    assert TUTORIAL.count(LABORATORY) == 1
