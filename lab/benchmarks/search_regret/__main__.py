"""How far searches are from the best that can be done, where the best is known exactly.

    python -m lab.benchmarks.search_regret [--family FAMILY…] [--problems A-B] [--agents AGENT…] [--jobs N] [-o FILE]
    python -m lab.benchmarks.search_regret --tables FILE… [--before FILE…]

The families:

- ``one``: one thing is hidden in up to 12 places; ``hard``: those of which greedy order errs by 1.10 or more;
- ``cells``, ``homes``: two or three things, each wanted at a place of its own, and one hand or two (``fetching.py``);
- ``chance``: all is seen, and actions fail by chance.

An agent is a registered method, ``NAME@N`` with N simulations a decision, or, of one thing, ``greedy``: the order by
probability over cost. The model's answers are no input: every agent starts with the problem's own prior. The agent's
steps to the goal are summed over all worlds, weighted by the prior, and divided by the least that any strategy can
expect; under chance they are expectations.

Problems are numbered from 0 and drawn by their number, so a run may be cut into slices, and two versions of the search
be compared on the same ones. ``-o`` appends a row per problem and agent, as a line of JSON; what it has, is not run
again. ``--tables`` prints what files of rows say, ``--before`` also the paired difference to those of another version.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np

from commonsense_planning.support.json_lines import entries
from commonsense_planning.support.statistics import difference
from lab.benchmarks.performance.table import head, line
from lab.benchmarks.search_regret.rows import COUNTS, Row, rows_of

AGENTS = ("llm-mcts", "llm-replan", "uct", "llm-mcts-paper")


def interval(values: Sequence[float]) -> str:
    """The mean with its 95 % interval."""
    return f"{difference(values):.4f}" if len(values) > 1 else f"{values[0]:.4f}"


def by_agent(rows: Iterable[Row], family: str) -> dict[str, dict[int, Row]]:
    """Agent → problem → the last row of it."""
    found: dict[str, dict[int, Row]] = {}
    for row in rows:
        if row["family"] == family:
            found.setdefault(row["agent"], {})[row["problem"]] = row
    return found


def paired(ours: dict[int, Row], others: dict[int, Row]) -> str:
    """The mean difference of ratios on the problems that both have."""
    both = sorted(ours.keys() & others.keys())
    return interval([ours[n]["ratio"] - others[n]["ratio"] for n in both]) if both else "–"


def table(family: str, rows: Sequence[Row], before: Sequence[Row]) -> None:
    """Prints one Markdown row per agent; the difference to the first agent is that agent's less this one's."""
    agents, earlier = by_agent(rows, family), by_agent(before, family)
    first = next(iter(agents))
    cells = ("mean ratio", "worst", "of problem", "≤ 1.05", "missed", "ms a decision", f"`{first}` less it")
    print(head(family, "problems", *cells, *(("less before",) if before else ())))
    for name, column in agents.items():
        ratios, worst = [row["ratio"] for row in column.values()], max(column.values(), key=lambda row: row["ratio"])
        near, missed = sum(r <= 1.05 for r in ratios), sum(row["missed"] for row in column.values())
        told = (f"{worst['ratio']:.3f}", worst["problem"], near, missed)
        pace = f"{np.mean([row['ms'] for row in column.values()]):.1f}"
        less = "–" if name == first else paired(agents[first], column)
        than_before = (paired(column, earlier.get(name, {})),) if before else ()
        print(line(f"`{name}`", len(column), interval(ratios), *told, pace, less, *than_before))
    of_kind = [row for row in rows if row["family"] == family and "hands" in row]
    for hands, things in sorted({(row["hands"], row["things"]) for row in of_kind}):
        part = by_agent((row for row in of_kind if (row["hands"], row["things"]) == (hands, things)), family)
        means = (f"`{name}` {np.mean([row['ratio'] for row in c.values()]):.4f}" for name, c in part.items())
        print(f"\n{things} things, hands {hands}: {', '.join(means)}", end="")
    print(flush=True)


def main() -> None:
    """Runs what is to be run, and prints the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.search_regret",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--family", nargs="+", default=["one", "hard"], choices=COUNTS, help="[one hard]")
    parser.add_argument("--problems", default="", metavar="A-B", help="numbers of the first and the last [all]")
    parser.add_argument("--agents", nargs="+", default=AGENTS, metavar="AGENT", help=f"[{' '.join(AGENTS)}]")
    parser.add_argument("--jobs", type=int, default=1, help="problems at a time [1]")
    parser.add_argument("--episodes", type=int, default=12, help="of each problem under chance and agent [12]")
    parser.add_argument("-o", "--out", type=Path, help="a file of rows to add to")
    parser.add_argument("--tables", nargs="+", type=Path, default=[], metavar="FILE", help="run nothing; print these")
    parser.add_argument("--before", nargs="+", type=Path, default=[], metavar="FILE", help="rows to compare with")
    given = parser.parse_args()
    before = [row for file in given.before for row in entries(file)]
    rows = [row for file in given.tables or [given.out] if file for row in entries(file)]
    if not given.tables:
        had = {(row["family"], row["problem"], row["agent"]) for row in rows}
        with multiprocessing.get_context("spawn").Pool(given.jobs) if given.jobs > 1 else nullcontext() as pool:
            apply = pool.imap if pool else map
            for family in given.family:
                low, _, high = given.problems.partition("-")
                numbers = range(int(low), int(high or low) + 1) if low else range(COUNTS[family])
                new = [(n, tuple(a for a in given.agents if (family, n, a) not in had)) for n in numbers]
                run = partial(rows_of, family, episodes=given.episodes)
                for done, found in enumerate(apply(run, [job for job in new if job[1]]), 1):
                    rows += found
                    if given.out:
                        with given.out.open("a", encoding="utf-8") as file:
                            file.writelines(json.dumps(row) + "\n" for row in found)
                    means = (
                        f"{agent} {np.mean([row['ratio'] for row in column.values()]):.4f}"
                        for agent, column in by_agent(rows, family).items()
                    )
                    print(f"\r\x1b[K{family}, {done} done: {', '.join(means)}", end="", file=sys.stderr, flush=True)
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    for family in dict.fromkeys(row["family"] for row in rows):
        table(family, rows, before)


if __name__ == "__main__":
    main()
