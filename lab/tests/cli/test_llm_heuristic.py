"""``--method llm-heuristic`` and ``cplan write-heuristic`` with a model behind a real server."""

from pathlib import Path

import pytest

from commonsense_lab.learning import heuristic_writer
from commonsense_planning.errors import LateError
from lab.tests.learning.heuristics import COUNTING, FAILING, GOOD, LEAVING
from lab.tests.report.lines import records
from tests.chat_server import ChatServer, Messages
from tests.cli.endpoint import environment
from tests.cli.running import Ended, Run
from tests.towers import write_files

pytestmark = pytest.mark.processes

__all__ = ["environment"]

Files = tuple[Path, list[Path]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A domain, and towers of two and four blocks."""
    return write_files(tmp_path, (2, 4))


def answered(cplan: Run, first: str, mended: str, *command: str | Path) -> tuple[Ended, list[str]]:
    """How a command ends, and the prompts, where the model answers with one program, and mends it to another."""

    def answer(messages: Messages) -> str:
        program = mended if "is to be mended" in messages[-1]["content"] else first
        return f"Here it is:\n```python\n{program}```"

    with ChatServer(answer) as server:
        ended = cplan(*command, "--model", "openai:m", "--base-url", server.base_url, "--retries", "0")
        return ended, [request.prompt for request in server.requests]


def test_a_heuristic_is_written_mended_kept_and_used(cplan: Run, files: Files, tmp_path: Path) -> None:
    domain, (small, large) = files
    out, trace, recording = tmp_path / "heuristic.py", tmp_path / "trace.jsonl", tmp_path / "answers.jsonl"
    wanted = ("-o", out, "--candidates", "1", "--record", recording, "--trace", trace)
    ended, prompts = answered(cplan, COUNTING, GOOD, "write-heuristic", domain, small, *wanted)
    assert (ended.code, len(prompts)) == (0, 2), ended.err
    assert "repair 1 of candidate 1 is the best" in ended.out
    told = records(trace)
    assert [event["event"] for event in told] == ["start", "candidate", "repair", "candidate"]
    assert (told[2]["steps"], told[2]["progress"]) == ({"(unstack b0 b1)": "1"}, "(unstack b0 b1)")
    assert "candidate 1 is mended: tower-2, after 0 steps of hill climbing, no step has a lower value" in ended.out
    assert out.read_text().endswith(GOOD)
    assert out.read_text().startswith("# A heuristic for the domain blocks, written by openai:m (prompts cplan-")
    used = cplan("solve", domain, large, "--method", "gbfs", "--heuristic", out, "--json", "--quiet")
    assert used.code == 0 and used.json["status"] == "solved"
    again = tmp_path / "again.py"
    replayed = cplan("write-heuristic", domain, small, "-o", again, "--candidates", "1", "--model", "openai:m",
                     "--replay", recording)  # fmt: skip
    assert replayed.code == 0, replayed.err
    assert again.read_bytes() == out.read_bytes()


def test_the_method_writes_one_itself(cplan: Run, files: Files, tmp_path: Path) -> None:
    domain, (_, large) = files
    trace = tmp_path / "trace.jsonl"
    wanted = ("--method", "llm-heuristic", "--candidates", "1", "--repairs", "1", "--trace", trace)
    ended, prompts = answered(cplan, LEAVING, GOOD, "solve", domain, large, *wanted)
    assert ended.code == 0, ended.err
    assert "candidate 1: refused: candidate-1.py:1:1: import os is not allowed here" in ended.out
    assert "tower-2" in prompts[0] and "tower-4" not in prompts[0]  # it is tried on others than the one to be solved
    assert "import os is not allowed here" in prompts[1]
    assert [event["event"] for event in records(trace)] == [
        *("start", "candidate", "repair", "candidate", "end", "validated")
    ]


def test_no_heuristic_can_be_used(cplan: Run, files: Files) -> None:
    domain, (small, _) = files
    wanted = ("--method", "llm-heuristic", "--candidates", "2", "--repairs", "1")
    ended, _ = answered(cplan, LEAVING, LEAVING, "solve", domain, small, *wanted)
    assert ended.code == 1
    assert "no heuristic can be used: repair-1-of-candidate-1.py:1:1: import os is not allowed" in ended.out


def test_a_heuristic_that_solves_nothing_is_not_written(cplan: Run, files: Files, tmp_path: Path) -> None:
    domain, (small, _) = files
    wanted = ("-o", tmp_path / "h.py", "--candidates", "1", "--repairs", "0", "--json")
    ended, _ = answered(cplan, FAILING, FAILING, "write-heuristic", domain, small, *wanted)
    assert (ended.code, ended.json["written"]) == (1, None)
    assert "ZeroDivisionError" in ended.json["candidates"][0]["failure"]
    assert not (tmp_path / "h.py").exists()


def test_an_answer_that_could_not_be_tried_in_time_is_kept(
    cplan: Run, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> None:
        raise LateError("took longer than 90 s")

    monkeypatch.setattr(heuristic_writer, "search_with", late)
    domain, (small, _) = files
    out = tmp_path / "h.py"
    command = ("write-heuristic", domain, small, "-o", out, "--candidates", "1")
    ended, prompts = answered(cplan, GOOD, FAILING, *command)
    assert (ended.code, len(prompts)) == (4, 1)
    assert out.read_text().endswith(GOOD)
    assert "candidate 1: solves 0 of 1 problems, 0 by hill climbing alone; on tower-2, the trial took" in ended.out
    assert f"candidate 1 is kept in {out}, though it solved nothing: on tower-2, the trial took longer" in ended.out


def test_a_dry_run_estimates_the_cost(cplan: Run, files: Files) -> None:
    domain, (small, _) = files
    ended = cplan("solve", domain, small, "--method", "llm-heuristic", "--dry-run", "--json", "--model", "openai:m")
    assert ended.code == 0, ended.err
    assert ended.json["calls"] == [5, 8]


def test_a_heuristic_that_the_domain_brings(cplan: Run, files: Files) -> None:
    domain, (_, large) = files
    folder = domain.parent / "heuristics"
    folder.mkdir()
    (folder / "towers.py").write_text(GOOD)
    (folder / "ff.py").write_text(LEAVING)  # a built-in name is not replaced
    listed = cplan("methods", domain, large)
    assert f"--heuristic towers, the program {folder / 'towers.py'}" in listed.out
    assert cplan("methods", domain, large, "--json").json["heuristics"] == ["ff", "towers"]
    ended = cplan("solve", domain, large, "--method", "gbfs", "--heuristic", "towers")
    assert ended.code == 0, ended.err
    assert f"the heuristic is the program {folder / 'towers.py'}; it runs in a guarded process" in ended.out
    assert cplan("solve", domain, large, "--method", "gbfs", "--heuristic", "ff", "--quiet").code == 0
    cplan("solve", domain, large, "--method", "gbfs", "--heuristic", "tower").says(2, "tower")
