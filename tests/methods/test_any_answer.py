"""Whatever a model answers, it chooses among what can be done: docs/reliability.md has the argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.methods.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Question
from tests.data import REPOSITORY
from tests.hostile import ScriptedModels, scripts

SETTINGS = {"simulations": 4, "max_steps": 8, "prior_samples": 3, "policy_samples": 3, "rollout_depth": 5}
TASKS = {"household": "small-apple", "virtualhome": "throw-away-apple", "flights": "short-oslo-athens"}
OF_GUESTS = {"llm-model": "flights", "llm-route": "flights"}
SILENT = ("look-nearest", "llm-mcts-observable", "llm-mcts-uniform-prior", "llm-mcts-paper-uniform-prior")
OTHER = ("llm-heuristic",)  # has heuristics written, which order states and choose no action: tests/learning
ASKING = [name for name in METHODS if name.startswith(("llm-", "look-")) and name not in SILENT + OTHER]


@cache
def task_of(pack: str) -> Task:
    folder = REPOSITORY / "pddl" / pack
    return read_task(folder / "domain.pddl", Path(folder / "problems" / f"{TASKS[pack]}.pddl"))


def solved(name: str, script: Callable[[Question], list[str]], pack: str = "household") -> int:
    """Solve with a model that follows a script; how many questions it was asked."""
    method, models, task = METHODS[name], ScriptedModels(script), task_of(OF_GUESTS.get(name, pack))
    options = method.Options(**method.Options.among(SETTINGS))
    solution = solve(Request(task, method, options, models))
    report = replay(task.problem, solution.plan) if solution.plan else None
    if report is not None:
        assert report.verdict is Verdict.VALID or report.step is None, report
    if solution.status == "solved":
        assert report is not None and report.verdict is Verdict.VALID
    return len(models.made.asked)


@pytest.mark.parametrize("name", ASKING)
@settings(max_examples=3)
@given(script=scripts())
def test_it_chooses_among_what_can_be_done(name: str, script: Callable[[Question], list[str]]) -> None:
    assert solved(name, script)
