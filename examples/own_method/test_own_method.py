"""What pytest runs: whether the method is as cplan wants it, and what is its own: that it gives up in time."""

from __future__ import annotations

from own_method import BREADTH_FIRST, BreadthFirstOptions

from commonsense_planning import Status
from commonsense_planning.testing import check_method


def test_it_is_a_method_of_cplan() -> None:
    assert {solution.status for solution in check_method(BREADTH_FIRST)} == {Status.SOLVED}


def test_it_gives_up() -> None:
    (solution,) = check_method(BREADTH_FIRST, ["household:small-apple"], BreadthFirstOptions(max_states=5))
    assert (solution.status, "more than 5 states" in solution.reason) == (Status.BUDGET, True)
