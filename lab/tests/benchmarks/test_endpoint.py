"""The benchmark of an endpoint: its server says what the embedded model would."""

from __future__ import annotations

import pytest

from commonsense_planning.errors import Status
from lab.benchmarks.endpoint import KnowingServer, ServedModels, planned_advice, run, tasks


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
def test_a_task_is_solved(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (task,) = tasks(1)
    with KnowingServer(0.0) as server, planned_advice(), ServedModels(server, 4) as models:
        solution, _ = run(models, task, method, 0)
    assert solution.status == Status.SOLVED
    assert models.usage.calls == models.usage.questions > 0 == models.usage.failures
