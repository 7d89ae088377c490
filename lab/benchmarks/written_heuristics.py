"""The whole table of lab/docs/heuristics.md, with what a large model wrote, from its recorded answers.

    python -m lab.benchmarks.written_heuristics benchmarks ../shared/data/recordings/heuristics
    python -m lab.benchmarks.written_heuristics benchmarks ../shared/data/recordings/heuristics -- --every 27
    python -m lab.benchmarks.written_heuristics --collection classical ../shared/data/recordings/2026-11-26/heuristics

The first folder has the planning competition's learning track of 2023, the second a recording DOMAIN.jsonl for each
domain. The heuristics are chosen among the recorded ones on training problems, into ``out/heuristics``; then solvers
get the test problems, one at a time. Finished problems are skipped, so the same command resumes. After ``--`` there
may be further options of ``cplan bench heuristics``, such as ``--solvers gbfs,fd-lama,llm-heuristic``.

``--collection``, which comes first: the first folder is ``classical`` of the public collection (AI-Planning's
classical-domains). Twelve of its domains, none of them of the learning track, are laid out like those in
``out/collection``: of a domain's problems by size the five in the middle are for tests, the smaller ones for training.
A heuristic for each is chosen, unrepaired; then ``cplan solve --method gbfs`` gets every test problem with it and
without, 30 s each, and the rows go to lab/docs/data.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
from pathlib import Path

from commonsense_lab.studies.heuristics.benchmarks import problems, training
from commonsense_planning import __version__
from lab.benchmarks.performance.whole_process import CPLAN
from lab.benchmarks.recordings import MODELS, RECORDINGS, TRAINING, Recorded
from lab.benchmarks.written_plans import solved

OUT = Path("out/heuristics")
TESTED = 5
COLLECTION = {
    "barman": "barman-sat11-strips",
    "depot": "depot",
    "driverlog": "driverlog",
    "freecell": "freecell",
    "hiking": "hiking-sat14-strips",
    "logistics": "logistics00",
    "parking": "parking-sat11-strips",
    "storage": "storage",
    "termes": "termes-sat18",
    "tpp": "tpp",
    "visitall": "visitall-sat14-strips",
    "zenotravel": "zenotravel",
}
"""Domain → its folder in the public collection."""
THEN, NOW = RECORDINGS["heuristics"], RECORDINGS["heuristics-2"]
SOLVERS = "fd-ff,fd-lama,gbfs,pyperplan,hand-written,llm-heuristic"


def cplan(*words: str | Path, check: bool = True) -> None:
    """Runs a command of cplan's with this Python."""
    subprocess.run([*CPLAN, *map(str, words)], check=check)


def lay_out(data: Path, folder: Path) -> None:
    """Copies the twelve domains of the collection to ``folder``."""
    for name, original in COLLECTION.items():
        problems = sorted(
            (file for file in (data / original).glob("*.pddl") if "domain" not in file.name),
            key=lambda file: (file.stat().st_size, file.name),
        )
        middle = (len(problems) - TESTED) // 2
        for level, files in (("training/easy", problems[:middle]), ("testing/medium", problems[middle:][:TESTED])):
            (folder / name / level).mkdir(parents=True, exist_ok=True)
            for file in files:
                shutil.copy(file, folder / name / level)
        shutil.copy(data / original / "domain.pddl", folder / name)


def choose(recorded: Recorded, data: Path, recording: Path, folder: Path) -> None:
    """Chooses among the recorded heuristics of a domain by its training problems, unless it is done."""
    domain, file = recording.stem, folder / f"{recording.stem}.py"
    if not file.exists():
        files = data / domain / "domain.pddl", *training(data, domain, TRAINING)
        asked: tuple[str | Path, ...] = (
            "--model",
            MODELS[recorded.date],
            "--replay",
            recording,
            *recorded.bench.split(),
        )
        cplan("write-heuristic", *files, "-o", file, "--quiet", *asked)


def beside_gbfs(data: Path, heuristics: Path) -> None:
    """Solves every test problem of the twelve domains with ``gbfs``, without and with the heuristic; a row each, with
    the processor time of cplan in seconds, which tells how idle the core was."""
    done = NOW.rows.read_text(encoding="utf-8").splitlines() if NOW.rows.exists() else []
    known = {(row["domain"], row["problem"], row["variant"]) for row in map(json.loads, done)}
    for domain in COLLECTION:
        for _, problem in problems(data, domain, 1):
            for variant, options in (("gbfs", ()), ("written", ("--heuristic", heuristics / f"{domain}.py"))):
                labels = {"domain": domain, "problem": problem.stem, "variant": variant}
                if tuple(labels.values()) not in known:
                    before = resource.getrusage(resource.RUSAGE_CHILDREN)
                    row = labels | solved(data / domain / "domain.pddl", problem, *options)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                    row |= {"processor_seconds": round(used, 3), "version": __version__}
                    with NOW.rows.open("a", encoding="utf-8") as stream:
                        stream.write(f"{json.dumps(row, sort_keys=True)}\n")


def of_collection(data: Path, recordings: Path) -> None:
    """What is missing of the heuristics and of the rows for the twelve domains."""
    folder, heuristics = OUT.with_name("collection"), OUT.with_name("collection-heuristics")
    lay_out(data, folder)
    heuristics.mkdir(parents=True, exist_ok=True)
    for domain in COLLECTION:
        choose(NOW, folder, recordings / f"{domain}.jsonl", heuristics)
    beside_gbfs(folder, heuristics)


def main() -> None:
    """Writes what is missing of the heuristics, and of the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("options", nargs="*")
    parser.add_argument("--collection", action="store_true")
    given = parser.parse_args()
    if given.collection and given.options:
        parser.error("--collection takes no options behind --")
    if given.collection:
        of_collection(given.data, given.recordings)
        return
    OUT.mkdir(parents=True, exist_ok=True)
    recordings = sorted(given.recordings.glob("*.jsonl"))
    for recording in recordings:
        choose(THEN, given.data, recording, OUT)
    domains = ",".join(recording.stem for recording in recordings)
    how = ("--data", given.data, "--domains", domains, "--solvers", SOLVERS, "--heuristics", OUT, "--workers", "1")
    cplan("bench", "heuristics", *how, "-o", OUT / "rows", *given.options)


if __name__ == "__main__":
    main()
