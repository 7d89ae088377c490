"""The benchmark's parts that are not about time: the table, processes, the twin of the household."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.kernels.engine import applicable
from lab.benchmarks.performance import whole_process
from lab.benchmarks.performance.homes import DOMAIN, errand, home, write_home
from lab.benchmarks.performance.table import HEADING, at_least, figure, head, markdown
from lab.benchmarks.performance.walks import walkable
from lab.benchmarks.performance.whole_process import run
from tests.support.children import children

pytestmark = pytest.mark.processes


def test_table() -> None:
    row = markdown(at_least("walk", 1_234_567.0, 10.0, 100_000, "", "steps/s"))
    assert row == "| walk | 1,230,000 steps/s | 10 steps/s | 123,000 × | 100,000 × | yes |  |"
    assert head(*HEADING).splitlines()[0].count("|") == row.count("|")
    assert [figure(value) for value in (0, 0.00789, 45.64, 999.6)] == ["0", "0.00789", "45.6", "1,000"]


def test_unknown_row_names_the_others() -> None:
    command = [sys.executable, "-m", "lab.benchmarks.performance", "nothing"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=DOMAIN.parents[2])
    assert ended.returncode == 2
    assert "household-walk" in ended.stderr


def test_whole_process(tmp_path: Path) -> None:
    ran = run([sys.executable, "-c", "print(len(bytearray(2**26)))"], tmp_path)
    assert (ran.code, ran.output.strip()) == (0, str(2**26))
    assert ran.peak > 2**26
    assert run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, 0.2).code is None


def test_at_the_limit_all_of_a_process_ends(tmp_path: Path) -> None:
    """Also what it started in another group, and the time is that of the limit."""
    started = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
    program = f"import subprocess, time; print({started}.pid, flush=True); time.sleep(60)"
    ran = run([sys.executable, "-c", program], tmp_path, 2)
    assert (ran.code, round(ran.seconds)) == (None, 2)
    state = Path(f"/proc/{int(ran.output)}/status")
    while state.exists() and "(zombie)" not in state.read_text():  # it has been sent the signal, and ends soon
        time.sleep(0.01)


@pytest.mark.parametrize("by", ["a signal", "a file"])
def test_an_interrupt_leaves_no_process(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(seconds: float, process: int, stop: int | None) -> bool:
        raise KeyboardInterrupt

    stop = os.eventfd(1)
    if by == "a signal":
        monkeypatch.setattr(whole_process, "_ends_within", interrupted)
    before = children()
    with pytest.raises(KeyboardInterrupt):
        run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, stop=stop)
    os.close(stop)
    assert children() == before


@pytest.mark.bench
def test_model_for_pomdp_py_has_our_actions(tmp_path: Path) -> None:
    """As many applicable actions at the start as the engine finds; one hand, whatever is done."""
    from lab.benchmarks.performance.pomcp import Home, planner

    apartment = home(600)
    task = walkable(DOMAIN, write_home(600, tmp_path))
    buffer = np.empty(task.operators, np.int32)
    model = Home(apartment, errand(apartment))
    assert applicable(task.compiled.table, task.start, buffer) == len(model.actions(model.start))
    search, agent = planner(apartment, errand(apartment), 20, 5, 0.95, 1.414, 1)
    assert search.plan(agent) in model.actions(model.start)
    state = model.start
    rng = random.Random(2)
    for _ in range(200):
        state = model.after(state, rng.choice(model.actions(state)))
        assert sum(place < 0 for place in state.places) == (state.held >= 0)
