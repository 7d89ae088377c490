"""A cheapest plan and its proof, or a plan and a bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.search.classical.anytime import Anytime
from commonsense_planning.search.classical.cheapest import cheapest_plan
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.state import make_state
from tests.data import REPOSITORY
from tests.random_tasks import derived_tasks, task_of, tasks
from tests.search.classical.test_best_first import carried_out, least_cost

HOME = REPOSITORY / "pddl" / "household"


@given(tasks() | derived_tasks())
def test_the_plan_is_one_of_the_whole_task_and_none_is_cheaper(task: GroundTask) -> None:
    expected, found = least_cost(task), cheapest_plan(task)
    assert found.cost == expected
    assert found.proven == (expected is not None)
    if expected is not None:
        assert carried_out(task, found.result) == expected


@given(tasks(), st.sampled_from([300_000_007, 10**11 + 3]))
def test_costs_that_kernels_round_are_added_up_exactly(task: GroundTask, by: int) -> None:
    cost = task.operators.cost * by + np.arange(task.operator_count)
    large = replace(task, operators=task.operators._replace(cost=cost))
    expected, found = least_cost(large), cheapest_plan(large)
    assert found.cost == expected
    assert found.proven == (expected is not None)
    if expected is not None:
        anytime = Anytime(large, compile_task(large), make_state(compile_task(large), large.init), Limits(0.05)).run()
        told = [better.cost for better in anytime.improvements]
        assert told[-1] >= expected and told == sorted(told, reverse=True)
        assert told[-1] == large.cost(anytime.result.operators or ())


def test_a_plan_in_a_whole_home_is_proven() -> None:
    task = ground(read_problem(HOME / "domain.pddl", HOME / "problems" / "demo.pddl"))
    found = cheapest_plan(task)
    assert found.proven
    assert found.result.operators is not None
    assert found.cost == len(found.result.operators)


def test_where_the_limit_comes_first_the_gap_is_told() -> None:
    chain = [([f], [], [f + 1], [], 1) for f in range(300)]
    branches = [([f], [], [301 + f], [f], 1) for f in range(300)]
    back = [([301 + f], [], [f], [], 1) for f in range(300)]
    task = task_of(602, [*chain, *branches, *back], [300, 450], [0])
    found = cheapest_plan(task, limits=Limits(evaluations=1))
    assert found.cost is not None
    assert found.bound <= found.cost
    assert found.proven == (found.result.status is Status.SOLVED)
