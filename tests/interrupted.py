"""Ctrl-C in the middle of ``cplan solve``, in this process: what is left of the run, and what should be."""

import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from commonsense_planning import METHODS, read_plan
from commonsense_planning.cli.main import main
from commonsense_planning.errors import EXIT_INTERRUPTED
from commonsense_planning.support import guard
from commonsense_planning.support.processes import guarded_folder
from tests.data import REPOSITORY
from tests.tiny import write_tiny_task

Words = tuple[str, ...]

HOUSEHOLD = ("household:plate-chicken",)
SALMON = ("virtualhome", str(REPOSITORY / "tests/goldens/problems/small-salmon.pddl"))
TINY = ("{folder}/domain.pddl", "{folder}/problem.pddl")


TASKS = {
    **dict.fromkeys(("llm-hill-climb", "llm-guide"), SALMON),
    **dict.fromkeys(("fast-downward", "pyperplan"), TINY),
}
"""What methods are interrupted at, where it is not a household: all within a second or so."""
FEW = {"simulations": "10", "max_steps": "8"}
"""What keeps a run short, of the options that a method has."""


def words_of(
    method: str, folder: Path, tasks: Mapping[str, Words] = TASKS, options: Mapping[str, Words] = {}
) -> tuple[str, ...]:
    """The words after ``cplan``; the tiny task that they may name is written to ``folder``."""
    write_tiny_task(folder)
    known = METHODS[method].Options.__dataclass_fields__
    few = (word for name, value in FEW.items() if name in known for word in (f"--{name.replace('_', '-')}", value))
    words = (*tasks.get(method, HOUSEHOLD), "--method", method, *few, *options.get(method, ()))
    return ("solve", *(word.replace("{folder}", str(folder)) for word in words))


@dataclass(frozen=True)
class Left:
    """What a run has left: its exit code (None: the interrupt went through), what it said, the events of its trace, the
    lines of it that are ``torn``, the steps in the plan file, and how many seconds it took."""

    code: int | None
    out: str
    err: str
    events: list[dict[str, Any]]
    torn: list[str]
    plan: list[str]
    seconds: float

    @property
    def interrupted(self) -> bool:
        """Whether the interrupt came before the end."""
        return self.code == EXIT_INTERRUPTED

    @property
    def steps(self) -> list[str]:
        """The actions that were carried out, by the trace."""
        return [event["action"] for event in self.events if event["event"] == "step"]

    @property
    def lost(self) -> str:
        """What was lost, or left behind; empty if nothing."""
        went_through = self.code is None and bool(self.out or self.err or self.events)  # else it came before the start
        if went_through or "Traceback" in self.err or self.torn:
            return f"a traceback or a torn line: {self.err} {self.torn}"
        if left := guard.marked(guarded_folder()):
            return f"processes are left: {left}"
        if self.interrupted and self.steps and self.steps != self.plan:
            return f"the plan is {self.plan}, the trace has {self.steps}"
        said = json.loads(self.out)["plan"] or [] if self.interrupted and self.out else self.plan
        return "" if said == self.plan else f"it says {said}, the plan is {self.plan}"


When = Callable[[Path], bool]
"""Gets the trace's path, again and again; whether the moment has come."""


def after(seconds: float) -> When:
    """So long after the start."""
    end = time.monotonic() + seconds
    return lambda trace: time.monotonic() >= end


def at_step(number: int) -> When:
    """As soon as that step is in the trace."""
    return lambda trace: trace.exists() and f'"step": {number},' in trace.read_text(encoding="utf-8")


def run(words: tuple[str, ...], when: When = lambda trace: False) -> Left:
    """Run a command line that solves; at a certain moment comes a Ctrl-C, if it is still running."""
    code: int | None = None
    out, err = StringIO(), StringIO()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trace, plan = Path(folder) / "trace", Path(folder) / "plan"
        try:
            with _ctrl_c(lambda: when(trace)), redirect_stdout(out), redirect_stderr(err):
                code = main([*words, "--json", "--trace", str(trace), "--plan", str(plan)])
        except KeyboardInterrupt:
            code = None
        seconds = time.monotonic() - began
        lines = trace.read_text(encoding="utf-8").splitlines(keepends=True) if trace.exists() else []
        kept = [str(step) for step in read_plan(plan)] if plan.exists() else []
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    torn = [line for line in lines if not line.endswith("\n")]
    return Left(code, out.getvalue(), err.getvalue(), events, torn, kept, seconds)


@contextmanager
def _ctrl_c(now: Callable[[], bool]) -> Iterator[None]:
    """Send SIGINT to this process when it is time, unless the block has been left."""
    left = threading.Event()

    def send() -> None:
        while not left.is_set() and not now():
            time.sleep(0.001)
        if not left.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        yield
    finally:
        usual = signal.signal(signal.SIGINT, signal.SIG_IGN)  # one on its way is too late
        left.set()
        sender.join()
        signal.signal(signal.SIGINT, usual)
