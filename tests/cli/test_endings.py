"""However a command is ended, no process that it started continues, and no temporary file is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.running import CPLAN, LEFT, living
from tests.data import write_task

pytestmark = pytest.mark.processes

DOMAIN = """(define (domain wide) (:requirements :strips :typing) (:predicates (on ?a ?b ?c) (never))
(:action act :parameters (?a ?b ?c) :precondition () :effect (on ?a ?b ?c)))"""
PROBLEM = """(define (problem p) (:domain wide) (:objects {}) (:init) (:goal (never)))"""


@pytest.fixture
def wide(tmp_path: Path) -> tuple[Path, Path]:
    """A task of 27 million operators, too many for everyone."""
    return write_task(tmp_path, DOMAIN, PROBLEM.format(" ".join(f"o{n}" for n in range(300))))


Begin = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Starts a command line with its own folder for temporary files; its processes are ended after the test."""
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary"), LEFT: str(tmp_path), "OPENAI_API_KEY": "none"}

    def started(*args: str | Path) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen([*CPLAN, *map(str, args)], env=environment, stdout=pipe, stderr=pipe, text=True)

    yield started
    for process in living(tmp_path):
        os.kill(process, signal.SIGKILL)


def wait_for(what: Callable[[], bool], seconds: float) -> None:
    """Until it holds; fails if it does not after so long."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


CHILDREN = {"fast-downward": "fast_downward.translate", "pyperplan": "up_engine_worker", "gbfs": "clingo"}


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("method", CHILDREN)
def test_nothing_is_left(
    method: str, end: signal.Signals, wide: tuple[Path, Path], begin: Begin, tmp_path: Path
) -> None:
    if not Path("/proc/self/environ").exists():
        pytest.skip("no /proc here")
    process = begin("solve", *wide, "--method", method, "--max-operators", "100000000")
    wait_for(lambda: bool(living(tmp_path, CHILDREN[method])), 60)
    process.send_signal(end)
    _, said = process.communicate(timeout=30)
    assert process.returncode == (-signal.SIGKILL if end is signal.SIGKILL else 128 + end), said
    assert "Traceback" not in said
    wait_for(lambda: not living(tmp_path), 5)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_command_under_nohup_survives_a_hang_up(tiny: tuple[Path, Path], begin: Begin, tmp_path: Path) -> None:
    """As under nohup, which has SIGHUP ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = begin("solve", *tiny, "--method", "pyperplan")
        wait_for(lambda: bool(living(tmp_path, CHILDREN["pyperplan"])), 60)
        process.send_signal(signal.SIGHUP)
        assert process.wait(60) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


DEAF = """
import signal, threading, time
from commonsense_planning.support.interrupts import ending_in_order

def elsewhere():
    time.sleep(0.3)
    signal.pthread_kill(threading.get_ident(), {end})  # what the main thread waits for continues

with ending_in_order() as came:
    threading.Thread(target=elsewhere).start()
    began = time.monotonic()
    try:
        time.sleep(30)
    except KeyboardInterrupt:
        assert time.monotonic() - began < 20
print(*came)
"""


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_comes_just_before_a_long_wait_is_heard(end: signal.Signals) -> None:
    program = DEAF.format(end=int(end))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == (f"{int(end)}\n", "")


INTERRUPTED = """
import sys

class Interrupts:
    def find_spec(self, name, *_):
        if name == {name!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from commonsense_planning.cli import start
sys.exit(start())
"""


@pytest.mark.parametrize("name", ["commonsense_planning.cli.main", "click", "commonsense_planning.errors"])
def test_an_interrupt_while_the_rest_is_imported(name: str) -> None:
    program = INTERRUPTED.format(name=name)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
