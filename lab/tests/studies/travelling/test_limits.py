"""What the methods that ask for ways and routes refuse, and where they stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, method_named, solve
from commonsense_planning.task import read_task
from commonsense_planning.view.recorder import Recorder
from tests.chat_server import ChatServer
from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.methods.test_constrained_methods import at_the_goal

TRAVELLING = ("llm-model", "llm-route")


@pytest.mark.parametrize("method", ["llm-model", "llm-route"])
def test_no_call_is_sent_beside_one_that_may_reach_the_limit(method: str, cplan: Run) -> None:
    with ChatServer(lambda messages: "Oslo, Norway") as server:
        asked = ("--model", "openai:m", "--base-url", server.base_url, "--retries", "0", "--max-tokens", "15")
        cplan("solve", "flights:short-oslo-athens", "--method", method, *asked, "--quiet")
    assert len(server.requests) == 1


@pytest.mark.parametrize("method", TRAVELLING)
def test_travelling_is_not_held_to_constraints(method: str, tmp_path: Path) -> None:
    why = METHODS[method].why_not(at_the_goal(tmp_path, "(sometime (at b))"))
    assert why is not None and "constraints" in why


def test_who_is_not_told_the_ways_knows_nothing_of_the_world() -> None:
    flights = REPOSITORY / "pddl" / "flights"
    task = read_task(flights / "domain.pddl", flights / "problems" / "short-oslo-athens.pddl")
    assert Recorder(task, method_named("gbfs"), ModelSession()).completed({"event": "start"})["known"]
    assert not Recorder(task, method_named("llm-route"), ModelSession()).completed({"event": "start"})["known"]


def test_what_a_method_refuses_is_said_with_its_name() -> None:
    with pytest.raises(UsageError, match="llm-route cannot solve this task: no task of travelling"):
        solve(Request(read_task("household:small-apple"), METHODS["llm-route"]))
