"""Which facts are reached together against the slow twin, and that what is exclusive really is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.kernels.engine import holds
from commonsense_planning.kernels.mutexes import free_facts, non_mutex_pairs
from tests.kernels import reference_landmarks as slow
from tests.kernels.reference import Reference
from tests.random_tasks import derived_tasks, task_of, tasks


def pairs_of(task: GroundTask) -> set[tuple[int, int]]:
    compiled = compile_task(task)
    rows = non_mutex_pairs(compiled.table, make_state(compiled, task.init), free_facts(compiled))
    facts = range(task.fact_count)
    return {(f, g) for f in facts for g in facts if holds(rows[f], g)}


@given(tasks() | derived_tasks())
def test_pairs_are_the_twins(task: GroundTask) -> None:
    true = frozenset(np.flatnonzero(task.init).tolist())
    assert pairs_of(task) == slow.non_mutex_pairs(Reference(task), true)


@given(tasks() | derived_tasks(), st.lists(st.integers(0, 7), max_size=12))
def test_what_is_exclusive_is_never_true_together(task: GroundTask, choices: list[int]) -> None:
    pairs, twin = pairs_of(task), Reference(task)
    situation = twin.start(twin.derive(frozenset(np.flatnonzero(task.init).tolist())))
    for choice in choices:
        assert {(f, g) for f in situation.true for g in situation.true} <= pairs
        operators = twin.applicable(situation)
        if not operators:
            break
        situation = twin.progress(situation, operators[choice % len(operators)])


def test_an_effect_may_be_a_condition_of_another_of_the_same_operator() -> None:
    """The second time, what the first time brought about brings about more."""
    task = task_of(3, [([], [], [1], [], 1)], [2], effects={0: ([1], [], [2], [])})
    assert {(1, 1), (1, 2), (2, 1), (2, 2)} <= pairs_of(task)
