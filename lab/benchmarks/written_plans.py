"""VAL's verdicts on plans by written heuristics, and their lengths compared with those of ``gbfs --anytime``.

    python -m lab.benchmarks.written_plans DATA HEURISTICS [--anytime 3] [-o ROWS]

DATA has the learning track of 2023, HEURISTICS the chosen DOMAIN.py. Each ninth test problem has 30 s; of these each
``--anytime``-th has as long by ``gbfs --anytime``. What has a row in ROWS is not done again.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from statistics import fmean, median
from typing import Any

import click

from commonsense_lab.studies.heuristics.benchmarks import domains, problems
from lab.benchmarks.performance.whole_process import CPLAN

SECONDS = 30


def solved(domain: Path, problem: Path, *options: str | Path) -> dict[str, Any]:
    """Runs ``cplan solve --json``; returns some of its output."""
    command = ("solve", domain, problem, "--method", "gbfs", "--timeout", SECONDS, "--json", "--quiet", *options)
    run = subprocess.run([*CPLAN, *map(str, command)], capture_output=True, text=True, check=False)
    said: dict[str, Any] = json.loads(run.stdout or "{}")
    return {key: said.get(key) for key in ("status", "reason", "steps", "cost", "seconds", "validators")}


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.argument("heuristics", type=click.Path(path_type=Path))
@click.option("--anytime", default=3, help="Every n-th problem also by gbfs --anytime.")
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("out/written-plans.jsonl"))
def main(data: Path, heuristics: Path, anytime: int, out: Path) -> None:
    """Solves all problems and prints the results."""
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
    done = {(row["problem"], row["by"]) for row in rows}
    names = [name for name in domains(data) if (heuristics / f"{name}.py").exists()]
    files = [(name, file) for name in names for _, file in problems(data, name, 9)]
    some = files[anytime // 2 :: anytime]
    for by, name, file in [*(("written", *each) for each in files), *(("anytime", *each) for each in some)]:
        problem = str(file.relative_to(data))
        if (problem, by) in done:
            continue
        written = heuristics / f"{name}.py"
        way: tuple[str | Path, ...] = ("--anytime",) if by == "anytime" else ("--heuristic", written.absolute())
        rows.append({"problem": problem, "by": by, **solved(data / name / "domain.pddl", file, *way)})
        with out.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(rows[-1]) + "\n")
    plans = [row for row in rows if row["by"] == "written" and row["steps"] is not None]
    print(f"{len(plans)} of {len(files)} with a plan in {SECONDS} s")
    for judge in ("VAL", "replay"):
        print(f"{judge}: {dict(Counter((row['validators'] or {}).get(judge, 'not asked') for row in plans))}")
    mine = {row["problem"]: row["steps"] for row in plans}
    theirs = {row["problem"]: row["steps"] for row in rows if row["by"] == "anytime" and row["steps"] is not None}
    both = sorted(mine.keys() & theirs.keys())
    ratios = [mine[problem] / theirs[problem] for problem in both]
    asked = sum(row["by"] == "anytime" for row in rows)
    print(f"gbfs --anytime: {len(theirs)} of {asked}; of {len(both)} solved by both, steps over its: ", end="")
    print(f"mean {fmean(ratios):.3f}, median {median(ratios):.3f}, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
