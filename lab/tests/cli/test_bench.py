"""``cplan bench`` and ``cplan report``: what they print and write, and how they end."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.runner.rows import NAME
from commonsense_lab.studies.solve_study import SolveEpisode
from commonsense_lab.studies.virtualhome.experiment import HouseholdOutcome
from commonsense_planning.errors import BudgetError, MissingError
from lab.tests.report.lines import rows_in
from lab.tests.report.test_tables import row as household_row
from lab.tests.studies.rearrangement.rows import row
from tests.cli.running import Run
from tests.cli.test_answer import answer_all
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "virtualhome"
SPENT: dict[str, Any] = {"seconds": 0.1, "questions": 2, "failures": 0, "calls": 0, "tokens": 0, "usd": None}
PLAN: dict[str, Any] = {"status": "solved", "reason": "", "plan": ["(walk)"], "steps": 1, "executability": 1.0}
OUTCOME = HouseholdOutcome(**PLAN, **SPENT, model_note="no language model")


def bench(*args: str | Path) -> tuple[str | Path, ...]:
    """The command line of a small part of the experiment, in this process."""
    return ("bench", "household", "--pack", PACK, "--repeats", "1", "--workers", "1", *args)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every episode is solved at once."""
    monkeypatch.setattr(SolveEpisode, "run", lambda episode: OUTCOME)


@pytest.mark.usefixtures("solved")
def test_the_tables_are_printed_and_written(cplan: Run, tmp_path: Path) -> None:
    args = bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path)
    ended = cplan(*args)
    assert ended.code == 0
    assert "10 episodes: 0 were there, 10 run" in ended.out
    assert re.fullmatch(r"episodes: 0 of 10 after \d+ s\n", ended.err)
    assert "watch tv, our prompts" in ended.out and "1.00 [0.21, 1.00]" in ended.out
    page = (tmp_path / "report.md").read_text()
    assert "## Table 2. Main experiments" in page
    assert f"cplan bench household --repeats 1 --tables 2 --tasks watch-tv --pack {PACK} -o results" in page
    assert len((tmp_path / NAME).read_text().splitlines()) == 10
    assert "10 episodes: 10 were there, 0 run" in cplan(*args).out
    assert cplan("report", tmp_path, "-o", tmp_path / "page.md").code == 0
    assert (tmp_path / "page.md").read_text() == page
    again = cplan(*args, "--json").json
    assert (again["total"], again["found"], again["done"], again["failed"]) == (10, 10, 0, 0)


@pytest.mark.usefixtures("solved")
def test_a_users_method_is_a_column(cplan: Run, tmp_path: Path) -> None:
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


