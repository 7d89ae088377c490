"""The table of household tasks, and how its formulas meet the things of a home."""

from __future__ import annotations

import pytest

from commonsense_lab.studies.virtualhome.tasks import TASKS, VARIANTS, bind, task_named
from commonsense_planning.errors import InputError

MEMBERS = {"salmon": ["salmon_1"], "plate": ["plate_1", "plate_2"], "microwave": ["microwave_1"]}


@pytest.mark.parametrize(("formula", "bound"), [
    ("(exists (?s - salmon) (heated ?s))", "(heated salmon_1)"),
    ("(exists (?p - plate) (washed ?p))", "(or (washed plate_1) (washed plate_2))"),
    ("(exists (?s - salmon ?p - plate) (and (on ?s ?p) (clean ?p)))",
     "(or (and (on salmon_1 plate_1) (clean plate_1)) (and (on salmon_1 plate_2) (clean plate_2)))"),
    ("(exists (?s - salmon) (and (heated ?s) (not (exists (?p - plate) (on ?s ?p)))))",
     "(and (heated salmon_1) (not (or (on salmon_1 plate_1) (on salmon_1 plate_2))))"),
])  # fmt: skip
def test_classes_become_things(formula: str, bound: str) -> None:
    assert bind(formula, MEMBERS) == bound


def test_the_conditions_of_microwave_salmon_are_the_paper_s() -> None:
    task = task_named("microwave-salmon")
    assert bind(task.goal, MEMBERS) == "(and (heated salmon_1) (switched-on microwave_1))"
    assert task.failure is not None
    assert bind(task.failure, MEMBERS) == "(and (heated salmon_1) (not (switched-on microwave_1)))"


def test_a_class_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="needs unicorn, which"):
        bind("(exists (?u - unicorn) (heated ?u))", MEMBERS)


def test_names_find_tasks_and_variants() -> None:
    tasks = (*TASKS, *VARIANTS)
    assert len({task.name for task in tasks}) == len(tasks) == 18
    assert [task_named(task.name) for task in tasks] == list(tasks)
    with pytest.raises(InputError, match="no task 'nap'; there are watch-tv"):
        task_named("nap")
