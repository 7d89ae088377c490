"""Episodes for tests: what they do is said in one word."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from commonsense_lab.runner.rows import EpisodeOutcome, Labels
from commonsense_planning.errors import BudgetError, PddlError, Place


@dataclass(frozen=True, kw_only=True)
class Run(EpisodeOutcome):
    status: str


@dataclass(frozen=True)
class Errand:
    """``does``: ``well``, ``fail``, ``fail once``, ``die``, ``die once``, ``stop``, ``wrong file`` or ``wait``, which
    writes down its process and continues once there is a file ``go``. Every start is a line in ``diary``; all other
    files are in the same folder."""

    name: str
    diary: Path
    does: str = "well"
    seconds: float = 0.0

    @property
    def labels(self) -> Labels:
        return Labels(key=self.name, suite="errands", setup="", command="", version="")

    def run(self) -> Run:
        first = self.name not in self.starts()
        with self.diary.open("a") as diary:
            diary.write(f"{self.name}\n")
        time.sleep(self.seconds)
        match self.does:
            case "fail" | "fail once" if first or self.does == "fail":
                raise ZeroDivisionError(f"{self.name} divided\nby zero")
            case "die" | "die once" if first or self.does == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "stop":
                raise BudgetError("all is spent")
            case "wrong file":
                raise PddlError(Place(Path("x.pddl"), 1, 2, "(x"), "there is no )")
            case "wait":
                self.pid_file.write_text(f"{os.getpid()}\n")
                while not self.diary.with_name("go").exists():
                    time.sleep(0.01)
        return Run(status="solved")

    @property
    def pid_file(self) -> Path:
        """Where ``wait`` tells its process."""
        return self.diary.with_name(f"{self.name}.pid")

    def starts(self) -> list[str]:
        """The names of all episodes that were started, in order."""
        return self.diary.read_text().split("\n") if self.diary.exists() else []


def errands(folder: Path, names: str = "abcdef", **does: str) -> list[Errand]:
    """An episode for each letter; ``does`` says what some of them do."""
    return [Errand(name, folder / "diary", does.get(name, "well")) for name in names]
