"""kill -9 at random moments of an experiment: does the same command then give what an undisturbed run gives?

    python -m lab.benchmarks.reliability.crashes [--count 50] [--seed 0]

Two runs of ``cplan bench multiplication`` in two processes: one with the embedded model, whose rows are compared, and
one with ``--record`` and a model behind a server on this machine, whose recording is compared, too, entry by entry.
Each is killed ``--count`` times: when a random number of lines is written and up to 0.1 s later, or while it starts.
Every other time the whole process group is killed, else the parent alone. After a kill nothing of ours may go on or be
left in the folder of temporary files. After one to eight kills the command is run to its end. Lost is a row or an entry
that differs in more than the times that it tells, that is missing or there twice, a line that is torn, and a process or
file that is left.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from commonsense_lab.runner.rows import NAME

from tests.chat_server import ChatServer
from tests.cli.running import CPLAN, LEFT, living

BENCH = ("bench", "multiplication", "--digits", "1-3", "--tasks", "4", "--seeds", "2", "--workers", "2", "--quiet")
CLOCK = ("seconds", "waiting", "date")
"""Fields that tell what a clock said."""
PATIENCE = 15.0  # seconds in which all that was started must be gone
GENEROUS = 300.0  # seconds for a whole run
TAPE = "answers.jsonl"


@dataclass
class Experiment:
    """A command, which writes to ``folder``; its ``options`` say where answers come from. ``written``: the file whose
    lines tell how far it is."""

    folder: Path
    options: tuple[str, ...] = ()
    written: str = f"results/{NAME}"
    found: Counter[str] = field(default_factory=Counter)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the command, in a process group of its own."""
        temporary = self.folder / "temporary"
        temporary.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(temporary), LEFT: str(self.folder), "OPENAI_API_KEY": "none"}
        words = [*CPLAN, *BENCH, *(word.replace("{folder}", str(self.folder)) for word in self.options)]
        with (self.folder / "said").open("ab") as said:
            return subprocess.Popen(
                [*words, "-o", str(self.folder / "results")],
                env=environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def finish(self) -> None:
        """Run the command to its end. Raises RuntimeError if that is no good one."""
        with self.ended_at_last() as process:
            code = process.wait(GENEROUS)
        if code != 0:
            raise RuntimeError(f"exit code {code}: {(self.folder / 'said').read_text(encoding='utf-8')[-2000:]}")

    def kill(self, lines: int, later: float, group: bool) -> bool:
        """Start the command and kill it ``later`` seconds after there are so many lines; whether it was still
        running."""
        with self.ended_at_last() as process:
            while len(self.lines(self.written)) < lines and process.poll() is None:
                time.sleep(0.002)
            time.sleep(later)
            running = process.poll() is None
            if group:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
        return running

    @contextmanager
    def ended_at_last(self) -> Iterator[subprocess.Popen[bytes]]:
        """The command, which is started now; what goes on when it has ended is counted, and ended."""
        process = self.start()
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            deadline = time.monotonic() + PATIENCE
            while living(self.folder) and time.monotonic() < deadline:
                time.sleep(0.05)
            left = living(self.folder)
            for child in left:
                os.kill(child, signal.SIGKILL)
            self.found["left"] += len(left) + len([*(self.folder / "temporary").iterdir()])

    def lines(self, name: str) -> list[bytes]:
        """The whole lines of a file."""
        path = self.folder / name
        return path.read_bytes().split(b"\n")[:-1] if path.exists() else []

    def entries(self, name: str) -> Counter[str]:
        """What the lines of a file say, without what a clock said; torn ones are counted."""
        told: Counter[str] = Counter()
        for line in self.lines(name):
            try:
                told[json.dumps(timeless(json.loads(line)), sort_keys=True)] += 1
            except ValueError:
                self.found["torn"] += 1
        return told

    @property
    def results(self) -> dict[str, Counter[str]]:
        """What is compared, by file."""
        return {name: self.entries(name) for name in dict.fromkeys((f"results/{NAME}", self.written))}


def timeless(value: Any) -> Any:
    """Without the fields that tell what a clock said."""
    if isinstance(value, dict):
        return {name: timeless(entry) for name, entry in value.items() if name not in CLOCK}
    return value


def campaign(what: str, options: tuple[str, ...], written: str, count: int, rng: np.random.Generator) -> Counter[str]:
    """Kill the command ``count`` times; what was found."""
    found: Counter[str] = Counter()
    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        whole = Experiment(folder / "undisturbed", options, written)
        whole.folder.mkdir()
        whole.finish()
        expected, total = whole.results, len(whole.lines(written))
        while found["kills"] < count:
            run = Experiment(folder / str(found["runs"]), options, written)
            run.folder.mkdir()
            for _ in range(min(int(rng.integers(1, 9)), count - found["kills"])):
                lines, group = int(rng.integers(0, total)), bool(found["kills"] % 2)
                later = float(rng.uniform(0.0, 0.1) if lines else rng.uniform(0.0, 2.0))
                if run.kill(lines, later, group):
                    found["kills"] += 1
                    found["of them of the group"] += group
                else:
                    break  # it was over first: what it gave is looked at all the same
            run.finish()
            found["runs"] += 1
            for name, told in run.results.items():
                differ = (told - expected[name]) + (expected[name] - told)
                found["differ"] += differ.total()
                for entry in differ:
                    print(f"{what}: {name}: {entry}", flush=True)
            found += run.found
            print(f"  {what}: {dict(found)}", file=sys.stderr, flush=True)
    return found


@click.command()
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="Kills of each of the two.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the moments.")
def main(count: int, seed: int) -> None:
    """Kill experiments and take them up again."""
    rng, lost = np.random.default_rng(seed), 0
    print("| run | kills | of these the group | runs to the end | rows or entries that differ | torn | left |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with ChatServer(lambda messages: str(len(messages[-1]["content"])), delay=0.02) as server:
        model = ("--model", "openai:m", "--retries", "0", "--base-url", server.base_url)
        record = (*model, "--record", f"{{folder}}/{TAPE}")
        for what, options, written in (("bench", (), f"results/{NAME}"), ("bench --record", record, TAPE)):
            found = campaign(what, options, written, count, rng)
            told = ("kills", "of them of the group", "runs", "differ", "torn", "left")
            print(f"| `{what}` | {' | '.join(str(found[name]) for name in told)} |", flush=True)
            lost += found["differ"] + found["torn"] + found["left"]
    print(f"tried {2 * count} kills, lost {lost}")
    sys.exit(lost > 0)


if __name__ == "__main__":
    main()
