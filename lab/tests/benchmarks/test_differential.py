"""Short versions of the comparisons with programs that others wrote, and that each sees a difference."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import solve
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners import fast_downward
from commonsense_planning.validation.replay import ReplayOutcome, run
from commonsense_planning.validation.verdict import Report, Verdict
from lab.benchmarks.reliability.differential import answers, oracle, plans, searches, successors, tasks
from lab.benchmarks.reliability.differential.__main__ import main
from lab.benchmarks.reliability.differential.readers import Readers, known
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

HOUSEHOLD, FLIGHTS = (Case(task, 1) for task in tasks.smallest(Path("nowhere")))
Compare = Callable[[Case, Tally], None]


@pytest.fixture
def tally(tmp_path: Path) -> Tally:
    """One that keeps what it finds."""
    return Tally("any", tmp_path / "kept")


@pytest.fixture(autouse=True)
def _little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    few = ((plans, "PLANS", 12), (answers, "ANSWERS", 200), (searches, "PROBLEMS", 2), (successors, "WALKS", 1))
    for module, name, count in few:
        monkeypatch.setattr(module, name, count)


def some_random(folder: Path, count: int, derived: bool = False) -> list[Case]:
    """Random tasks, each in files of its own."""
    folders = [folder / str(number) for number in range(count)]
    for own in folders:
        own.mkdir()
    return [tasks.random_case(3 + number, own, derived) for number, own in enumerate(folders)]


def test_successors_are_those_of_unified_planning(tally: Tally, tmp_path: Path) -> None:
    for case in (HOUSEHOLD, *some_random(tmp_path, 4)):
        successors.compare(case, tally)
    assert not tally.lost
    assert tally.tried["tasks"] == 5 and tally.tried["actions"] > 500


def test_verdicts_are_those_of_val_and_unified_planning(tally: Tally, tmp_path: Path) -> None:
    for case in (FLIGHTS, *some_random(tmp_path, 3, derived=True)):
        plans.compare(case, tally)
    assert not tally.lost
    assert tally.tried["plans"] == 48 and tally.tried["verdicts of unified-planning"] == 36
    assert tally.tried["of them valid"] and tally.tried["of them invalid"] and tally.tried["of them malformed"]


def test_answers_that_are_called_valid_are_so_by_val_and_unified_planning(tally: Tally, tmp_path: Path) -> None:
    for case in (FLIGHTS, HOUSEHOLD, *some_random(tmp_path, 2)):
        answers.compare(case, tally)
    assert not tally.lost and tally.tried["answers"] == 800
    assert tally.tried["of them valid"] and tally.tried["of them invalid"] and tally.tried["unclear"]
    assert tally.tried["verdicts of VAL"] == tally.tried["plans judged by others"] > 10


def test_costs_and_proofs_are_those_of_fast_downward(tally: Tally, tmp_path: Path) -> None:
    searches.cheapest(FLIGHTS, tally)
    for case in some_random(tmp_path, 3, derived=True):
        searches.cheapest(case, tally)
    searches.unsolvable(HOUSEHOLD, tally)
    assert not tally.lost and not tally.silent


def test_a_hundred_random_tasks_mean_what_the_oracle_says(tally: Tally, tmp_path: Path) -> None:
    for seed in range(100, 200):
        oracle.compare(tasks.random_case(seed, tmp_path, plain=False), tally)
    assert not tally.lost
    assert tally.tried["of them with a plan"] > 60 and tally.tried["without one"] > 10
    assert tally.tried["solved rightly"] > 300 and tally.tried["unsolvable rightly"] > 60
    assert tally.tried["verdicts of replay"] > 600


def test_a_difference_is_explained_by_what_is_known_alone() -> None:
    problem = read_problem(FLIGHTS.task.domain, FLIGHTS.task.problem)
    ours, told = Report("replay", Verdict.INVALID, 1), "Incompatible type. x can't be assigned to: object o"
    right, wrong = (Plan((Step("fly", cities),)) for cities in (("oslo", "paris"), ("oslo", "paris", "rome")))
    assert plans.known(problem, wrong, ours, Report("VAL", Verdict.VALID)) == "VAL passes over an argument too many"
    assert plans.known(problem, right, ours, Report("unified-planning", Verdict.INVALID, 2, reason=told))
    for other in ("VAL", "unified-planning"):
        assert not plans.known(problem, right, ours, Report(other, Verdict.VALID))


def nothing_applies(case: Case, tally: Tally, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(successors.Simulated, "is_applicable", lambda *_: False)
    successors.compare(case, tally)


def all_is_valid(case: Case, tally: Tally, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(plans, "replay", lambda *_: Report("replay", Verdict.VALID))
    plans.compare(case, tally)


def all_answers_are_valid(case: Case, tally: Tally, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(answers, "replay", lambda *_: Report("replay", Verdict.VALID))
    answers.compare(case, tally)


def a_step_is_not_read(case: Case, tally: Tally, patch: pytest.MonkeyPatch) -> None:
    read = answers.PlanReader.read
    fewer = lambda self, text: replace(found := read(self, text), steps=found.steps[1:])  # noqa: E731
    patch.setattr(answers.PlanReader, "read", fewer)
    answers.compare(case, tally)


def nothing_is_solved(case: Case, tally: Tally, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fast_downward, "solve", lambda *_: fast_downward.PlannerResult(Status.UNSOLVABLE))
    searches.cheapest(case, tally)


def a_plan_too_long(case: Case, tally: Tally, patch: pytest.MonkeyPatch) -> None:
    cheapest = searches.cheapest_plan
    patch.setattr(searches, "cheapest_plan", lambda *args: replace(cheapest(*args), cost=99.0))
    searches.cheapest(case, tally)


SPOILT = [nothing_applies, all_is_valid, all_answers_are_valid, a_step_is_not_read, nothing_is_solved, a_plan_too_long]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_difference_is_lost_and_kept(
    spoil: Callable[[Case, Tally, pytest.MonkeyPatch], None], tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(FLIGHTS, tally, monkeypatch)
    assert tally.lost
    folder = tally.keep / "any-1"
    assert f"--on {folder} --seed 1" in (folder / "what.txt").read_text()
    again = tasks.kept(folder, 1)
    assert again.task.domain.read_bytes() == FLIGHTS.task.domain.read_bytes()
    assert not again.drawn


def spoilt_verdict(problem: Problem, plan: Plan) -> ReplayOutcome:
    return replace(run(problem, plan), report=Report("replay", Verdict.VALID))


def no_plan(request: Request) -> Solution:
    return Solution(Status.UNSOLVABLE, None)


def too_short(request: Request) -> Solution:
    return replace(found := solve(request), plan=found.plan and Plan(found.plan.steps[1:]))


def too_dear(request: Request) -> Solution:
    return replace(found := solve(request), plan=found.plan and replace(found.plan, cost=99.0))


def refused(request: Request) -> Solution:
    raise IndexError


@pytest.mark.parametrize(
    ("name", "spoilt", "said"),
    [
        ("run", spoilt_verdict, r"valid by replay \(\), invalid by the oracle"),
        ("solve", no_plan, r"astar: unsolvable, and a plan costs \d"),
        ("solve", too_short, "gbfs: its plan is none"),
        ("solve", too_dear, r"gbfs: its plan costs \d+, not 99"),
        ("solve", refused, "gbfs: IndexError"),
    ],
)
def test_the_oracle_sees_what_is_wrong(
    name: str, spoilt: object, said: str, tally: Tally, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, name, spoilt)
    for seed in range(5):
        oracle.compare(tasks.random_case(seed, tmp_path, plain=False), tally)
    assert any(re.search(said, lost) for lost in tally.lost), tally.lost


def test_what_was_kept_is_tried_again_and_the_exit_code_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["successors", "--keep", str(tmp_path), "--data", "nowhere"]
    fine = CliRunner().invoke(main, [*given, "--count", "1"])
    assert (fine.exit_code, "lost 0" in fine.output) == (0, True)
    honest = successors.Simulated.is_applicable
    dishonest = lambda self, state, said: "open" not in said and honest(self, state, said)  # noqa: E731
    monkeypatch.setattr(successors.Simulated, "is_applicable", dishonest)
    assert CliRunner().invoke(main, [*given, "--count", "1"]).exit_code == 1
    repeated = CliRunner().invoke(main, [*given, "--on", str(tmp_path / "successors-1")])
    assert (repeated.exit_code, "lost 1" in repeated.output) == (1, True), repeated.output


@pytest.mark.processes
def test_readers_read_the_same(tally: Tally, tmp_path: Path) -> None:
    readers = Readers({"unified-planning": sys.executable})
    try:
        for case in (FLIGHTS, *some_random(tmp_path, 3, derived=True)):
            readers.compare(case, tally)
    finally:
        readers.close()
    assert not tally.lost
    assert (tally.tried["files"], tally.tried["unified-planning took"] >= 3) == (4, True)
    assert "unified-planning: knows no derived predicates" in tally.explained


@pytest.mark.bench
def test_loki_reads_the_same(tally: Tally, tmp_path: Path) -> None:
    readers = Readers({"loki": sys.executable})
    try:
        for case in (HOUSEHOLD, *some_random(tmp_path, 3, derived=True)):
            readers.compare(case, tally)
    finally:
        readers.close()
    assert not tally.lost and tally.tried["loki took"] >= 4


def test_a_refusal_of_ours_is_explained_for_spoilt_files_alone() -> None:
    mine, theirs = {"refused": "domain.pddl:1:1: 'p' has 2 arguments; expected 1: (p ?x)"}, {"domain": "d"}
    told = [known("pddl", theirs, mine, "", FLIGHTS.task, spoilt) for spoilt in (True, False)]
    assert told == ["does not check the number of arguments", ""]
    assert not known("pddl", theirs, {"refused": "a reason that nobody thought of"}, "", FLIGHTS.task, True)
