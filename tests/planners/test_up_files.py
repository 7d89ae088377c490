"""The user's files in unified-planning: its reader, engines of a file ``up.ini``, and the judges of what they plan."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import MissingError, Plan, Status, Text, UsageError, Verdict, read_task, solve, validate
from commonsense_planning.methods.registry import method_named, recommended, why_not
from commonsense_planning.pddl.foreign import read_any
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.source import Need
from commonsense_planning.planners import up_engine, up_engine_worker, up_files
from commonsense_planning.planners.up_engine import UpEngine
from commonsense_planning.validation.up_validator import Judge
from commonsense_planning.validation.val import validate_with_val
from tests.cli.running import Run, cplan
from tests.kitchens import ERRAND, NORTH, OVEN, PARCEL, SUPPER, SUPPER_PLAN, TANK, UP_INI, files

__all__ = ["cplan"]
pytestmark = pytest.mark.processes


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two engines more, of which the first fails."""
    (tmp_path / "up.ini").write_text(UP_INI)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker answers in this process, which is faster, and has no engines of its own."""
    for module in (up_engine, up_files):
        monkeypatch.setattr(module, "ask", lambda _, request, timeout: up_engine_worker.answer(request))


@pytest.fixture(scope="module")
def supper() -> Problem:
    return read_any(Text(OVEN, "d"), Text(SUPPER, "p"))


@pytest.fixture(scope="module")
def north() -> Problem:
    return read_any(Text(TANK, "d"), Text(NORTH, "p"))


WAYS = " or ".join(f"pip install {what}" for what in ("up-enhsp", "up-lpg 'setuptools<81'", "up-tamer", "up-aries"))


def timed(text: str) -> Plan:
    return parse_plan(text, Path("plan"))


@pytest.mark.usefixtures("engines")
def test_an_engine_plans_with_durations_and_val_judges_it(tmp_path: Path, cplan: Run) -> None:
    plan, trace = tmp_path / "plan", tmp_path / "trace.jsonl"
    ended = cplan("solve", *files(tmp_path, OVEN, SUPPER), "--plan", plan, "--trace", trace, "--json")
    found = ended.json
    assert (ended.code, found["status"], found["method"], found["version"]) == (0, "solved", "up", "breadth")
    assert found["plan"] == SUPPER_PLAN.splitlines()
    assert found["given"] == "the files as they are, without the metric, which is not supported"
    assert found["validators"] == {"VAL": "valid", "replay": "unavailable"}
    assert "done at 16.002" in ended.err
    assert "step  3  3.001: (chop Ann pizza) [3.000]   beside 2" in ended.err
    assert timed(plan.read_text()).times == ((0, 3), (3.001, 10), (3.001, 3), (6.002, 10))
    assert "; cost" not in plan.read_text()
    assert '"starts": 3.001, "lasts": 10.0' in trace.read_text()


@pytest.mark.usefixtures("engines")
def test_a_failing_engine_is_named_and_the_next_is_asked(north: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(up_files.ORDERS, Need.NUMBERS, ("enhsp", "broken"))  # type: ignore[index]
    found = UpEngine("up", "").solve(north, 60)
    assert (found.status, found.version, found.reason) == (Status.SOLVED, "breadth", "broken failed: no licence")
    assert [str(step) for step in found.plan or ()] == [
        "(Refuel Red)",
        "(drive Red a b)",
        "(Refuel Red)",
        "(drive Red b c)",
    ]
    assert up_files.engines(north) == {"enhsp": "not installed: pip install up-enhsp", "broken": None, "breadth": None}


@pytest.mark.usefixtures("here")
def test_without_an_engine_the_way_out_is_said(cplan: Run, tmp_path: Path) -> None:
    task = files(tmp_path, TANK, NORTH)
    ended = cplan("solve", *task)
    ended.says(
        3,
        "it needs numbers (",
        "domain.pddl:7:46), which only other planners have; pip install up-enhsp or pip install up-lpg",
    )
    cplan("solve", *task, "--simulations", "9").says(2, "--simulations 9 belongs to llm-mcts, and")
    cplan("solve", *task, "--method", "gbfs").says(2, "gbfs cannot solve this task: it needs numbers (")
    cplan("solve", *task, "--method", "up:nobody").says(3, "; unified-planning has fast-downward, fast-downward-opt")
    listed = cplan("methods", *task, "--json").json
    rows = {row["name"]: row for row in listed["methods"]}
    assert [name for name, row in rows.items() if row["possible"]] == []
    assert rows["up:enhsp"]["why_not"] == "not installed: pip install up-enhsp"
    assert (listed["recommended"], listed["because"]) == (None, WAYS)
    checked = cplan("check", *task, "--json").json
    assert (checked["ok"], checked["files"][0]["needs"][0]["line"]) == (True, 7)
    cplan("ground", *task).says(2, "domain.pddl:7:47: numeric fluents ('>=') are not supported")


@pytest.mark.usefixtures("here")
def test_own_methods_say_why_not() -> None:
    task = read_task(Text(TANK, "d"), Text(NORTH, "p"))
    assert recommended(task)[0] == "up"
    for name in ("gbfs", "llm-mcts", "llm-hill-climb", "fast-downward", "pyperplan"):
        assert why_not(method_named(name), task) == "it needs numbers (d:7:46), which only other planners have"
    with pytest.raises(MissingError, match="pip install up-enhsp"):
        solve(task)
    classical = read_task(
        Text("(define (domain d) (:predicates (p)))"), Text("(define (problem p) (:domain d) (:init) (:goal (p)))")
    )
    assert "cplan's own planners" in str(why_not(method_named("up"), classical))


@pytest.mark.parametrize(
    ("text", "step", "reason"),
    [
        (SUPPER_PLAN, None, ""),
        (SUPPER_PLAN.replace("3.001: (bake", "2.000: (bake"), 2, "it has an unsatisfied precondition at time 2"),
        (SUPPER_PLAN.replace("[10.000]", "[9.900]"), 2, "it has an unsatisfied precondition at time 3.001"),
        (SUPPER_PLAN.rpartition("6.002")[0], None, "the goal is not satisfied after the last step"),
    ],
)
def test_val_judges_times(supper: Problem, text: str, step: int | None, reason: str) -> None:
    found = validate_with_val(supper, timed(text))
    assert (found.step, found.reason) == (step, reason), found
    assert found.verdict is (Verdict.INVALID if reason else Verdict.VALID)


def test_val_has_a_tolerance(supper: Problem) -> None:
    plan = timed(SUPPER_PLAN.replace("[10.000]", "[9.900]").replace("3.001", "3.5").replace("6.002", "7"))
    assert validate_with_val(supper, replace(plan, tolerance=0.2)).verdict is Verdict.VALID
    assert validate_with_val(supper, replace(timed(SUPPER_PLAN), tolerance=0.2)).step == 2, (
        "it starts as what it needs ends"
    )


def test_a_wrong_step_is_found_before_anybody_is_asked(supper: Problem, north: Problem) -> None:
    found = validate(supper, timed(SUPPER_PLAN.replace("bake pie", "bake Ann")))
    assert [(one.step, one.reason) for one in found.reports] == [
        (2, "'Ann' is of type cook; expected type dish as in (bake ?d - dish)")
    ]
    one = parse_plan("(drive red a b)", Path("plan"))
    found = validate(north, one)
    assert found.verdicts == {"VAL": "unavailable", "unified-planning": "invalid", "replay": "unavailable"}
    assert found.reports[2].reason == "it does not judge numbers"


@pytest.mark.parametrize(
    ("domain", "problem", "plan", "verdict"),
    [
        (OVEN, SUPPER, SUPPER_PLAN, "valid"),
        (OVEN, SUPPER, SUPPER_PLAN.replace("3.001: (bake", "2.000: (bake"), "invalid"),
        (TANK, NORTH, "(Refuel Red)\n(drive Red a b)\n(Refuel Red)\n(drive Red b c)", "valid"),
        (TANK, NORTH, "(Refuel Red)\n(drive Red a b)\n(drive Red b c)", "invalid"),
        (PARCEL, ERRAND, "(go home shop)", "unavailable"),
    ],
)
def test_the_validator_of_unified_planning_judges_them(
    domain: str, problem: str, plan: str, verdict: str, tmp_path: Path
) -> None:
    written = files(tmp_path, domain, problem)
    steps = timed(plan)
    found = Judge(*map(str, written), 0).judge(
        [[s.action, *s.arguments] for s in steps], [list(t) for t in steps.times]
    )
    assert found["verdict"] == verdict, found


@pytest.mark.parametrize(
    ("domain", "problem", "said"),
    [
        (
            OVEN,
            SUPPER.replace("(done pizza)", "(preference hot (done pizza))"),
            "problem.pddl:2:66: Not able to handle",
        ),
        (OVEN.replace("(kept ?c - cook)", "(kept ?c - cook) - number (at ?c - cook) - dish"), SUPPER, ""),
    ],
)
def test_what_its_reader_does_not_read_is_said_in_its_words(
    domain: str, problem: str, said: str, tmp_path: Path
) -> None:
    written = files(tmp_path, domain, problem)
    request: dict[str, Any] = {"domain": str(written[0]), "problem": str(written[1]), "order": []}
    assert up_engine_worker.answer(request).get("unread", "").startswith(said)


@pytest.mark.usefixtures("here")
def test_a_named_engine_is_tried_in_any_case_and_unknown_ones_are_refused(supper: Problem) -> None:
    found = UpEngine("up:pyperplan", "pyperplan").solve(supper, 60)
    assert found.status is Status.UNSOLVED
    assert found.reason.startswith("pyperplan failed (it does not support continuous time, int type durations)")
    with pytest.raises(UsageError, match="; unified-planning cannot read p:2:66: Not able to handle"):
        UpEngine("up", "").solve(
            read_any(Text(OVEN), Text(SUPPER.replace("(done pizza)", "(preference hot (done pizza))"), "p"))
        )
