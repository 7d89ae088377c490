"""``cplan bench`` and ``cplan report``: what they print and write, and how they end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.runner.rows import NAME, as_json
from commonsense_lab.studies.solve_study import SolveEpisode
from commonsense_lab.studies.virtualhome.experiment import HouseholdOutcome
from commonsense_planning.errors import BudgetError, MissingError
from lab.tests.studies.rearrangement.rows import row
from tests.cli.running import Run
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "virtualhome"
OUTCOME = HouseholdOutcome(
    status="solved",
    reason="",
    plan=["(walk)"],
    steps=1,
    executability=1.0,
    seconds=0.1,
    model_note="no language model",
    questions=2,
    failures=0,
    calls=0,
    tokens=0,
    usd=None,
)


def bench(*args: str | Path) -> tuple[str | Path, ...]:
    """The command line of a small part of the experiment, in this process."""
    return ("bench", "household", "--pack", PACK, "--repeats", "1", "--workers", "1", *args)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every episode is solved at once."""
    monkeypatch.setattr(SolveEpisode, "run", lambda episode: OUTCOME)


@pytest.mark.usefixtures("solved")
def test_the_tables_are_printed_and_written(cplan: Run, tmp_path: Path) -> None:
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path))
    assert ended.code == 0
    assert "10 episodes: 0 were there, 10 run" in ended.out
    assert re.fullmatch(r"episodes: 0 of 10 after \d+ s\n", ended.err)
    assert "watch tv, our prompts" in ended.out and "1.00 [0.21, 1.00]" in ended.out
    page = (tmp_path / "report.md").read_text()
    assert "## Table 2. Main experiments" in page
    assert f"cplan bench household --repeats 1 --tables 2 --tasks watch-tv --pack {PACK} -o results" in page
    assert len((tmp_path / NAME).read_text().splitlines()) == 10


@pytest.mark.usefixtures("solved")
def test_a_method_of_ones_own_is_a_column(cplan: Run, tmp_path: Path) -> None:
    args = bench("--methods", "low,gbfs", "--tasks", "watch-tv", "-o", tmp_path)
    for prompts in ((), ("--model", "openai:x", "--prompts", "paper")):
        assert cplan(*args, "--tables", "2", "--quiet", *prompts).code == 0
    ours, papers = (tmp_path / "report.md").read_text().split("## Table 2. Main experiments")[1:]
    for page in (ours, papers):
        head = next(line for line in page.splitlines() if line.startswith("| task |"))
        assert head.endswith("| G+S, dynamic | gbfs |")
    assert re.search(r"^\| watch tv, our prompts \|.* 1\.00 \[0\.21, 1\.00\] \|$", ours, re.MULTILINE)
    assert re.search(r"^\| watch tv, published \|.* 1\.00 \| – \|$", ours, re.MULTILINE)
    assert re.search(r"^\| watch tv \|.* – / 1\.00 \| 1\.00 \[0\.21, 1\.00\] \|$", papers, re.MULTILINE)
    assert "| gbfs | 1 |" in ours and "| LLG (low) | 1 |" in ours


@pytest.mark.usefixtures("solved")
def test_a_second_run_has_nothing_to_do(cplan: Run, tmp_path: Path) -> None:
    args = bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path)
    cplan(*args)
    assert "10 episodes: 10 were there, 0 run" in cplan(*args).out


@pytest.mark.usefixtures("solved")
def test_a_dry_run_counts_and_writes_nothing(cplan: Run, tmp_path: Path) -> None:
    out = tmp_path / "results"
    args = bench("--tables", "4", "--tasks", "brush-teeth", "-o", out)
    ended = cplan(*args, "--dry-run")
    assert ended.code == 0 and not out.exists()
    assert "3 episodes: 0 are there, 3 to run; nothing is run now" in ended.out
    assert re.search(r"^  low, embedded +1 +0 +1 +– +0 +0 +0\.00 +– ", ended.out, re.MULTILINE)
    cplan(*args, "--quiet")
    before = (out / NAME).read_bytes()
    more = cplan(*args, "--repeats", "5", "--dry-run", "--json").json
    assert (more["total"], more["found"], more["needs"]["questions"]) == (15, 3, [24.0, 24.0])
    assert [part["known_from"] for part in more["parts"]] == ["the 1 that are there"] * 3
    assert (out / NAME).read_bytes() == before
    asked = cplan(*args, "--model", "openai:x", "--dry-run")
    assert re.search(r"^  low, openai:x +1 +0 +1 +– +\d+ to [\d,]+ +[\d,]+ to [\d,]+ +– +– ", asked.out, re.MULTILINE)


