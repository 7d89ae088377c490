"""Anytime planning: every plan is one, costs fall, and where nothing is left to search, the last one is a cheapest."""

from __future__ import annotations

from hypothesis import given, settings

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.search.anytime import Anytime
from commonsense_planning.search.best_first import Limits
from tests.random_tasks import tasks
from tests.search.test_best_first import carried_out, least_cost


@settings(max_examples=100)
@given(tasks())
def test_without_a_limit_it_ends_with_a_cheapest_plan(task: GroundTask) -> None:
    compiled = compile_task(task)
    found = Anytime(task, compiled, make_state(compiled, task.init), Limits()).run()
    expected = least_cost(task)
    assert found.proven == (expected is not None)
    assert (found.result.status is Status.SOLVED) == (expected is not None)
    if expected is not None:
        assert carried_out(task, found.result) == expected
    costs = [improvement.cost for improvement in found.improvements]
    assert costs == sorted(set(costs), reverse=True)
