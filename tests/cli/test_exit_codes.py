"""The table of exit codes, row by row."""

from pathlib import Path

import pytest

from commonsense_planning import BudgetError, CplanError, InputError, MissingError, Report, Status, Verdict
from commonsense_planning.llm.model import Usage
from commonsense_planning.methods.result import unheard_code
from commonsense_planning.planners import fast_downward
from commonsense_planning.support.registry import Registry
from commonsense_planning.validation import validate as validating
from commonsense_planning.validation.registry import PlanValidator
from tests.cli.running import Run
from tests.judges import JUDGES
from tests.results import check_result

UNREACHABLE = "(:goal (and (held ball) (in ball red-box)))"


def say(monkeypatch: pytest.MonkeyPatch, verdicts: dict[str, Verdict]) -> None:
    """Let the validators say ``verdicts``; those not named are unavailable."""
    reports = [Report(name, verdicts.get(name, Verdict.UNAVAILABLE), reason="so told") for name in JUDGES]
    told = [PlanValidator((report.validator,), "", lambda *_, said=report: said) for report in reports]  # type: ignore[misc]
    monkeypatch.setattr(validating, "PLAN_VALIDATORS", Registry("plan validator", "no.group", PlanValidator, told))


TABLE = """
0 solved        gbfs
0 solved        astar
0 solved        llm-mcts
0 solved        llm-replan
0 solved        fast-downward
0 solved        pyperplan
0 solved        up:pyperplan-opt
1 unsolved      uct --max-steps 1
1 unsolved      llm-mcts --max-steps 1
1 unsolvable    gbfs
1 unsolvable    fast-downward
4 out of budget uct --timeout 0.5 --simulations 1000000
4 out of budget fast-downward --timeout 0.01
4 out of budget pyperplan --timeout 0.01
"""


@pytest.mark.parametrize("row", TABLE.strip().split("\n"))
def test_solve(row: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    code, status, method = int(row[0]), row[2:16].strip(), row[16:].split()
    if status == "unsolvable":
        text = tiny[1].read_text()
        tiny[1].write_text(text[: text.index("(:goal")] + UNREACHABLE + ")")
    ended = cplan("solve", *tiny, "--method", *method, "--json")
    assert (ended.code, ended.json["status"]) == (code, status)
    assert status in ended.err
    check_result(ended.json)


def test_missing_planner_is_3(tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_downward, "driver", lambda: None)
    fast_downward.version.cache_clear()
    ended = cplan("solve", *tiny, "--method", "fast-downward")
    fast_downward.version.cache_clear()
    assert (ended.code, ended.out.count("solved")) == (3, 0)
    assert "pip install up-fast-downward" in ended.err


VALID, INVALID = Verdict.VALID, Verdict.INVALID


@pytest.mark.parametrize(("verdicts", "code", "status", "verdict"), [
    ({"VAL": VALID}, 0, "solved", "valid"),
    ({"unified-planning": VALID}, 0, "solved", "valid"),
    ({"replay": VALID}, 3, "unvalidated", "unavailable"),
    ({}, 3, "unvalidated", "unavailable"),
    ({"VAL": INVALID}, 1, "invalid plan", "invalid"),
    ({"replay": INVALID}, 1, "invalid plan", "invalid"),
    ({"VAL": VALID, "replay": INVALID}, 1, "invalid plan", "invalid"),
])  # fmt: skip
def test_nothing_is_solved_or_valid_that_is_not_validated(
    verdicts: dict[str, Verdict], code: int, status: str, verdict: str, tiny: tuple[Path, Path], tmp_path: Path,
    cplan: Run, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    say(monkeypatch, verdicts)
    disagree = len(set(verdicts.values())) > 1
    ended = cplan("solve", *tiny, "--method", "gbfs")
    assert (ended.code, status in ended.out.splitlines()) == (code, True)
    assert ("solved" in ended.out.splitlines()) == (status == "solved")
    assert ("DISAGREE" in ended.out) == disagree
    assert ("No validator could check the plan" in ended.out) == (status == "unvalidated")
    plan = tmp_path / "plan"
    plan.write_text("(open-box red-box)\n")
    ended = cplan("validate", *tiny, plan, "--json")
    assert (ended.code, ended.json["verdict"]) == (code, verdict)
    assert ("DISAGREE" in ended.err) == ended.json["disagreement"] == disagree


def test_validate_for_real(tiny: tuple[Path, Path], cplan: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("(open-box blue-box)\n(take ball blue-box)\n(close-box blue-box)\n")
    ended = cplan("validate", *tiny, plan, "--json")
    assert ended.code == 0
    assert ended.json["validators"] == dict.fromkeys(JUDGES, "valid")
    plan.write_text("(open-box blue-box)\n(take ball red-box)\n")
    ended = cplan("validate", *tiny, plan)
    assert ended.code == 1
    assert "step 2 (take ball red-box):" in ended.out
    assert "advice" in ended.out


@pytest.mark.parametrize(("error", "code"), [(CplanError, 1), (InputError, 2), (MissingError, 3), (BudgetError, 4)])
def test_every_error_has_its_code(
    error: type[CplanError], code: int, tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **settings: object) -> None:
        raise error("went wrong")

    monkeypatch.setattr("commonsense_planning.cli.job.read_task", fail)
    ended = cplan("solve", *tiny)
    assert (ended.code, ended.out, ended.err) == (code, "", "cplan: went wrong\n")
    monkeypatch.setenv("CPLAN_JSON", "1")
    assert cplan("solve", *tiny).json == {"status": "out of budget" if code == 4 else None, "reason": "went wrong"}
    assert cplan("solve", *tiny, "--json", "--method", "none").json["reason"].startswith("no method is called none")


def test_a_model_that_was_not_heard() -> None:
    runs = (0, 0, 0, True), (2, 1, 1, True), (2, 2, 1, False), (2, 2, 1, True), (2, 2, 2, False)
    usages = [(Usage(questions, unheard=u, unreached=none), needed) for questions, u, none, needed in runs]
    assert [unheard_code(*usage) for usage in usages] == [0, 0, 0, 3, 3]


def test_status_table() -> None:
    codes = {"SOLVED": 0, "UNSOLVED": 1, "UNSOLVABLE": 1, "INVALID": 1, "UNVALIDATED": 3, "BUDGET": 4}
    assert {status.name: status.exit_code for status in Status} == {**codes, "INTERRUPTED": 130}


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
