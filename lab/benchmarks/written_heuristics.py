"""The whole table of lab/docs/heuristics.md, with what a large model wrote, from its recorded answers.

    python -m lab.benchmarks.written_heuristics benchmarks ../shared/data/recordings/heuristics
    python -m lab.benchmarks.written_heuristics benchmarks ../shared/data/recordings/heuristics -- --seconds 300 --every 27
    python -m lab.benchmarks.written_heuristics --collection classical asked -- --seconds 30

The first folder has the planning competition's learning track of 2023, the second a recording DOMAIN.jsonl for each
domain. The heuristics are chosen among the recorded ones on training problems, into ``out/heuristics``; then solvers
get the test problems, one at a time. What is there already is not done again: the same command goes on. Behind ``--``
stand further options of ``cplan bench heuristics``, such as ``--solvers gbfs,fd-lama,llm-heuristic``.

``--collection``, which comes first: the first folder is ``classical`` of the public collection (AI-Planning's
classical-domains). Twelve of its domains, none of them of the learning track, are laid out like those in
``out/collection``: of a domain's problems by size the five in the middle are for tests, the smaller ones for training.
What is not recorded is asked later: a question a domain stands in the second folder then, ``cplan answer`` takes the
answer, and the same command goes on. The model's solver joins once all twelve have a heuristic.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from commonsense_lab.studies.heuristics.benchmarks import training

OUT = Path("out/heuristics")
PROMPTS = Path(__file__).with_name("prompts-2026-11")  # what was asked when the answers were recorded
MODEL = "openai:large-2026-11"
TRAINING = 5
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
SOLVERS = "fd-ff,fd-lama,gbfs,pyperplan,hand-written,llm-heuristic"


def cplan(*words: str | Path, check: bool = True) -> None:
    """Run a command of cplan's with this Python."""
    code = "import sys; from commonsense_planning.cli.main import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", code, *map(str, words)], check=check)


def lay_out(data: Path, folder: Path) -> None:
    """Copy the twelve domains of the collection to ``folder``."""
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


def of_collection(data: Path, recordings: Path, options: list[str]) -> None:
    """What is missing of the questions, the heuristics and the rows for the twelve domains."""
    folder, heuristics = OUT.with_name("collection"), OUT.with_name("collection-heuristics")
    lay_out(data, folder)
    for path in (recordings, heuristics):
        path.mkdir(parents=True, exist_ok=True)
    for name in COLLECTION:
        if not (heuristics / f"{name}.py").exists():
            files = folder / name / "domain.pddl", *training(folder, name, TRAINING)
            asked = (
                "--candidates",
                "2",
                "--repairs",
                "3",
                "--model",
                MODEL,
                "--ask-later",
                recordings / f"{name}.jsonl",
            )
            cplan("write-heuristic", *files, "-o", heuristics / f"{name}.py", "--quiet", *asked, check=False)
    written = all((heuristics / f"{name}.py").exists() for name in COLLECTION)
    how: list[str | Path] = ["--data", folder, "--every", "1", "--workers", "1", "-o", OUT.with_name("collection-rows")]
    how += ["--heuristics", heuristics, "--solvers", "gbfs,llm-heuristic"] if written else ["--solvers", "gbfs"]
    cplan("bench", "heuristics", *how, *options)


def main() -> None:
    """Write what is missing of the heuristics, and of the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("options", nargs="*")
    parser.add_argument("--collection", action="store_true")
    given = parser.parse_args()
    if given.collection:
        of_collection(given.data, given.recordings, given.options)
        return
    OUT.mkdir(parents=True, exist_ok=True)
    recordings = sorted(given.recordings.glob("*.jsonl"))
    for recording in recordings:
        domain, file = recording.stem, OUT / f"{recording.stem}.py"
        if not file.exists():
            problems = training(given.data, domain, TRAINING)
            asked = ("--candidates", "2", "--repairs", "3", "--model", MODEL, "--prompts", PROMPTS)
            files = given.data / domain / "domain.pddl", *problems
            cplan("write-heuristic", *files, "-o", file, "--quiet", *asked, "--replay", recording)
    domains = ",".join(recording.stem for recording in recordings)
    how = ("--data", given.data, "--domains", domains, "--solvers", SOLVERS, "--heuristics", OUT, "--workers", "1")
    cplan("bench", "heuristics", *how, "-o", OUT / "rows", *given.options)


if __name__ == "__main__":
    main()
