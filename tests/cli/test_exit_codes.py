"""The table of exit codes, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from commonsense_planning.errors import BudgetError, CplanError, InputError, MissingError, Status
from commonsense_planning.planners import fast_downward
from commonsense_planning.validation import registry as validators
from commonsense_planning.validation.verdict import Report, Verdict
from tests.cli.running import Run, cplan_process
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
VALIDATORS = {"VAL": "validate_with_val", "unified-planning": "validate_with_up", "replay": "replay"}
UNREACHABLE = "(:goal (and (held ball) (in ball red-box)))"
LARGE = HOUSEHOLD / "problems" / "demo.pddl"


def say(monkeypatch: pytest.MonkeyPatch, **verdicts: Verdict) -> None:
    """Let the validators say ``verdicts``; those not named are unavailable."""
    for name, function in VALIDATORS.items():
        report = Report(
            name, verdicts.get(name.lower().replace("-", "_"), Verdict.UNAVAILABLE), reason="so told"
        )

        def told(*_: object, said: Report = report, **__: object) -> Report:
            return said

        monkeypatch.setattr(validators, function, told)


@dataclass(frozen=True)
class Row:
    """``args`` follow the domain and the problem; ``goal`` replaces the tiny task's."""

    code: int
    status: str
    args: tuple[str, ...]
    goal: str = ""


TABLE = [
    Row(0, "solved", ("--method", "gbfs")),
    Row(0, "solved", ("--method", "astar")),
    Row(0, "solved", ("--method", "llm-mcts")),
    Row(0, "solved", ("--method", "llm-replan")),
    Row(0, "solved", ("--method", "fast-downward")),
    Row(0, "solved", ("--method", "pyperplan")),
    Row(0, "solved", ("--method", "up:pyperplan-opt")),
    Row(1, "unsolved", ("--method", "uct", "--max-steps", "1")),
    Row(1, "unsolved", ("--method", "llm-mcts", "--max-steps", "1")),
    Row(1, "unsolvable", ("--method", "gbfs"), UNREACHABLE),
    Row(1, "unsolvable", ("--method", "fast-downward"), UNREACHABLE),
    Row(4, "out of budget", ("--method", "uct", "--timeout", "0.5", "--simulations", "1000000")),
    Row(4, "out of budget", ("--method", "fast-downward", "--timeout", "0.01")),
    Row(4, "out of budget", ("--method", "pyperplan", "--timeout", "0.01")),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: " ".join((*row.args, row.goal and "unreachable")))
def test_solve(row: Row, tiny: tuple[Path, Path], cplan: Run) -> None:
    if row.goal:
        text = tiny[1].read_text()
        tiny[1].write_text(text[: text.index("(:goal")] + row.goal + ")")
    ended = cplan("solve", *tiny, *row.args, "--json")
    assert (ended.code, ended.json["status"]) == (row.code, row.status)
    assert row.status in ended.err


def test_missing_planner_is_3(tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_downward, "driver", lambda: None)
    fast_downward.version.cache_clear()
    ended = cplan("solve", *tiny, "--method", "fast-downward")
    fast_downward.version.cache_clear()
    assert (ended.code, ended.out.count("solved")) == (3, 0)
    assert "pip install up-fast-downward" in ended.err


@pytest.mark.parametrize(
    ("verdicts", "code", "status"),
    [
        ({"val": Verdict.VALID}, 0, "solved"),
        ({"unified_planning": Verdict.VALID}, 0, "solved"),
        ({"replay": Verdict.VALID}, 3, "unvalidated"),
        ({}, 3, "unvalidated"),
        ({"val": Verdict.INVALID}, 1, "invalid plan"),
        ({"val": Verdict.VALID, "replay": Verdict.INVALID}, 1, "invalid plan"),
    ],
)
def test_nothing_is_solved_that_is_not_validated(
    verdicts: dict[str, Verdict],
    code: int,
    status: str,
    tiny: tuple[Path, Path],
    cplan: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    say(monkeypatch, **verdicts)
    ended = cplan("solve", *tiny, "--method", "gbfs")
    assert ended.code == code
    assert status in ended.out.splitlines()
    assert ("solved" in ended.out.splitlines()) == (status == "solved")
    assert ("DISAGREE" in ended.out) == (len(set(verdicts.values())) > 1)


@pytest.mark.parametrize(
    ("verdicts", "code", "verdict"),
    [
        ({"replay": Verdict.VALID}, 3, "unavailable"),
        ({"unified_planning": Verdict.VALID}, 0, "valid"),
        ({"replay": Verdict.INVALID}, 1, "invalid"),
        ({"val": Verdict.VALID, "replay": Verdict.INVALID}, 1, "invalid"),
        ({}, 3, "unavailable"),
    ],
)
def test_validate(
    verdicts: dict[str, Verdict],
    code: int,
    verdict: str,
    tiny: tuple[Path, Path],
    cplan: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    say(monkeypatch, **verdicts)
    plan = tmp_path / "plan"
    plan.write_text("(open-box red-box)\n")
    ended = cplan("validate", *tiny, plan, "--json")
    assert (ended.code, ended.json["verdict"]) == (code, verdict)
    assert ("DISAGREE" in ended.err) == ended.json["disagreement"] == (len(verdicts) > 1)


def test_validate_for_real(tiny: tuple[Path, Path], cplan: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("(open-box blue-box)\n(take ball blue-box)\n(close-box blue-box)\n")
    ended = cplan("validate", *tiny, plan, "--json")
    assert ended.code == 0
    assert ended.json["validators"] == dict.fromkeys(VALIDATORS, "valid")
    plan.write_text("(open-box blue-box)\n(take ball red-box)\n")
    ended = cplan("validate", *tiny, plan)
    assert ended.code == 1
    assert "step 2 (take ball red-box):" in ended.out
    assert "advice" in ended.out


@pytest.mark.parametrize(
    ("error", "code"), [(CplanError, 1), (InputError, 2), (MissingError, 3), (BudgetError, 4)]
)
def test_every_error_has_its_code(
    error: type[CplanError], code: int, tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **settings: object) -> None:
        raise error("went wrong")

    monkeypatch.setattr("commonsense_planning.cli.job.read_task", fail)
    ended = cplan("solve", *tiny)
    assert (ended.code, ended.out, ended.err) == (code, "", "cplan: went wrong\n")


def test_status_table() -> None:
    assert {status.name: status.exit_code for status in Status} == {
        "SOLVED": 0,
        "UNSOLVED": 1,
        "UNSOLVABLE": 1,
        "INVALID": 1,
        "UNVALIDATED": 3,
        "BUDGET": 4,
        "INTERRUPTED": 130,
    }


def test_interrupt_where_no_episode_catches_it(
    tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("commonsense_planning.cli.jobs.solve", interrupted)
    ended = cplan("solve", *tiny, "--json")
    assert (ended.code, ended.json["status"], ended.json["plan"]) == (130, "interrupted", None)
    monkeypatch.setattr("commonsense_planning.task.read_task", interrupted)
    ended = cplan("check", *tiny)
    assert (ended.code, ended.err.strip()) == (130, "cplan: interrupted")


@pytest.mark.processes
def test_process_hands_its_code_on(tiny: tuple[Path, Path]) -> None:
    assert cplan_process("--version").code == 0
    assert cplan_process("solve", *tiny, "--method", "magic").code == 2
