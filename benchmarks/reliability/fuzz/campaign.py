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
from dataclasses import dataclass, fields
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from benchmarks.reliability.fuzz.target import Run, Target, complaint

SECONDS = 10.0  # of processor time that an input may take
WAITING = 120.0  # seconds by the clock
MEGABYTES = 1024  # that the process may have beside what it has at first
_MEMORY = Path("/dev/shm")  # where a file takes a tenth of the time to write
_MICROSECONDS = 1_000_000


@dataclass
class Counts:
    """What came of a target's inputs: how many were ``tried``, ``read`` as they are, ``refused`` with a message, and
    ``lost``; what they ``spent`` together, and the ``slowest``, in microseconds of processor time."""

    tried: int = 0
    read: int = 0
    refused: int = 0
    lost: int = 0
    spent: int = 0
    slowest: int = 0


_COLUMNS = tuple(field.name for field in fields(Counts))


class Watch:
    """Takes up whatever an input ends in."""

    error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        self.error = error
        return not isinstance(error, KeyboardInterrupt)


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
        self._context = get_context("fork")  # what the targets have read is there at once, after a death, too
        self._told = self._context.RawArray("q", 2 + len(targets) * len(_COLUMNS))  # the next input, kilobytes, counts
        self._limits = list(accumulate(target.weight for target in targets))
        self._folder = Path()
        self._runs: list[Run] = []

    def run(self, count: int, seconds: float) -> None:
        """Try so many inputs, or as many as can be in so many seconds."""
        until = time.monotonic() + seconds
        with self._opened():
            while self._told[0] < count and time.monotonic() < until:
                process = self._context.Process(target=self._work, args=(count, until))
                process.start()
                try:
                    process.join()
                finally:
                    process.kill()
                if process.exitcode:
                    self._died(process.exitcode)

    def repeat(self, target: Target, data: bytes) -> str:
        """What an input of a target ends in, as a text: it is read, refused, or lost. Nothing is limited here."""
        with self._opened():
            return self._one(self.targets.index(target), data, lambda found, error: None)

    @property
    def counts(self) -> dict[str, Counts]:
        """By target, as far as they are known now."""
        rows = (self._told[2 + i * len(_COLUMNS) :][: len(_COLUMNS)] for i in range(len(self.targets)))
        return {target.name: Counts(*row) for target, row in zip(self.targets, rows, strict=True)}

    @property
    def kilobytes(self) -> int:
        """The most memory that the process ever had."""
        return int(self._told[1])

    @contextmanager
    def _opened(self) -> Iterator[None]:
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None) as name:
            self._folder = Path(name)
            for target in self.targets:
                (self._folder / target.name).mkdir()
            self._runs = [target.open(self._folder / target.name) for target in self.targets]
            yield

    def _input(self, number: int) -> tuple[int, bytes]:
        """Which target an input is of, and the input."""
        rng = Random(f"{self.seed}/{number}")
        which = bisect(self._limits, rng.randrange(self._limits[-1]))
        return which, self.targets[which].input(rng)

    def _work(self, count: int, until: float) -> None:
        """Be the process that reads."""
        logging.disable()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which end it, in the midst of compiled code, too
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the one who waits, who ends this process
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        resource.setrlimit(resource.RLIMIT_DATA, ((now + MEGABYTES) * 2**20,) * 2)
        while self._told[0] < count and time.monotonic() < until:
            which, data = self._input(self._told[0])
            self._count(which, "tried")
            signal.setitimer(signal.ITIMER_PROF, self.limit)
            signal.setitimer(signal.ITIMER_REAL, WAITING)
            began = time.process_time()
            self._one(which, data, self._keep(which, data))
            took = int((time.process_time() - began) * _MICROSECONDS)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._count(which, "spent", took)
            at = 2 + which * len(_COLUMNS) + _COLUMNS.index("slowest")
            self._told[at] = max(self._told[at], took)
            self._told[0] += 1
            if self._told[0] % 256 == 0:
                self._told[1] = max(self._told[1], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    def _one(self, which: int, data: bytes, lost: Callable[[str, BaseException], None]) -> str:
        target = self.targets[which]
        with Watch() as watch:
            self._runs[which](data)
        if watch.error is None:
            self._count(which, "read")
            return "read"
        wrong = complaint(target, watch.error, self._folder / target.name)
        if not wrong:
            self._count(which, "refused")
            return f"refused: {watch.error}"
        self._count(which, "lost")
        lost(wrong, watch.error)
        return f"{wrong}\n{''.join(traceback.format_exception(watch.error))}"

    def _count(self, which: int, column: str, more: int = 1) -> None:
        self._told[2 + which * len(_COLUMNS) + _COLUMNS.index(column)] += more

    def _keep(self, which: int, data: bytes) -> Callable[[str, BaseException], None]:
        """Keep an input that something is wrong with, one for each place where it goes wrong."""

        def keep(wrong: str, error: BaseException) -> None:
            frames = [f for f in traceback.extract_tb(error.__traceback__) if "commonsense_planning" in f.filename]
            at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
            self._kept(which, data, f"{wrong} at {at}: {str(error)[:200]!r}", f"{wrong} {at}")

        return keep

    def _kept(self, which: int, data: bytes, said: str, place: str) -> None:
        name = self.targets[which].name
        file = self.out / f"{name}--{hashlib.sha256(place.encode()).hexdigest()[:8]}"
        if not file.exists():
            self.out.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            self.tell(f"{name}: {said}\n  python -m benchmarks.reliability.fuzz --targets {name} --input {file}")

    def _died(self, code: int) -> None:
        """The process has died of the input that is next: it is kept, and left out from here on."""
        which, data = self._input(self._told[0])
        ways = {signal.SIGPROF: f"more than {self.limit:g} s", signal.SIGALRM: f"more than {WAITING:g} s of waiting"}
        said = (
            ways.get(signal.Signals(-code), f"the process ended by signal {-code}") if code < 0 else f"exit code {code}"
        )
        self._count(which, "lost")
        self._kept(which, data, said, f"{said} {self._told[0]}")
        self._told[0] += 1
