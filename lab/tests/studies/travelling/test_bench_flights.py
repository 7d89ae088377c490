"""``cplan bench flights`` with the embedded model, behind a server, and from recordings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commonsense_lab.runner.rows import NAME
from lab.tests.studies.rearrangement.small_world import FLIGHTS, write_world
from tests.chat_server import ChatServer, Messages
from tests.cli.endpoint import environment
from tests.cli.running import Run
from tests.data import REPOSITORY

__all__ = ["environment"]

BOTH = "rechecked,policy"


def knows_it_all(messages: Messages) -> str:
    """All flights from a city; as a route the two ends, which is right only if there is a flight."""
    asked = messages[-1]["content"]
    city = re.search(r"a direct flight from (\w+) to X\?", asked)
    if city is not None:
        both = (*FLIGHTS, *(pair[::-1] for pair in FLIGHTS))
        return "\n".join(end for start, end in both if start.lower() == city[1].lower())
    ends = re.findall(r"from (\w+) to (\w+)\?", asked)[-1]
    if "Is it true" in asked:
        return "yes" if {*FLIGHTS} & {tuple(map(str.title, ends)), tuple(map(str.title, ends[::-1]))} else "no"
    return " -> ".join(ends)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_world(tmp_path)


def bench(files: tuple[Path, Path], *args: str | Path) -> tuple[str | Path, ...]:
    pack = ("--pack", REPOSITORY / "pddl" / "flights")
    return ("bench", "flights", *files, *pack, "--pairs", "4", "--workers", "1", *args)


def rows(folder: Path) -> dict[str, dict[str, object]]:
    found = map(json.loads, (folder / NAME).read_text().splitlines())
    return {row["key"]: row for row in found}


def test_a_run_writes_a_report_and_goes_on_where_it_was(cplan: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "results"
    first = cplan(*bench(files, "--methods", "policy", "-o", out))
    assert first.code == 0
    assert "8 episodes: 0 were there, 8 run" in first.out
    assert re.search(r"embedded policy", first.out)
    assert "Mid-size cities" in (out / "report.md").read_text()
    again = cplan(*bench(files, "--methods", "policy,llm-model", "-o", out, "--json"))
    assert (again.json["total"], again.json["found"]) == (16, 8)


def test_a_model_behind_an_endpoint_is_asked_about_a_city_once(
    cplan: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "results"
    with ChatServer(knows_it_all) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--ask-by", "samples", "--retries", "0")
        ended = cplan(*bench(files, *model, "--methods", BOTH, "-o", out, "--record", tmp_path / "a.jsonl"))
        assert ended.code == 0, ended.err
        asked = [r.prompt for r in server.requests]
        assert len(asked) == len(set(asked))
        found = rows(out)
        assert {r["status"] for r in found.values() if r["variant"] == "rechecked"} == {"solved"}
        right = [r["fewest_flights"] == 1 for r in found.values() if r["variant"] == "policy"]
        assert right == [r["status"] == "solved" for r in found.values() if r["variant"] == "policy"]
        assert (out / "answers.0.jsonl").is_file()
        again = cplan(*bench(files, *model, "--methods", BOTH, "-o", tmp_path / "b", "--replay", tmp_path / "a.jsonl"))
        assert again.code == 0, again.err
        assert len(server.requests) == len(asked)
    assert {k: r["plan"] for k, r in rows(tmp_path / "b").items()} == {k: r["plan"] for k, r in found.items()}


@pytest.mark.parametrize(("args", "said"), [
    (("--methods", "fly"), "there is no variant fly"),
    (("--sizes", "tiny"), "there are no tiny cities"),
    (("--pairs", "100"), "pairs of these 4 cities with a route, not 100"),
    (("--breadth", "0"), "breadth must be at least 1"),
])  # fmt: skip
def test_bad_options(args: tuple[str, str], said: str, cplan: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    ended = cplan(*bench(files, *args, "-o", tmp_path / "out"))
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "out").exists()