def write_rows(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Results as an experiment leaves them that is killed in the middle of a line."""
    lines = [json.dumps(row) for row in rows]
    (folder / NAME).write_text("\n".join([*lines, lines[0][:40]]))


@pytest.mark.processes
def test_report_of_two_experiments_while_one_runs(cplan: Run, tmp_path: Path) -> None:
    write_rows(tmp_path, [row("mcts", "seen", "simple", 0, 0), household_row("watch-tv", "low", 0)])
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
    rows = [household_row("watch-tv", variant, 0) for variant in ("none", "low", "high")]
    failed = {**rows[1], "error": "ZeroDivisionError: by zero"}
    for folder, its in zip(folders, ([rows[0], failed], [rows[1], rows[2]], [rows[0]], rows), strict=True):
        (folder / NAME).write_text("".join(f"{json.dumps(one)}\n" for one in its))
    assert cplan("report", *folders[:3], "-o", tmp_path / "merged.md").code == 0
    assert cplan("report", *reversed(folders[:3]), "-o", tmp_path / "again.md").code == 0
    assert cplan("report", folders[3]).code == 0
    pages = [path.read_text() for path in (tmp_path / "merged.md", tmp_path / "again.md", folders[3] / "report.md")]
    assert pages[0] == pages[1] == pages[2]
    assert (tmp_path / "merged.html").read_text().startswith("<!DOCTYPE html>")
    assert not (tmp_path / "plots").exists()  # this experiment has none
    cplan("report", *folders[:2]).says(2, "-o PAGE says where it goes")


def test_two_results_of_an_episode_are_named_with_their_lines(cplan: Run, tmp_path: Path) -> None:
    other, fine = tmp_path / "other", household_row("watch-tv", "low", 0)
    other.mkdir()
    write_rows(tmp_path, [fine])
    write_rows(other, [household_row("watch-tv", "high", 0), {**fine, "seconds": 9.0}])
    ended = cplan("report", tmp_path, other, "-o", tmp_path / "page.md")
    ended.says(2, f"{other / NAME}:2:1: {tmp_path / NAME}:1 has another result of this episode", fine["key"])
    assert not (tmp_path / "page.md").exists()


def test_a_report_that_cannot_be_written_ends_with_2(cplan: Run, tmp_path: Path) -> None:
    write_rows(tmp_path, [row("mcts", "seen", "simple", 0, 0)])
    (tmp_path / "file").touch()
    cplan("report", tmp_path, "-o", tmp_path / "file" / "page.md").says(2, "-o names another place")


def fail(monkeypatch: pytest.MonkeyPatch, variant: str, error: Exception) -> None:
    """Episodes of a variant end in an error, the others are solved."""

    def run(episode: SolveEpisode) -> HouseholdOutcome:
        if episode.variant == variant:
            raise error
        return OUTCOME

    monkeypatch.setattr(SolveEpisode, "run", run)


def test_failed_episodes_are_reported_first_and_end_with_1(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, "high", ZeroDivisionError("by zero"))
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path))
    assert ended.code == 1
    assert ended.out.index("ZeroDivisionError: by zero") < ended.out.index("Table 2")
    monkeypatch.setattr(SolveEpisode, "run", lambda episode: OUTCOME)
    ended = cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path, "--again"))
    assert (ended.code, "9 were there, 1 run" in ended.out) == (0, True)


@pytest.mark.parametrize(("error", "code"), [(BudgetError("spent"), 4), (MissingError("no endpoint"), 3)])
def test_an_error_that_ends_a_run_keeps_its_exit_code(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    fail(monkeypatch, "low", error)
    cplan(*bench("--tables", "2", "--tasks", "watch-tv", "-o", tmp_path)).says(code, str(error))
    assert [row["variant"] for row in rows_in(tmp_path)] == ["none"]


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


GOOD = row("mcts", "seen", "simple", 0, 0)
WRONG: list[Any] = [10**400, "1e400", [], None, "\ud800", 10**90]


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize("field", [*GOOD, "error"])
def test_a_row_with_a_damaged_field_never_ends_in_a_traceback(field: str, tmp_path: Path, cplan: Run) -> None:
    page = tmp_path / "page"
    for value in [*WRONG, "absent"]:
        damaged = {name: old for name, old in GOOD.items() if name != field}
        text = json.dumps(damaged if value == "absent" else {**damaged, field: value})
        (tmp_path / "episodes.jsonl").write_text(text.replace('"1e400"', "1e400") + "\n")
        ended = cplan("report", tmp_path, "-o", page)
        assert ended.code in (0, 2)
        if ended.code:
            assert f"{tmp_path}/episodes.jsonl:1:1: not a row: " in ended.err or "there is no experiment" in ended.err


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize(("text", "code"), [
    ('{"key": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", 2),
    ('{"key": "a", "x": 1e400}', 2),
    (json.dumps({**GOOD, "key": "another", "steps": "ten"}), 2),
    ('{"key": "a", "status": "solv', 0),  # torn
    ("", 0),
])  # fmt: skip
def test_a_line_that_is_not_a_row(text: str, code: int, tmp_path: Path, cplan: Run) -> None:
    (tmp_path / "episodes.jsonl").write_text(f"{json.dumps(GOOD)}\n{text}\n")
    ended = cplan("report", tmp_path)
    assert ended.code == code
    assert ("episodes.jsonl:2:1: not a row: " in ended.err) == bool(code)
    assert ("not a row: steps: should be a valid integer" in ended.err) == ("ten" in text)


def test_an_experiment_asks_for_all_its_episodes_and_keeps_no_row_before_its_end(cplan: Run, tmp_path: Path) -> None:
    asked, reply, out = tmp_path / "asked.jsonl", tmp_path / "reply.txt", tmp_path / "out"
    bench = ("bench", "misplaced", "--tasks", "1", "--shares", "0", "--methods", "llm-replan", "--seeds", "1")
    options = ("--model", "openai:chat", "--ask-later", asked, "--workers", "1", "--max-steps", "1", "-o", out)
    cplan(*bench, *options, "--quiet").says(3, "2 episodes not run to the end")
    assert (out / NAME).read_text() == ""
    reply.write_text('{"answers": [{"answer": "nowhere", "percent": 100}]}')
    rounds = 0
    while cplan(*bench, *options, "--quiet").code == 3:
        assert answer_all(cplan, asked, reply) and (rounds := rounds + 1) < 30
    assert len((out / NAME).read_text().splitlines()) == 2