@pytest.mark.usefixtures("solved")
def test_json_alone_is_on_stdout(cplan: Run, tmp_path: Path) -> None:
    ended = cplan(*bench("--tables", "4", "--tasks", "brush-teeth", "-o", tmp_path, "--json"))
    assert (ended.json["total"], ended.json["done"], ended.json["failed"]) == (3, 3, 0)


@pytest.mark.usefixtures("solved")
def test_report_alone(cplan: Run, tmp_path: Path) -> None:
    cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path / "results", "--quiet"))
    ended = cplan("report", tmp_path / "results", "-o", tmp_path / "page.md")
    assert ended.code == 0
    assert "Table 2. Main experiments" in ended.out
    assert (tmp_path / "page.md").read_text() == (tmp_path / "results" / "report.md").read_text()
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert not (tmp_path / "plots").exists()  # this experiment has none


def write_rows(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Results as an experiment leaves them that is killed in the middle of a line."""
    lines = [json.dumps(row) for row in rows]
    (folder / NAME).write_text("\n".join([*lines, lines[0][:40]]))


def household_row(variant: str) -> dict[str, Any]:
    """A row of an experiment without charts."""
    labels = {**row("mcts", "seen", "simple", 0, 0), "key": variant, "suite": "household", "tables": ["2"]}
    return {**labels, **as_json(OUTCOME), "task": "watch-tv", "variant": variant}


@pytest.mark.processes
def test_report_of_two_experiments_while_one_runs(cplan: Run, tmp_path: Path) -> None:
    write_rows(tmp_path, [row("mcts", "seen", "simple", 0, 0), household_row("low")])
    ended = cplan("report", tmp_path)
    assert ended.code == 0
    assert "Table 1. Main results" in ended.out
    assert "Table 2. Main experiments" in ended.out
    assert [line for line in ended.out.splitlines()[:-1] if len(line) > 100] == []
    charts = [f"rearrangement-table-1-{chart}" for chart in ("success", "budget", "failures")]
    endings = ("png", "svg")
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {f"{c}.{e}" for c in charts for e in endings}


def test_folders_are_merged(cplan: Run, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "three", "all")]
    for folder in folders:
        folder.mkdir()
    rows = [household_row(variant) for variant in ("none", "low", "high")]
    failed = {**rows[1], "error": "ZeroDivisionError: by zero"}
    for folder, its in zip(folders, ([rows[0], failed], [rows[1], rows[2]], [rows[0]], rows), strict=True):
        (folder / NAME).write_text("".join(f"{json.dumps(one)}\n" for one in its))
    assert cplan("report", *folders[:3], "-o", tmp_path / "merged.md").code == 0
    assert cplan("report", *reversed(folders[:3]), "-o", tmp_path / "again.md").code == 0
    assert cplan("report", folders[3]).code == 0
    pages = [path.read_text() for path in (tmp_path / "merged.md", tmp_path / "again.md", folders[3] / "report.md")]
    assert pages[0] == pages[1] == pages[2]
    refused = cplan("report", *folders[:2])
    assert (refused.code, "-o PAGE says where it goes" in refused.err) == (2, True)


def test_two_results_of_an_episode_are_named_with_their_lines(cplan: Run, tmp_path: Path) -> None:
    other, fine = tmp_path / "other", household_row("low")
    other.mkdir()
    write_rows(tmp_path, [fine])
    write_rows(other, [household_row("high"), {**fine, "seconds": 9.0}])
    ended = cplan("report", tmp_path, other, "-o", tmp_path / "page.md")
    assert ended.code == 2
    assert f"{other / NAME}:2:1: {tmp_path / NAME}:1 has another result of this episode" in ended.err
    assert fine["key"] in ended.err
    assert not (tmp_path / "page.md").exists()


def test_a_damaged_row_is_named_with_its_line(cplan: Run, tmp_path: Path) -> None:
    fine = row("mcts", "seen", "simple", 0, 0)
    for wrong, said in (({"steps": "ten"}, "steps: should be a valid integer"), ({"home": None}, "home: should")):
        write_rows(tmp_path, [fine, {**fine, "key": "another", **wrong}])
        ended = cplan("report", tmp_path)
        assert ended.code == 2
        assert f"{tmp_path / NAME}:2:1: not a row: {said}" in ended.err


def test_a_report_that_cannot_be_written_ends_with_2(cplan: Run, tmp_path: Path) -> None:
    write_rows(tmp_path, [row("mcts", "seen", "simple", 0, 0)])
    (tmp_path / "file").touch()
    ended = cplan("report", tmp_path, "-o", tmp_path / "file" / "page.md")
    assert ended.code == 2
    assert "-o names another place" in ended.err


def test_failed_episodes_are_told_first_and_end_with_1(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(episode: SolveEpisode) -> HouseholdOutcome:
        if episode.variant == "high":
            raise ZeroDivisionError("by zero")
        return OUTCOME

    monkeypatch.setattr(SolveEpisode, "run", run)
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path))
    assert ended.code == 1
    assert ended.out.index("ZeroDivisionError: by zero") < ended.out.index("Table 2")
    monkeypatch.setattr(SolveEpisode, "run", lambda episode: OUTCOME)
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path, "--again"))
    assert (ended.code, "9 were there, 1 run" in ended.out) == (0, True)


@pytest.mark.parametrize(("error", "code"), [(BudgetError("spent"), 4), (MissingError("no endpoint"), 3)])
def test_what_ends_a_run_keeps_its_exit_code(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    def run(episode: SolveEpisode) -> HouseholdOutcome:
        if episode.variant == "low":
            raise error
        return OUTCOME

    monkeypatch.setattr(SolveEpisode, "run", run)
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path))
    assert ended.code == code
    assert str(error) in ended.err
    (line,) = (tmp_path / NAME).read_text().splitlines()
    assert json.loads(line)["variant"] == "none"


def test_an_interrupt_ends_with_130(cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(episode: SolveEpisode) -> HouseholdOutcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(SolveEpisode, "run", run)
    assert cplan(*bench("-o", tmp_path)).code == 130


@pytest.mark.usefixtures("solved")
def test_a_password_is_written_nowhere(cplan: Run, tmp_path: Path) -> None:
    url = "https://me:secret@example.org/v1"
    args = bench("--tables", "2", "--tasks", "watch-tv", "--model", "openai:x", "--base-url", url, "-o", tmp_path)
    assert cplan(*args).code == 0
    page = (tmp_path / "report.md").read_text()
    assert "--base-url https://example.org/v1" in page
    assert "secret" not in page + (tmp_path / NAME).read_text()


@pytest.mark.usefixtures("solved")
def test_a_limit_on_money_is_for_the_whole_run(cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SolveEpisode, "run", lambda episode: replace(OUTCOME, usd=0.5))
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "--max-usd", "1", "-o", tmp_path))
    assert ended.code == 4
    assert len((tmp_path / NAME).read_text().splitlines()) == 2


@pytest.mark.parametrize(
    "args", [("--tables", "7"), ("--tasks", "cook"), ("--pack", "nowhere"), ("--scene", "nowhere.json")]
)
def test_wrong_arguments_end_with_2(cplan: Run, tmp_path: Path, args: tuple[str, ...]) -> None:
    ended = cplan("bench", "household", "--pack", PACK, *args, "-o", tmp_path / "results")
    assert ended.code == 2
    assert not (tmp_path / "results" / NAME).exists()


def test_a_report_needs_results(cplan: Run, tmp_path: Path) -> None:
    ended = cplan("report", tmp_path)
    assert ended.code == 2
    assert "cannot be read" in ended.err


def test_help_has_examples(cplan: Run) -> None:
    assert re.search(r"^  household  ", cplan("bench", "--help").out, re.MULTILINE)
    text = cplan("bench", "household", "--help").out
    assert "Examples:" in text
    assert "Language model:" in text
    assert cplan("bench", "cooking").code == 2


def test_a_small_run_from_end_to_end(cplan: Run, tmp_path: Path) -> None:
    """The embedded model on one task; equal runs give equal rows but for their times."""
    rows = []
    for name in ("one", "other"):
        out = tmp_path / name
        assert cplan(*bench("--tables", "4", "--tasks", "brush-teeth", "-o", out, "--quiet")).code == 0
        found = map(json.loads, (out / NAME).read_text().splitlines())
        rows.append({row["variant"]: {**row, "seconds": 0} for row in found})
    assert rows[0] == rows[1]
    assert set(rows[0]) == {"none", "low", "high"}
    assert {row["executability"] for row in rows[0].values()} == {1.0}
    assert all(row["questions"] > 0 for row in rows[0].values())


def test_the_comparison_of_models_is_every_experiments(cplan: Run) -> None:
    ended = cplan("bench", "models", "--models", "local,embedded")
    assert ended.code == 2
    assert "models is now cplan bench misplaced, household or rearrangement, with each --model into one -o" in ended.err
