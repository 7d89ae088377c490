"""``cplan compare``: rows that outlive a kill, models that are asked once, limits for all, and its files."""

import csv
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.cli import jobs
from tests.chat_server import ChatServer
from tests.cli.endpoint import QUICK, environment, server
from tests.cli.running import CPLAN, Ended, Run

__all__ = ["environment", "server"]

Tiny = tuple[Path, Path]


def rows(out: Path) -> list[dict[str, Any]]:
    """The whole rows of a folder, without what differs each time."""
    found = []
    for line in (out / "rows.jsonl").read_text().splitlines():
        if line.endswith("}"):
            row = json.loads(line)
            row.pop("seconds", None)
            (row.get("usage") or {}).pop("waiting", None)
            found.append(row)
    return found


def table(out: Path) -> dict[str, dict[str, str]]:
    """Line → its numbers, without the time."""
    with (out / "comparison.csv").open() as file:
        found = {row.pop("line"): row for row in csv.DictReader(file)}
    return {line: {name: cell for name, cell in row.items() if "seconds" not in name} for line, row in found.items()}


def asking(server: ChatServer) -> tuple[str, ...]:
    return ("--base-url", server.base_url, *(word for word in QUICK if word not in ("--samples", "2")))


def test_every_method_on_every_problem_and_seed(tiny: Tiny, tmp_path: Path, cplan: Run) -> None:
    again = shutil.copyfile(tiny[1], tiny[1].with_name("again.pddl"))
    compared = ("compare", tiny[0], tiny[1], again, "-o", tmp_path / "out", "--seeds", 2, "--methods")
    ended = cplan(*compared, "look-nearest, gbfs --heuristic blind", "--json")
    assert ended.code == 0, ended.err
    found = rows(tmp_path / "out")
    assert [(row["task"], row["seed"], row["variant"]) for row in found] == [
        (task, seed, method)
        for task in ("problem", "again")
        for seed in (0, 1)
        for method in ("look-nearest", "gbfs --heuristic blind")
    ]
    assert {row["status"] for row in found} == {"solved"}
    assert [line["runs"] for line in ended.json["lines"]] == [4, 4]
    assert {line: (row["solved"], row["pairs"]) for line, row in table(tmp_path / "out").items()} == {
        "look-nearest": ("1.0", ""),
        "gbfs --heuristic blind": ("1.0", "4"),
    }
    assert "| look-nearest | 4 of 4 " in (tmp_path / "out" / "comparison.md").read_text()
    assert "again, seed 1: " in (tmp_path / "out" / "comparison.html").read_text()
    before = (tmp_path / "out" / "rows.jsonl").read_bytes()
    more = cplan(*compared, "gbfs, look-nearest", "--json")
    assert [line["line"] for line in more.json["lines"]] == ["gbfs", "look-nearest"], "nothing else is shown"
    after = (tmp_path / "out" / "rows.jsonl").read_bytes()
    assert after.startswith(before) and after[len(before) :].count(b"\n") == 4, "what was there is not run again"
    tiny[1].write_text(tiny[1].read_text().replace("(in ball blue-box)", "(in ball red-box)"))
    cplan(*compared, "gbfs")
    assert len(rows(tmp_path / "out")) == 14, "another problem is run again"


