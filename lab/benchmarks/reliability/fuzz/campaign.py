"""Reads inputs, one after the other, in a process that may die of one, and keeps those that found something."""

from __future__ import annotations

import hashlib
import logging
import resource
import signal
import tempfile
import time
import traceback
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from lab.benchmarks.reliability.fuzz.target import Run, Target, complaint

SECONDS = 10.0  # of processor time that an input may take
WAITING = 120.0  # seconds by the clock
MEGABYTES = 1024  # that the process may have beside what it has at first
_MEMORY = Path("/dev/shm")  # where a file takes a tenth of the time to write


@dataclass
class Counts:
    """What came of a target's inputs: how many were ``tried``, ``read`` as they are, ``refused`` with a message, and
    ``lost``; what they ``spent`` together, and the ``slowest``, in seconds of processor time."""

    tried: int = 0
    read: int = 0
    refused: int = 0
    lost: int = 0
    spent: float = 0.0
    slowest: float = 0.0


@dataclass(frozen=True)
class Ended:
    """What an input of a ``target`` ended in: ``read``, ``refused`` or ``lost``, what is to be ``said`` of it, and the
    ``place`` where it went wrong; after how many ``seconds``, in a process of so many ``kilobytes``."""

    target: str
    how: str
    said: str = ""
    place: str = ""
    seconds: float = 0.0
    kilobytes: int = 0
    trace: str = ""


class Campaign:
    """Inputs 0, 1, 2 … of a ``seed``, each of one of the ``targets``, drawn by their weights: an input depends on the
    seed and its number alone. What is wrong with one is said by ``tell``, and the input goes to the folder ``out``.
    ``limit``: seconds of processor time that one may take."""

    def __init__(
        self, targets: Sequence[Target], seed: int, out: Path, tell: Callable[[str], object], limit: float = SECONDS
    ) -> None:
        self.targets = targets
        self.seed = seed
        self.out = out
        self.tell = tell
        self.limit = limit
        self.counts = {target.name: Counts() for target in targets}
        self.kilobytes = 0  # the most memory that the process ever had
        self._context = get_context("fork")  # what the targets have read is there at once, after a death, too
        self._limits = list(accumulate(target.weight for target in targets))

    def run(self, count: int, seconds: float) -> None:
        """Try so many inputs, or as many as can be in so many seconds."""
        number, until = 0, time.monotonic() + seconds
        with self._opened() as runs:
            while number < count and time.monotonic() < until:
                here, there = self._context.Pipe(duplex=False)
                process = self._context.Process(target=self._work, args=(runs, range(number, count), until, there))
                process.start()
                there.close()
                try:
                    for ended in _received(here):
                        self._take(number, ended)
                        number += 1
                    process.join()
                finally:
                    process.kill()
                if process.exitcode:
                    self._take(
                        number, Ended(self._input(number)[0].name, "lost", self._died(process.exitcode), str(number))
                    )
                    number += 1

    def repeat(self, target: Target, data: bytes) -> str:
        """What an input of a target ends in, as a text: it is read, refused, or lost, of what and where. Nothing is
        limited here."""
        with self._opened() as runs:
            ended = _one(target, *runs[target.name], data)
        self.counts[target.name].lost += ended.how == "lost"
        return f"{ended.how} {ended.said}\n{ended.trace}".strip()

    @contextmanager
    def _opened(self) -> Iterator[dict[str, tuple[Run, Path]]]:
        """Of each target what runs an input, and its folder."""
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None) as name:
            folders = {target.name: Path(name) / target.name for target in self.targets}
            for folder in folders.values():
                folder.mkdir()
            yield {target.name: (target.open(folders[target.name]), folders[target.name]) for target in self.targets}

    def _input(self, number: int) -> tuple[Target, bytes]:
        """Which target an input is of, and the input."""
        rng = Random(f"{self.seed}/{number}")
        target = self.targets[bisect(self._limits, rng.randrange(self._limits[-1]))]
        return target, target.input(rng)

    def _work(self, runs: dict[str, tuple[Run, Path]], numbers: range, until: float, there: Connection) -> None:
        """Be the process that reads."""
        logging.disable()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which end it, in the midst of compiled code, too
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the one who waits, who ends this process
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        resource.setrlimit(resource.RLIMIT_DATA, ((now + MEGABYTES) * 2**20,) * 2)
        for number in numbers:
            if time.monotonic() >= until:
                return
            target, data = self._input(number)
            signal.setitimer(signal.ITIMER_PROF, self.limit)
            signal.setitimer(signal.ITIMER_REAL, WAITING)
            ended = _one(target, *runs[target.name], data)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            there.send(ended)

    def _take(self, number: int, ended: Ended) -> None:
        """Count what an input ended in, and keep one for each place where something goes wrong."""
        counts = self.counts[ended.target]
        counts.tried += 1
        setattr(counts, ended.how, getattr(counts, ended.how) + 1)
        counts.spent += ended.seconds
        counts.slowest = max(counts.slowest, ended.seconds)
        self.kilobytes = max(self.kilobytes, ended.kilobytes)
        file = self.out / f"{ended.target}--{hashlib.sha256(ended.place.encode()).hexdigest()[:8]}"
        if ended.how == "lost" and not file.exists():
            self.out.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self._input(number)[1])
            command = f"python -m lab.benchmarks.reliability.fuzz --targets {ended.target} --input {file}"
            self.tell(f"{ended.target}: {ended.said}\n  {command}")

    def _died(self, code: int) -> str:
        """What is said of an input that the process died of."""
        if code > 0:
            return f"exit code {code}"
        ways = {signal.SIGPROF: f"more than {self.limit:g} s", signal.SIGALRM: f"more than {WAITING:g} s of waiting"}
        return ways.get(signal.Signals(-code), f"the process ended by signal {-code}")


def _received(here: Connection) -> Iterator[Ended]:
    """What comes until the other end is closed."""
    while True:
        try:
            yield here.recv()
        except EOFError:
            return


def _one(target: Target, run: Run, folder: Path, data: bytes) -> Ended:
    """Read an input."""
    began = time.process_time()
    error: BaseException | None = None
    try:
        run(data)
    except KeyboardInterrupt:
        raise
    except BaseException as found:  # noqa: BLE001 - whatever it ends in is what is looked for
        error = found
    spent = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wrong = complaint(target, error, folder) if error is not None else ""
    if error is None or not wrong:
        return Ended(target.name, "read" if error is None else "refused", str(error or "")[:200], "", *spent)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "commonsense_planning" in f.filename]
    trace = "".join(traceback.format_exception(error))
    at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return Ended(target.name, "lost", f"{wrong} at {at}: {str(error)[:200]!r}", f"{wrong} {at}", *spent, trace)
