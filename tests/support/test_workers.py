"""Workers answer, fail and are ended when the time is up."""

from __future__ import annotations

import os
import sys

import pytest

from commonsense_planning.errors import LateError
from commonsense_planning.support.processes import Limit, run_limited
from commonsense_planning.support.workers import WorkerError, ask
from tests.support.children import children

WORKER = "tests.support.small_worker"


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_an_answer_has_nothing_of_what_the_worker_prints(size: int) -> None:
    request = {"what": "x" * size}
    assert ask(WORKER, request) == {"size": len(str(request))}


def test_failures_are_told() -> None:
    with pytest.raises(WorkerError, match="^ValueError: told to$"):
        ask(WORKER, {"do": "fail"})
    with pytest.raises(WorkerError, match="No module named tests.nobody"):
        ask("tests.nobody", {})


def test_too_late() -> None:
    before = children()
    with pytest.raises(LateError, match="took longer than 0.2 s"):
        ask(WORKER, {"do": "sleep"}, 0.2)
    assert children() == before


def test_sets_have_the_same_order_in_every_run() -> None:
    command = [sys.executable, "-c", "print(hash('fridge'))"]
    said = {run_limited(command, Limit(60), env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in "12"}
    assert len(said) == 1