@pytest.mark.processes
def test_a_killed_run_continues(tiny: Tiny, tmp_path: Path, cplan: Run) -> None:
    words = ("compare", *tiny, "--methods", "llm-replan, look-nearest", "--seeds", 5, "-o")
    out, whole, file = tmp_path / "out", tmp_path / "whole", tmp_path / "out" / "rows.jsonl"
    killed = [*CPLAN, *map(str, words), str(out), "--jobs", "2"]
    with subprocess.Popen(killed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not file.exists() or file.read_bytes().count(b"\n") < 3:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
    kept = file.read_bytes()
    assert len(kept.splitlines()) < 10
    file.write_bytes(kept + b'{"key": "torn, and')
    assert cplan(*words, out).code == cplan(*words, whole).code == 0
    assert file.read_bytes().startswith(kept)
    assert sorted(rows(out), key=lambda row: row["key"]) == sorted(rows(whole), key=lambda row: row["key"])
    assert table(out) == table(whole)


def test_an_interrupt_keeps_what_is_done(
    tiny: Tiny, tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    solving = jobs.solve

    def interrupted(request: jobs.Request) -> Any:
        if request.seed == 2:
            raise KeyboardInterrupt
        return solving(request)

    words = ("compare", *tiny, "--methods", "gbfs,astar", "--seeds", 4, "-o", tmp_path / "out")
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "solve", interrupted)
        ended = cplan(*words)
    assert ended.code == 130
    assert ended.out.splitlines()[:2] == [
        "not run to the end: gbfs, 1 run: interrupted",
        "not run yet: 3 runs: the same command continues",
    ]
    assert "  astar  2 of 2 " in ended.out
    ended = cplan(*words)
    assert ended.code == 0 and "not run" not in ended.out and "  astar  4 of 4 " in ended.out


def test_what_cannot_be_run_stops_nothing(tiny: Tiny, tmp_path: Path, cplan: Run, own_methods: None) -> None:
    broken, out = tiny[1].with_name("broken.pddl"), tmp_path / "out"
    broken.write_text("(define")
    ended = cplan("compare", *tiny, broken, "--methods", "gbfs,picky,own", "-o", out)
    assert ended.code == 2
    said = ended.out.splitlines()
    assert said[0] == "not run to the end: picky, 1 run: picky cannot solve this task: there is a home in it"
    assert said[1].startswith(f"not run to the end: gbfs, 1 run: {broken}:1:1: ")
    assert set(table(out)) == {"gbfs", "own"}, "a plug-in's method as any; rows that were not run are not there"
    assert table(out)["own"]["solved"] == "0.0" and table(out)["own"]["lost"] == "1"
    for methods, why in (
        ("gbfs --simulations 3", "--methods: gbfs --simulations 3: No such option"),
        ("nonesuch", "no method is called nonesuch"),
        ("gbfs --heuristic", "requires an argument"),
        (",", "--methods names no method"),
    ):
        cplan("compare", *tiny, "--methods", methods, "-o", out).says(2, why)
    nothing = cplan("compare", *tiny, "--methods", "picky", "-o", out, "--json")
    assert (nothing.code, nothing.json["lines"], nothing.json["notes"]) == (2, [], said[:1]) and table(out) == {}
    limited = cplan("compare", *tiny, "--methods", "gbfs", "-o", out, "--max-calls", "3", "--jobs", "2")
    limited.says(2, "apply to all runs together, and need --jobs 1")


@pytest.mark.processes
def test_each_model_is_asked_and_a_method_that_asks_none_runs_once(
    tiny: Tiny, tmp_path: Path, cplan: Run, server: ChatServer
) -> None:
    out, tape = tmp_path / "out", tmp_path / "tape.jsonl"
    words = ("compare", *tiny, "--methods", "llm-replan,gbfs", "--models", "embedded,openai:n", "--seeds", 2)
    ended = cplan(*words, *asking(server), "--record", tape, "-o", out)
    assert ended.code == 0, ended.err
    assert [(row["variant"], row["asked"]) for row in rows(out)] == [
        *[("llm-replan", "embedded"), ("gbfs", "")] * 2,
        *[("llm-replan", "openai:n")] * 2,
    ]
    assert list(table(out)) == ["llm-replan, embedded", "gbfs", "llm-replan, openai:n"]
    calls = len(server.requests)
    assert calls == sum(row["usage"]["calls"] for row in rows(out) if row["usage"]), "seeds share no answer"
    again = tmp_path / "again"
    assert cplan(*words, *asking(server), "--replay", tape, "-o", again).code == 0
    assert len(server.requests) == calls, "a replay asks nothing"
    assert table(again) == table(out)
    ended = cplan(*words, "--seed", 7, *asking(server), "--replay", tape, "-o", again)
    assert ended.code == 3 and ended.out.startswith("not run to the end: llm-replan, openai:n, 2 runs: ")


@pytest.mark.processes
def test_a_limit_holds_for_all_runs_together(tiny: Tiny, tmp_path: Path, cplan: Run, server: ChatServer) -> None:
    out = tmp_path / "out"
    words = ("compare", *tiny, "--methods", "llm-replan", "--models", "openai:m", "--seeds", 4, *asking(server))

    def limited(calls: int) -> Ended:
        return cplan(*words, "-o", out, "--max-calls", calls)

    assert cplan(*words, "--seeds", 1, "-o", tmp_path / "one").code == 0
    each = len(server.requests)
    server.requests.clear()
    ended = limited(2 * each)
    assert ended.code == 4 and len(server.requests) == 2 * each
    assert ended.out.splitlines()[:2] == [
        "not run to the end: llm-replan, 1 run: a limit for all runs together is reached; a higher one continues",
        "not run yet: 1 run: the same command continues",
    ]
    assert table(out)["llm-replan"]["runs"] == "2"
    assert limited(2 * each).code == 4 and len(server.requests) == 2 * each, "what was spent before counts"
    assert limited(4 * each).code == 0 and len(server.requests) == 4 * each
    assert table(out)["llm-replan"]["runs"] == "4"


def test_a_model_that_is_not_heard_is_named_first(tiny: Tiny, tmp_path: Path, cplan: Run) -> None:
    with ChatServer(lambda messages: "no idea") as server:
        words = ("--methods", "llm-replan,gbfs", "--models", "openai:m", *asking(server))
        ended = cplan("compare", *tiny, *words, "-o", tmp_path / "out", "--json")
    heard = [row["heard"] for row in rows(tmp_path / "out")]
    assert heard == [False, None]
    assert ended.err.startswith("llm-replan, 1 of 1 run: the model was not heard: none of its answers to ")
    assert ended.json["notes"][0] == ended.err.splitlines()[0]
    assert "the model was not heard" in (tmp_path / "out" / "comparison.html").read_text()


def test_a_warning_is_told_once(tiny: Tiny, tmp_path: Path, cplan: Run) -> None:
    tiny[1].write_text(tiny[1].read_text().replace("(:init", "(:init(lit)(lit)").replace("(:goal (and", "(:goal(and"))
    words = ("compare", *tiny, "--methods", "gbfs,astar", "--seeds", 2, "-o", tmp_path / "out")
    told = cplan(*words).err
    assert told.count("warning") == cplan("solve", *tiny, "--method", "gbfs", "--quiet").err.count("warning")
