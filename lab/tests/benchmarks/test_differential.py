"""Short versions of the comparisons with programs that others wrote, and that each sees a difference."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonsense_planning.errors import Status
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import PlannerResult
from commonsense_planning.validation.verdict import Report, Verdict
from lab.benchmarks.reliability.differential import plans, searches, successors, tasks
from lab.benchmarks.reliability.differential.__main__ import main
from lab.benchmarks.reliability.differential.readers import Readers
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

HOUSEHOLD, FLIGHTS = (Case(task, 1) for task in tasks.smallest(Path("nowhere")))
VALID = Report("replay", Verdict.VALID)


@pytest.fixture
def tally(tmp_path: Path) -> Tally:
    return Tally("any", tmp_path / "kept")


@pytest.fixture(autouse=True)
def _little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for module, name, count in ((plans, "PLANS", 12), (searches, "PROBLEMS", 2), (successors, "WALKS", 1)):
        monkeypatch.setattr(module, name, count)


def with_random(case: Case, folder: Path, count: int, derived: bool = False) -> list[Case]:
    """A task, and random ones, each in a folder."""
    folders = [folder / str(number) for number in range(count)]
    for own in folders:
        own.mkdir()
    return [case, *(tasks.random_case(3 + number, own, derived) for number, own in enumerate(folders))]


@pytest.mark.parametrize(("compare", "case", "derived", "tried"), [
    (successors.compare, HOUSEHOLD, False, {"tasks": 4, "actions": 500}),
    (plans.compare, FLIGHTS, True, {"plans": 48, "of them valid": 1, "of them invalid": 1, "of them malformed": 1}),
    (searches.cheapest, FLIGHTS, True, {"tasks": 4}),
    (searches.unsolvable, HOUSEHOLD, True, {"problems": 8}),
])  # fmt: skip
def test_nothing_is_lost(
    compare: Callable[[Case, Tally], None],
    case: Case,
    derived: bool,
    tried: dict[str, int],
    tally: Tally,
    tmp_path: Path,
) -> None:
    for each in with_random(case, tmp_path, 3, derived):
        compare(each, tally)
    assert not tally.lost
    assert all(tally.tried[what] >= count for what, count in tried.items()), tally.tried


@pytest.mark.parametrize(("compare", "where", "name", "wrong"), [
    (successors.compare, successors.Simulated, "is_applicable", lambda *_: False),
    (plans.compare, plans, "replay", lambda *_: VALID),
    (searches.cheapest, fast_downward, "solve", lambda *_: PlannerResult(Status.UNSOLVABLE)),
])  # fmt: skip
def test_a_difference_is_lost_and_kept(
    compare: Callable[[Case, Tally], None],
    where: object,
    name: str,
    wrong: object,
    tally: Tally,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, name, wrong)
    compare(FLIGHTS, tally)
    assert tally.lost
    folder = tally.keep / "any-1"
    assert f"--on {folder} --seed 1" in (folder / "what.txt").read_text()
    again = tasks.kept(folder, 1)
    assert again.task.domain.read_bytes() == FLIGHTS.task.domain.read_bytes() and not again.drawn


def test_what_was_kept_is_tried_again_and_the_exit_code_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["successors", "--keep", str(tmp_path), "--data", "nowhere"]
    fine = CliRunner().invoke(main, [*given, "--count", "1"])
    assert (fine.exit_code, "lost 0" in fine.output) == (0, True)
    monkeypatch.setattr(successors.Simulated, "is_applicable", lambda *_: False)
    assert CliRunner().invoke(main, [*given, "--count", "1"]).exit_code == 1
    repeated = CliRunner().invoke(main, [*given, "--on", str(tmp_path / "successors-1")])
    assert (repeated.exit_code, "lost 1" in repeated.output) == (1, True), repeated.output


@pytest.mark.parametrize(
    "name",
    [pytest.param("unified-planning", marks=pytest.mark.processes), pytest.param("loki", marks=pytest.mark.bench)],
)
def test_readers_read_the_same(name: str, tally: Tally, tmp_path: Path) -> None:
    with closing(Readers({name: sys.executable})) as readers:
        for case in with_random(FLIGHTS, tmp_path, 3, derived=True):
            readers.compare(case, tally)
    assert not tally.lost
    assert tally.tried["files"] == 4 and tally.tried[f"{name} took"] >= 3
