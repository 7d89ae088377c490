"""How far searches are from the best that can be done.

    python -m lab.benchmarks.search_regret [--problems N] [--hard N] [--agents AGENT…] [--jobs N]
    python -m lab.benchmarks.search_regret --problems 0 --hard 0 --chance N [--episodes N] [--agents AGENT…]

An agent is a registered method, ``NAME@N`` with N simulations a decision, or ``greedy``: the order by probability over
cost. Of each problem the steps to the goal are summed over all worlds, weighted by the prior, and divided by the least
that any strategy can expect. Two tables: random problems, and problems sought out in which greedy errs by 1.10 or more.
The model's answers are no input: every agent starts with the problem's own prior. ``--chance``: N problems in which all
is seen and actions fail by chance; of an agent the expected steps, over the least.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lab.benchmarks.performance.table import head, line
from lab.benchmarks.search_regret import chance
from lab.benchmarks.search_regret.harness import GREEDY, Score, parsed, scores
from lab.benchmarks.search_regret.problems import HARD

AGENTS = ("greedy", "llm-mcts@1", "llm-mcts@10", "llm-mcts@100", "llm-replan", "llm-mcts-paper@100")


def table(title: str, numbers: Sequence[int], agents: Sequence[str], jobs: int) -> None:
    """Prints one Markdown row per agent, and meanwhile how far it is."""
    rows: list[list[Score]] = []
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for row in pool.imap(partial(scores, agents=agents), numbers):
            rows.append(row)
            means = ", ".join(f"{name} {np.mean([r[i].ratio for r in rows]):.3f}" for i, name in enumerate(agents))
            print(f"\r\x1b[K{len(rows)} of {len(numbers)}: {means}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    print(f"{title}: {len(rows)}\n")
    print(head("agent", "mean ratio", "worst", "of problem", "episodes missed", "s a problem"))
    for name, column in zip(agents, zip(*rows, strict=True), strict=True):
        ratios = np.array([score.ratio for score in column])
        missed, seconds = sum(score.missed for score in column), np.mean([score.seconds for score in column])
        worst = int(ratios.argmax())
        cells = (f"`{name}`", f"{ratios.mean():.4f}", f"{ratios[worst]:.3f}", numbers[worst], missed, f"{seconds:.2f}")
        print(line(*cells))
    print(flush=True)


def under_chance(count: int, episodes: int, agents: Sequence[str]) -> None:
    """Prints one Markdown row per agent."""
    found: dict[str, list[Score]] = {agent: [] for agent in agents if agent != GREEDY}
    for number, problem, values in chance.problems(count):
        with tempfile.TemporaryDirectory(prefix="cplan-chance-") as folder:
            task = problem.task(Path(folder))
            for agent, column in found.items():
                column.append(chance.score(task, values, *parsed(agent), episodes))
        print(f"\r\x1b[Kproblem {number}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    print(head(f"{count} problems under chance", "mean", "worst", "at most 1.05", "missed", "ms a step"))
    for agent, column in found.items():
        ratios, missed = np.array([score.ratio for score in column]), sum(score.missed for score in column)
        pace, near = 1000 * np.mean([score.seconds for score in column]), (ratios <= 1.05).sum()
        cells = (f"`{agent}`", f"{ratios.mean():.3f}", f"{ratios.max():.2f}", near, missed, f"{pace:.1f}")
        print(line(*cells))


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.search_regret", description=__doc__)
    parser.add_argument("--problems", type=int, default=200, help="random problems [200]")
    parser.add_argument("--hard", type=int, default=len(HARD), help=f"problems sought out [{len(HARD)}, all]")
    parser.add_argument("--agents", nargs="+", default=AGENTS, metavar="AGENT", help=f"[{' '.join(AGENTS)}]")
    parser.add_argument("--jobs", type=int, default=1, help="problems at a time [1]")
    parser.add_argument("--chance", type=int, default=0, help="problems under chance [0]")
    parser.add_argument("--episodes", type=int, default=12, help="of each problem under chance and agent [12]")
    given = parser.parse_args()
    if given.problems:
        table("Random problems", range(given.problems), given.agents, given.jobs)
    if given.hard:
        table("Problems sought out", HARD[: given.hard], given.agents, given.jobs)
    if given.chance:
        under_chance(given.chance, given.episodes, given.agents)


if __name__ == "__main__":
    main()
