"""What a comparison tried, what it found and how that is explained, and where what is not explained is kept."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from commonsense_planning.pddl.plan import Plan, write_plan
from lab.benchmarks.reliability.differential.tasks import Case

OFTEN = 10.0  # seconds from one word on how far it is to the next


@dataclass
class Tally:
    """Of the comparison ``name``: how often each thing was ``tried``; each difference that is ``explained``, by its
    reason; where the other one is ``silent``, by what it said; what is ``lost``, which is all else."""

    name: str
    keep: Path
    tried: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    _said: float = field(default_factory=time.monotonic)

    def lose(self, case: Case, said: str, plan: Plan | None = None) -> None:
        """A difference without an explanation: keep its files, with the command that shows it again."""
        self.lost.append(said)
        print(f"\nLOST {case.task.name}: {said}", file=sys.stderr)
        if not case.drawn:
            return
        folder = self.keep / f"{self.name}-{len(self.lost)}"
        folder.mkdir(parents=True, exist_ok=True)
        own = {file.name: file for file in (case.task.domain.with_name("sensors.pddl"),) if file.exists()}
        for name, file in {"domain.pddl": case.task.domain, "problem.pddl": case.task.problem, **own}.items():
            shutil.copyfile(file, folder / name)
        (folder / "plan").unlink(missing_ok=True)
        if plan is not None:
            write_plan(plan, folder / "plan")
        again = f"python -m lab.benchmarks.reliability.differential {self.name} --on {folder} --seed {case.seed}"
        (folder / "what.txt").write_text(f"{said}\n\n{again}\n", encoding="utf-8")
        print(f"  again: {again}", file=sys.stderr)

    def progress(self) -> None:
        """Says now and then how far it is."""
        if time.monotonic() - self._said > OFTEN:
            self._said = time.monotonic()
            print(next(self.summary()), file=sys.stderr, flush=True)

    def summary(self) -> Iterator[str]:
        """Tried and lost on one line, then how often what was explained how."""
        tried = ", ".join(f"{count:,} {what}" for what, count in self.tried.items()) or "nothing"
        yield f"{self.name}: tried {tried}; lost {len(self.lost)}"
        for how, reasons in (("differs", self.explained), ("silent", self.silent)):
            yield from (f"  {how}, {count:,} times: {reason}" for reason, count in reasons.most_common())
