"""A limit of time or memory that is reached while a written heuristic runs is out of budget, and not its fault."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.learning import heuristic_worker, heuristic_writer
from commonsense_lab.learning.heuristic_writer import search_with
from commonsense_planning.errors import BudgetError, CplanError, LateError, Status
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.limits import SLACK
from commonsense_planning.support.workers import WorkerError
from lab.tests.learning.heuristics import GOOD
from lab.tests.learning.test_heuristic_writer import in_this_process
from tests.cli.running import Ended, Run
from tests.towers import write_files

Solve = Callable[[CplanError, bool], Ended]


@pytest.fixture
def solve(cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Solve:
    """The method with a harmless heuristic, whose child ends so, after the program has begun or before."""

    def run(error: CplanError, begun: bool) -> Ended:
        def asked(module: str, request: Any, *args: object) -> dict[str, Any]:
            if begun:
                heuristic_worker.Calls(Path(request["calling"])).__enter__()
            raise error

        monkeypatch.setattr(heuristic_writer, "ask", asked)
        heuristic = tmp_path / "heuristic.py"
        heuristic.write_text(GOOD)
        domain, (small,) = write_files(tmp_path, (2,))
        return cplan("solve", domain, small, "--method", "gbfs", "--heuristic", heuristic, "--json")

    return run


LATE, CRASH = LateError("took longer than 61 s"), WorkerError("crashed (SIGABRT)")


@pytest.mark.parametrize(("error", "begun", "code", "reason"), [
    (BudgetError("the time is up"), True, 4, "the time is up"),
    (BudgetError("ran out of memory"), False, 4, "ran out of memory"),
    (LATE, False, 4, ""),
    (LATE, True, 1, "heuristic.py: a call did not end: it took longer than 61 s"),
    (CRASH, True, 1, "heuristic.py: crashed (SIGABRT)"),
])  # fmt: skip
def test_a_program_is_to_blame_only_once_it_has_begun(
    solve: Solve, error: CplanError, begun: bool, code: int, reason: str
) -> None:
    ended = solve(error, begun)
    assert (ended.code, ended.json["reason"].endswith(reason)) == (code, True)
    assert (ended.json["status"] == "out of budget") == (code == 4)


@pytest.mark.parametrize(
    ("file", "length", "status"),
    [("h.py", SLACK, Status.UNSOLVED), ("h.py", 0.0, Status.BUDGET), ("ours.py", SLACK, Status.BUDGET)],
)
def test_only_a_call_of_the_program_that_is_long_under_way_is_to_blame(
    file: str, length: float, status: Status, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the alarm rings: it may be our own preparation of a heuristic that takes so long, for a large task say."""
    late = compile("with calls:\n    sleep(length)\n    raise_signal(SIGALRM)", file, "exec")
    names = {"sleep": time.sleep, "length": length, "raise_signal": signal.raise_signal, "SIGALRM": signal.SIGALRM}
    monkeypatch.setattr(heuristic_worker, "on_lifted", lambda *given: exec(late, {**names, "calls": given[-1]}))
    in_this_process(monkeypatch)
    domain, (small,) = write_files(tmp_path, (2,))
    told = search_with(GOOD, Path("h.py"), read_problem(domain, small), 600)
    assert told.status == status
    assert told.why.endswith("the time is up" if status is Status.BUDGET else "\n    ^")
