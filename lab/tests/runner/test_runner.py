"""The runner: nothing is lost, nothing is done twice, whatever dies."""

import errno
import json
import multiprocessing.synchronize
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.runner.rows import NAME, EpisodeOutcome, Labels, read_lines
from commonsense_lab.runner.runner import Local, Summary, run
from commonsense_planning.errors import BudgetError, InputError, MissingError, PddlError
from commonsense_planning.support.row_file import RowFile
from lab.tests.runner.episodes import Errand, errands
from tests.data import REPOSITORY

pytestmark = pytest.mark.processes


def lines(out: Path) -> Counter[str]:
    """How many lines of the file each key has."""
    return Counter(json.loads(line)["key"] for line in (out / NAME).read_text().splitlines())


def rows(out: Path) -> dict[str, dict[str, Any]]:
    """The rows by key, without labels that all have in common."""
    labels = Labels.__dataclass_fields__
    return {line.key: {name: line.data[name] for name in line.data if name not in labels} for line in read_lines(out)}


@pytest.mark.parametrize("workers", [1, 2])
def test_every_episode_gets_a_row_with_its_labels(tmp_path: Path, workers: int) -> None:
    summary = run(errands(tmp_path), tmp_path / "out", Local(workers))
    assert (summary.total, summary.found, summary.done, summary.failed) == (6, 0, 6, 0)
    assert rows(tmp_path / "out") == {name: {"status": "solved"} for name in "abcdef"}


def test_finished_episodes_are_not_run_again(tmp_path: Path) -> None:
    first = errands(tmp_path)
    run(first[:4], tmp_path / "out", Local(1))
    summary = run(first * 2, tmp_path / "out", Local(1))  # equal keys are one episode
    assert (summary.total, summary.found, summary.done) == (6, 4, 2)
    assert first[0].starts() == [*"abcdef", ""]


def test_a_torn_last_line_is_done_again_and_harms_no_other(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(errands(tmp_path), out, Local(1))
    path = out / NAME
    path.write_bytes(path.read_bytes()[:-9])
    assert set(rows(out)) == set("abcde")
    assert run(errands(tmp_path), out, Local(1)).done == 1
    assert set(rows(out)) == set("abcdef")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_episode_that_fails_twice_is_recorded_with_its_last_line(tmp_path: Path, workers: int) -> None:
    summary = run(errands(tmp_path, b="fail", c="fail once"), tmp_path / "out", Local(workers))
    found = rows(tmp_path / "out")
    assert summary.failed == 1
    assert found["b"] == {"error": "ZeroDivisionError: b divided by zero"}
    assert found["c"]["status"] == "solved"


def test_failed_episodes_are_done_again_on_request_only(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(errands(tmp_path, b="fail"), out, Local(1))
    assert run(errands(tmp_path), out, Local(1)).done == 0
    assert run(errands(tmp_path), out, Local(1), again=True).done == 1
    assert rows(out)["b"]["status"] == "solved"


def test_a_dying_worker_costs_only_the_episode_it_ran(tmp_path: Path) -> None:
    summary = run(errands(tmp_path, b="die", d="die once"), tmp_path / "out", Local(2))
    found = rows(tmp_path / "out")
    assert (summary.done, summary.failed) == (6, 1)
    assert "died twice" in found["b"]["error"]
    assert all(found[name]["status"] == "solved" for name in "acdef")
    assert Counter(errands(tmp_path)[0].starts())["b"] in (2, 3)  # in the pool perhaps, then twice by itself
    assert set(lines(tmp_path / "out").values()) == {1}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("does", "kind"), [("stop", BudgetError), ("wrong file", PddlError)])
def test_a_common_error_ends_the_run(tmp_path: Path, workers: int, does: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        run(errands(tmp_path, c=does), tmp_path / "out", Local(workers))
    assert "c" not in rows(tmp_path / "out")
    assert run(errands(tmp_path), tmp_path / "out", Local(1)).found >= 1


def test_where_there_are_no_semaphores_one_process_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **settings: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", read_only)
    with pytest.raises(MissingError, match="/dev/shm: Read-only file system; one process does without: --jobs 1 or"):
        run(errands(tmp_path), tmp_path / "out", Local(2))
    assert run(errands(tmp_path), tmp_path / "out", Local(1)).done == 6


def test_a_check_of_the_rows_may_end_the_run(tmp_path: Path) -> None:
    seen: list[EpisodeOutcome] = []

    def enough(outcome: EpisodeOutcome) -> None:
        seen.append(outcome)
        if len(seen) == 2:
            raise BudgetError("two are enough")

    with pytest.raises(BudgetError):
        run(errands(tmp_path), tmp_path / "out", Local(1), check=enough)
    assert set(rows(tmp_path / "out")) == {"a", "b"}


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with RowFile(tmp_path / NAME), pytest.raises(InputError, match="another run"):
        run(errands(tmp_path), tmp_path, Local(1))


def test_a_folder_that_cannot_be_made_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot open the results"):
        run(errands(tmp_path), tmp_path / "file", Local(1))


def test_the_report_counts_up(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    run(errands(tmp_path, a="fail"), tmp_path / "out", Local(1), lambda *counts: told.append(counts))
    assert told == [(0, 6, 0), *((n, 6, 1) for n in range(1, 7))]


PROGRAM = """
from pathlib import Path
from commonsense_lab.runner.runner import Local, run
from lab.tests.runner.episodes import Errand

if __name__ == "__main__":
    folder = Path({folder!r})
    try:
        seconds = [0.05] * 20 + [{later}] * 40
        errands = [Errand(str(n), folder / "diary", seconds=s) for n, s in enumerate(seconds)]
        run(errands, folder / "out", Local({workers}))
    except KeyboardInterrupt:
        raise SystemExit(130)
"""


def begin(folder: Path, workers: int, rows_wanted: int, later: float = 0.05) -> subprocess.Popen[bytes]:
    """A run in a separate process group that has written some rows; its last episodes take ``later`` seconds each."""
    program = folder / "program.py"
    program.write_text(PROGRAM.format(folder=str(folder), workers=workers, later=later))
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen([sys.executable, str(program)], env=environment, start_new_session=True)
    file = folder / "out" / NAME
    while not file.exists() or file.read_bytes().count(b"\n") < rows_wanted:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def wait_for_the_end_of(group: int) -> None:
    """Until no process of the group is left; the helpers of multiprocessing end a moment after the rest."""
    for _ in range(1000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("a process is left")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_resumes_where_it_was(tmp_path: Path, workers: int) -> None:
    process = begin(tmp_path, workers, 10)
    process.kill()
    process.wait()
    wait_for_the_end_of(process.pid)
    before = lines(tmp_path / "out")
    assert 10 <= len(before) < 60
    all_of_them = [Errand(str(n), tmp_path / "diary") for n in range(60)]
    summary: Summary = run(all_of_them, tmp_path / "out", Local(1))
    assert (summary.found, summary.done) == (len(before), 60 - len(before))
    assert lines(tmp_path / "out") == Counter(str(n) for n in range(60))
    starts = Counter(all_of_them[0].starts())
    assert all(starts[key] == 1 for key in before)


def test_an_interrupt_keeps_what_is_done_and_leaves_no_process(tmp_path: Path) -> None:
    process = begin(tmp_path, 2, 20, later=300)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 130
    wait_for_the_end_of(process.pid)
    assert len(lines(tmp_path / "out")) == 20
