"""The benchmark of an endpoint: its server says what the embedded model would, in whichever way it is asked."""

from __future__ import annotations

import pytest

from commonsense_planning.config import AskBy
from commonsense_planning.errors import Status
from lab.benchmarks.endpoint import NAMED, SERVED, KnowingServer, ServedModels, planned_advice, run, tasks

CALLS = {AskBy.LIST: 1, AskBy.SCHEMA: 1, AskBy.SAMPLES: 1}


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
@pytest.mark.parametrize("way", NAMED)
def test_a_task_is_solved_in_each_way(way: AskBy, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (task,) = tasks(1)
    with KnowingServer(0.0) as server, planned_advice():
        server.scores, server.token_logprob, server.beliefs = SERVED[0].scores, 0.0, lambda text: 1.0
        with ServedModels(server, 4, way) as models:
            solution, _ = run(models, task, method, 0)
    assert solution.status == Status.SOLVED
    assert models.usage.questions > 0
    assert models.usage.failures == 0
    calls = CALLS.get(way, len(server.forced) / models.usage.questions)
    assert models.usage.calls == models.usage.questions * calls
