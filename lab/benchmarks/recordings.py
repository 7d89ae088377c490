"""The recorded answers of large models: the command that made each file, and how far the file replays today.

    python -m lab.benchmarks.recordings [NAME…]

replays those of ``RECORDINGS``, which asks no model and takes some 40 minutes of processor time for all, and writes
down in ``lab/docs/data/replays.toml`` the names of a file's questions and how many of its episodes find all their
answers. ``make test-data`` replays a sample of each file, and fails where one episode less finds them. The rows of
episodes are kept as they were when the answers were new, without prompts and answers. ``planbench-2`` wants a checkout
of LLMs-Planning in ``CPLAN_DATA``, ``heuristics`` the planning competition's learning track there as ``learning``, and
``heuristics-2`` what ``benchmarks.written_heuristics --collection`` lays out; an episode of these two is a domain.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tomli_w

from commonsense_lab.runner.recording import Recording
from commonsense_lab.studies.heuristics.benchmarks import training
from commonsense_planning.cli.main import main as cplan
from tests.data import REPOSITORY, data_root

DOCS = REPOSITORY / "lab" / "docs" / "data"
REPLAYS = DOCS / "replays.toml"
FIRST, SECOND = "2026-11-23", "2026-11-26"
MODELS = {FIRST: "openai:large-2026-11", SECOND: "openai:large-2026-11b"}
ROWS = {FIRST: DOCS / "large-model", SECOND: DOCS / f"large-model-{SECOND}"}
TRAINING = 5
"""The training problems of a domain, for a program."""
AS_THEN = "--actions relevant --policy-as prior"  # the defaults of 0.2.0

Row = dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """A file of answers of a ``date``: what ``cplan bench`` was given, and the options of a ``sample``."""

    date: str
    file: str
    bench: str
    sample: str

    @property
    def folder(self) -> Path:
        """Where the answers of its date lie."""
        below = () if self.date == FIRST else (self.date,)
        return data_root().joinpath("recordings", *below)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder / f"{self.file}.jsonl"

    @property
    def episodes(self) -> int:
        """How many came to their end while it was recorded."""
        return sum(part.circumstances is not None for part in Recording(self.path).parts.values())

    @property
    def files(self) -> list[Path]:
        """The files with its answers."""
        return [self.path]

    @property
    def questions(self) -> list[str]:
        """The names and digests of the questions that were asked."""
        lines = (json.loads(line) for file in self.files for line in file.read_text(encoding="utf-8").splitlines())
        return sorted({name for line in lines for name in line.get("prompts", "").split()})

    @property
    def rows(self) -> Path:
        """Where the docs keep its rows."""
        return ROWS[self.date] / f"{self.file}.jsonl"

    def replay(self, out: Path, *options: str) -> list[Row]:
        """Returns the rows of the episodes that find all their answers, sorted by their keys."""
        own = [argument.format(data=data_root()) for argument in (*self.bench.split(), *options)]
        how = ("--model", MODELS[self.date], "--replay", str(self.path), "--quiet", "-o", str(out))
        cplan(["bench", *own, *how])  # 3 where some of it cannot be replayed
        found = out / "episodes.jsonl"
        lines = found.read_text(encoding="utf-8").splitlines() if found.is_file() else []
        return sorted(map(json.loads, lines), key=lambda row: str(row["key"]))


@dataclass(frozen=True)
class RecordedPrograms(Recorded):
    """A folder of a file for each domain: ``bench`` is what ``cplan write-heuristic`` was given, ``sample`` some of the
    domains, which lie in ``domains`` with their training problems."""

    domains: str

    @property
    def path(self) -> Path:
        return self.folder / self.file

    @property
    def files(self) -> list[Path]:
        return sorted(self.path.glob("*.jsonl"))

    @property
    def episodes(self) -> int:
        return len(self.files)

    def replay(self, out: Path, *options: str) -> list[Row]:
        """Returns a row for each program of the domains that find their answers, all where ``options`` names none."""
        found: list[Row] = []
        data = Path(self.domains.format(data=data_root()))
        for domain in options or [file.stem for file in self.files]:
            trace = out / f"{domain}.jsonl"
            files = data / domain / "domain.pddl", *training(data, domain, TRAINING)
            asked = "--model", MODELS[self.date], "--replay", self.path / f"{domain}.jsonl", *self.bench.split()
            told = "-o", out / f"{domain}.py", "--trace", trace, "--quiet"
            out.mkdir(parents=True, exist_ok=True)
            if not cplan(["write-heuristic", *map(str, (*files, *asked, *told))]):
                events = map(json.loads, trace.read_text(encoding="utf-8").splitlines())
                found += [{"key": domain, **event} for event in events if event["event"] == "candidate"]
        return found


_THREE = "llm-mcts,llm-replan,llm-policy"
RECORDINGS = {
    "household": Recorded(FIRST, "household", "household --tables 2,3,4,programs --repeats 1", "--tasks brush-teeth"),
    "rearrangement": Recorded(
        FIRST, "rearrangement", f"rearrangement --methods {_THREE},expert --tasks 50 --seeds 1 {AS_THEN}", "--tasks 10"
    ),
    "rearrangement-paper": Recorded(
        FIRST, "rearrangement-paper", f"rearrangement --methods paper --tasks 10 --seeds 1 {AS_THEN}", "--tasks 10"
    ),
    "flights": Recorded(
        FIRST,
        "flights",
        "flights {data}/openflights/airports.dat {data}/openflights/routes.dat --pairs 15",
        "--pairs 2",
    ),
    "misplaced": Recorded(
        FIRST,
        "misplaced",
        f"misplaced --methods {_THREE},look-nearest --tasks 8 --shares 0,0.5,1 {AS_THEN}",
        "--tasks 1",
    ),
    "kitchen": Recorded(FIRST, "kitchen", f"kitchen --methods {_THREE} --tasks 4 {AS_THEN}", "--tasks 1"),
    "household-2": Recorded(
        SECOND,
        "household-paper",
        "household --tables 2 --methods none,low,high --prompts paper --repeats 1",
        "--tasks brush-teeth",
    ),
    "rearrangement-2": Recorded(
        SECOND,
        "rearrangement",
        f"rearrangement --methods {_THREE} --tasks 50 --seeds 1 --actions relevant",
        "--tasks 10",
    ),
    "rearrangement-mcts-2": Recorded(
        SECOND,
        "rearrangement-mcts-paper",
        "rearrangement --methods llm-mcts-paper --prompts paper --tasks 10 --seeds 1",
        "--tasks 10",
    ),
    "rearrangement-policy-2": Recorded(
        SECOND,
        "rearrangement-policy-paper",
        "rearrangement --methods llm-policy --prompts paper --tasks 20 --seeds 1",
        "--tasks 10",
    ),
    "misplaced-2": Recorded(
        SECOND,
        "misplaced",
        f"misplaced --methods {_THREE},look-nearest --tasks 8 --shares 0.5,1 --actions relevant",
        "--tasks 1",
    ),
    "planbench-2": Recorded(
        SECOND,
        "planbench-mystery",
        "planbench --data {data}/LLMs-Planning --domains mystery_blocksworld --tasks 12 "
        "--kinds generation,verification,execution,optimality",
        "--tasks 2",
    ),
    "heuristics": RecordedPrograms(
        FIRST,
        "heuristics",
        f"--candidates 2 --repairs 3 --prompts {Path(__file__).with_name('prompts-2026-11')}",
        "ferry",
        "{data}/learning",
    ),
    "heuristics-2": RecordedPrograms(
        SECOND, "heuristics", "--candidates 2 --repairs 0", "zenotravel", str(REPOSITORY / "out" / "collection")
    ),
}


def keep(path: Path, rows: Sequence[Row]) -> None:
    """Writes rows to the docs' folder."""
    path.write_text("".join(f"{json.dumps(row, sort_keys=True)}\n" for row in rows), encoding="utf-8")


def listed() -> dict[str, Any]:
    """Returns what was written down of each recording."""
    return tomllib.loads(REPLAYS.read_text(encoding="utf-8"))


def _counted(rows: Sequence[Row]) -> int:
    return len({row["key"] for row in rows})


def main(names: Sequence[str]) -> None:
    """Replays these recordings, all where none is named."""
    found = listed()
    for name in names or RECORDINGS:
        recorded = RECORDINGS[name]
        with TemporaryDirectory() as folder:
            found[name] = {
                "file": str(recorded.path.relative_to(data_root())),
                "questions": recorded.questions,
                "episodes": recorded.episodes,
                "replayed": _counted(recorded.replay(Path(folder) / "all")),
                "sample": _counted(recorded.replay(Path(folder) / "sample", *recorded.sample.split())),
            }
        REPLAYS.write_text(tomli_w.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
