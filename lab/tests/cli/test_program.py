"""``cplan solve --method llm-program`` with a model behind a real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_lab.studies.virtualhome.home import render_home
from commonsense_lab.studies.virtualhome.tasks import TASKS
from lab.tests.studies.virtualhome.plans import DOMAIN, shipped_home, what_matters
from tests.chat_server import ChatServer
from tests.cli.endpoint import environment
from tests.cli.running import Ended, Run

__all__ = ["environment"]

GOOD = """```python
def put_salmon_in_the_fridge():
    # 1: take the salmon
    walk('salmon')
    assert('close' to 'salmon')
        else: walk('salmon')
    grab('salmon')
    # 2: open the fridge
    walk('fridge')
    assert('fridge' is 'opened')
        else: open('fridge')
    # 3: put the salmon inside
    putin('salmon', 'fridge')
    close('fridge')
```"""
LATE = "def f():\n    __import__('os').system('true')\n    walk('salmon')\n    putin('salmon', 'fridge')\n"
WRONG = "def f():\n    walk('salmon')\n    grab('salmon')\n    eat('salmon')\n    walk('fridge')\n"


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """The salmon, the fridge, and what is between them."""
    task = next(t for t in TASKS if t.name == "put-salmon-in-the-fridge")
    home = what_matters(shipped_home(), task)
    file = tmp_path / "problem.pddl"
    file.write_text(render_home(home, task.name, task, ""), encoding="utf-8")
    return file


def solved(cplan: Run, problem: Path, program: str) -> tuple[Ended, list[dict[str, object]], str]:
    """How the run ended, its trace, and what the model was asked."""
    trace = problem.with_name("trace.jsonl")
    with ChatServer(lambda messages: program) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--trace", trace, "--json")
        ended = cplan("solve", DOMAIN, problem, "--method", "llm-program", *model)
        assert [request.body["max_tokens"] for request in server.requests] == [600]
        return ended, [json.loads(line) for line in trace.read_text().splitlines()], server.requests[0].prompt


def test_a_good_program(cplan: Run, problem: Path) -> None:
    ended, trace, prompt = solved(cplan, problem, GOOD)
    assert (ended.code, ended.json["status"], ended.json["steps"]) == (0, "solved", 5)
    assert trace[-1]["validators"]["VAL"] == "valid"  # type: ignore[index]
    assert trace[-3]["why"] == {"line": 13, "call": "putin('salmon', 'fridge')", "executed": 5, "written": 5}
    assert "from actions import walk <obj>, grab <obj>" in prompt
    assert "'salmon'" in prompt
    assert prompt.endswith("def put_salmon_in_the_fridge():")


def test_a_program_that_does_not_do_it(cplan: Run, problem: Path) -> None:
    ended, trace, _ = solved(cplan, problem, LATE)
    assert (ended.code, ended.json["status"]) == (1, "unsolved")
    assert "executed 1 of 3 actions, executability 0.33" in ended.err
    notes = [note for event in trace for note in event.get("notes", ())]  # type: ignore[attr-defined]
    assert notes[0].startswith("program:2:5: unexpected '__import__'; expected an action")
    assert notes[1] == "line 4, putin('salmon', 'fridge'): not possible now"


def test_a_program_that_does_what_must_not_be(cplan: Run, problem: Path) -> None:
    ended, trace, _ = solved(cplan, problem, WRONG)
    assert (ended.code, len([event for event in trace if event["event"] == "step"])) == (1, 3)
    assert "a failure condition holds" in ended.err


def test_the_embedded_model_writes_what_its_know_how_has(cplan: Run, problem: Path) -> None:
    ended = cplan("solve", DOMAIN, problem, "--method", "llm-program", "--json")
    assert (ended.code, ended.json["status"], ended.json["steps"]) == (0, "solved", 5)
    problem.write_text(problem.read_text(encoding="utf-8").replace("put salmon in the fridge", "juggle the salmon"))
    ended = cplan("solve", DOMAIN, problem, "--method", "llm-program")
    assert ended.code == 1
    assert "the embedded model has no program for this task" in ended.out


def test_an_estimate(cplan: Run, problem: Path) -> None:
    model = ("--model", "openai:gpt-4o-mini", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--json")
    ended = cplan("solve", DOMAIN, problem, "--method", "llm-program", *model)
    assert ended.code == 0
    assert ended.json["calls"] == [1, 1]
    assert ended.json["prompt_tokens"][0] > 300
