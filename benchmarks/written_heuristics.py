"""The whole table of docs/heuristics.md, with what a large model wrote, from its recorded answers.

    python -m benchmarks.written_heuristics benchmarks ../shared/data/recordings/heuristics
    python -m benchmarks.written_heuristics benchmarks ../shared/data/recordings/heuristics -- --seconds 300 --every 27

The first folder has the planning competition's learning track of 2023, the second a recording DOMAIN.jsonl for each
domain. The heuristics are chosen among the recorded ones on training problems, into ``out/heuristics``; then solvers
get the test problems, one at a time. What is there already is not done again: the same command goes on. Behind ``--``
stand further options of ``cplan bench heuristics``, such as ``--solvers gbfs,fd-lama,llm-heuristic``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from commonsense_planning.studies.heuristics.benchmarks import training

OUT = Path("out/heuristics")
PROMPTS = Path(__file__).with_name("prompts-2026-11")  # what was asked when the answers were recorded
MODEL = "openai:large-2026-11"
TRAINING = 5
SOLVERS = "fd-ff,fd-lama,gbfs,pyperplan,hand-written,llm-heuristic"


def cplan(*words: str | Path) -> None:
    """Run a command of cplan's with this Python."""
    code = "import sys; from commonsense_planning.cli.main import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", code, *map(str, words)], check=True)


def main() -> None:
    """Write what is missing of the heuristics, and of the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
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
