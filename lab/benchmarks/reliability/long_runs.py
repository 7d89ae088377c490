"""Thousands of decisions in one process: do memory and open files stay as they are?

    python -m lab.benchmarks.reliability.long_runs [--decisions 10000] [--seed 0]

Episodes in homes that are seen in part, one after the other: the household's files are read, a method acts, by turns
``look-greedy``, ``llm-replan`` and ``llm-policy`` with the embedded model, and every fourth time an ``Agent`` is told
by a simulated robot what it sees. A decision is an action that was chosen and carried out. At ten marks the process is
measured: its resident memory, Python's objects, open files, threads and child processes. Lost is memory that has grown
by more than a twentieth since the second mark, and a file, thread or child more than there was then.
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from commonsense_planning.agent.agent import Agent
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.method import Event, Request
from commonsense_planning.methods.registry import METHODS, solve
from tests.agent.robots import Robot, household
from tests.scripted import HOUSEHOLD

PROBLEMS = ("small-apple", "demo", "two-apples", "plate-chicken", "cabinets-wineglass")
ACTING = ("look-greedy", "llm-replan", "llm-policy")
MARKS = 10
GROWTH = 1.05  # from the second mark to the last, at most
MOST_STEPS = 60


@dataclass(frozen=True)
class Mark:
    """The process after so many decisions: MiB of memory, Python's objects, open files, threads and children."""

    decisions: int
    memory: float
    objects: int
    files: int
    threads: int
    children: int

    @staticmethod
    def now(decisions: int) -> Mark:
        """What garbage there is has been collected."""
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        children = sum(
            len(path.read_text(encoding="ascii").split()) for path in Path("/proc/self/task").glob("*/children")
        )
        return Mark(
            decisions,
            pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
            len(gc.get_objects()),
            len([*Path("/proc/self/fd").iterdir()]) - 1,  # without the one that reads the list
            threading.active_count(),
            children,
        )

    def lost_since(self, before: Mark) -> list[str]:
        """What has grown."""
        grown = [name for name in ("files", "threads", "children") if getattr(self, name) > getattr(before, name)]
        return ["memory"] * (self.memory > GROWTH * before.memory) + grown


def decisions(seed: int) -> Iterator[str]:
    """Carry out episodes without end; the status of each, behind one empty text for each decision."""
    for number, (problem, method) in enumerate(itertools.cycle(itertools.product(PROBLEMS, (*ACTING, ""))), seed):
        task = household(HOUSEHOLD / "problems" / f"{problem}.pddl")
        if method:
            events: list[Event] = []
            chosen = METHODS[method]
            with Models() as models:
                request = Request(task, chosen, chosen.Options.of({"max_steps": MOST_STEPS}), models, number)
                ended = solve(Request(**{**vars(request), "emit": events.append}))
            yield from ("" for event in events if event["event"] == "step")
            yield str(ended.status)
            continue
        agent, robot = Agent(task, method="look-greedy", seed=number), Robot(task)
        seen = robot.initial()
        while (action := agent.act(seen)) is not None and len(robot.did) < MOST_STEPS:
            seen = robot.do(action)
            yield ""
        yield str(agent.status)
        agent.close()


@click.command()
@click.option("--decisions", "wanted", type=click.IntRange(min=MARKS), default=10_000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the first episodes.")
def main(wanted: int, seed: int) -> None:
    """Decide, and measure now and then."""
    marks, done, ended = list[Mark](), 0, dict[str, int]()
    print("| decisions | memory, MiB | Python's objects | open files | threads | children |\n|---|---|---|---|---|---|")
    for said in decisions(seed):
        if said:
            ended[said] = ended.get(said, 0) + 1
            continue
        done += 1
        if done % (wanted // MARKS) == 0:
            mark = Mark.now(done)
            marks.append(mark)
            figures = f"{mark.memory:.0f} | {mark.objects:,} | {mark.files} | {mark.threads} | {mark.children}"
            print(f"| {done:,} | {figures} |", flush=True)
            if done >= wanted:
                break
    lost = marks[-1].lost_since(marks[1])
    episodes = ", ".join(f"{count} {status}" for status, count in sorted(ended.items()))
    tried = f"tried {done:,} decisions in {sum(ended.values())} episodes ({episodes})"
    print(f"{tried}; lost: {', '.join(lost) or 'nothing'}")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
