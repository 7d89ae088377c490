"""Blocks whose actions fail: the setting that PlanU's table has (arXiv 2510.18442), for our methods.

Four blocks (pick up, put down, stack, unstack), two states drawn at random, the second one's towers for a goal; as many
tasks as are wanted of each least number of steps. Each try fails with a chance, and then nothing changes; an episode
has 12 tries, as PlanU's published code has it. ``at best``: who tries a shortest plan until it is done, exactly.

    python -m lab.benchmarks.failing_blocks [--tasks N] [--methods NAME,…] [--failures P] [--tries N]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import click
import numpy as np
from scipy.stats import binom

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.support.statistics import rate
from commonsense_planning.task import Task, read_task

BLOCKS = "abcd"
LENGTHS = (2, 4, 6, 8)
DOMAIN = """(define (domain failing-blocks) (:requirements :strips :probabilistic-effects)
  (:predicates (on ?x ?y) (on-table ?x) (clear ?x) (hand-empty) (holding ?x))
  (:action pick-up :parameters (?x) :precondition (and (clear ?x) (on-table ?x) (hand-empty))
    :effect (probabilistic {p} (and (not (on-table ?x)) (not (clear ?x)) (not (hand-empty)) (holding ?x))))
  (:action put-down :parameters (?x) :precondition (holding ?x)
    :effect (probabilistic {p} (and (not (holding ?x)) (clear ?x) (hand-empty) (on-table ?x))))
  (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y))
    :effect (probabilistic {p} (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (hand-empty) (on ?x ?y))))
  (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (hand-empty))
    :effect (probabilistic {p} (and (holding ?x) (clear ?y) (not (clear ?x)) (not (hand-empty)) (not (on ?x ?y))))))
"""


def towers(rng: np.random.Generator) -> list[list[str]]:
    """Some towers, each from the table up: a block begins a new one, or comes onto one, all equally probable."""
    found: list[list[str]] = []
    for block in rng.permutation([*BLOCKS]).tolist():
        where = int(rng.integers(len(found) + 1))
        if where == len(found):
            found.append([])
        found[where].append(block)
    return found


def on(state: list[list[str]]) -> list[str]:
    """What lies on what."""
    return [f"(on {x} {y})" for tower in state for y, x in zip(tower, tower[1:], strict=False)]


def problem(state: list[list[str]], goal: list[list[str]]) -> str:
    """The problem file."""
    ends = [f"(on-table {tower[0]}) (clear {tower[-1]})" for tower in state]
    return (
        f"(define (problem blocks) (:domain failing-blocks) (:objects {' '.join(BLOCKS)})\n"
        f"  (:init (hand-empty) {' '.join(on(state) + ends)})\n  (:goal (and {' '.join(on(goal))})))\n"
    )


def tasks(count: int, failures: float, folder: Path) -> Iterator[tuple[int, Task]]:
    """The first so many of each length that are drawn, with their lengths."""
    rng, kept = np.random.default_rng(34), dict.fromkeys(LENGTHS, 0)
    domain, certain = folder / "domain.pddl", folder / "certain.pddl"
    domain.write_text(DOMAIN.format(p=1 - failures), encoding="utf-8")
    certain.write_text(DOMAIN.format(p=1), encoding="utf-8")
    astar = method_named("astar")
    while min(kept.values()) < count:
        state, goal = towers(rng), towers(rng)
        if not on(goal):
            continue
        file = folder / f"problem-{sum(kept.values())}.pddl"
        file.write_text(problem(state, goal), encoding="utf-8")
        least = solve(Request(read_task(certain, file), astar, astar.Options.of({}))).plan
        length = len(least or ())
        if kept.get(length, count) < count:
            kept[length] += 1
            yield length, read_task(domain, file)


@click.command()
@click.option("--tasks", "count", default=100, help="Of each length.")
@click.option("--methods", default="llm-mcts,llm-replan,uct,llm-mcts-paper")
@click.option("--failures", default=0.2, help="The chance that a try fails.")
@click.option("--tries", default=12, help="Of an episode.")
def main(count: int, methods: str, failures: float, tries: int) -> None:
    """Run all and show the table."""
    with TemporaryDirectory() as name:
        drawn = list(tasks(count, failures, Path(name)))
        print(f"| steps at least | at best | {' | '.join(f'`{m}`' for m in methods.split(','))} |")
        print("|---" * (2 + len(methods.split(","))) + "|")
        for length in LENGTHS:
            mine = [task for least, task in drawn if least == length]
            cells = [f"{binom.sf(length - 1, tries, 1 - failures):.3f}"]
            for method in map(method_named, methods.split(",")):
                policy = {"policy": "uniform"} if method.name == "llm-mcts-paper" else {}
                options = method.Options.of({"max_steps": tries, **policy})
                found = [solve(Request(task, method, options, seed=seed)) for seed, task in enumerate(mine)]
                solved = [solution.status is Status.SOLVED for solution in found]
                share = rate(sum(solved), len(solved))
                cells.append(f"{fmean(solved):.2f} [{share.low:.2f}, {share.high:.2f}]")
            print(f"| {length} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
