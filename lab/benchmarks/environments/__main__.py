"""Steps per second of environments on a random walk: cplan's and others' in one run.

    python -m lab.benchmarks.environments [ROWS…] [--runs N] [--seconds S] [--copies N]

A step is an action drawn from the applicable ones, with observation, reward and, after 200 steps at the latest, a new
episode. Printed are medians, least and most, and steps a second of processor time. ``ROWS`` are parts of names.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import commonsense_planning as cplan
from lab.benchmarks.environments.peers import EPISODE, STRIPS, pddlgym_loop, pymimir_loop, strips_problem
from lab.benchmarks.performance.table import figure, machine, release

HOUSEHOLD = Path(__file__).parents[3] / "pddl" / "household"
Loop = Callable[[], int]
"""Continues a walk for a while, and returns its steps."""


class Row(NamedTuple):
    """A measurement: the ``task``, the ``loop`` as text, and what makes the loop. ``peer``: its library."""

    task: str
    loop: str
    make: Callable[[], Loop]
    peer: str = ""


class Files(NamedTuple):
    """A task as files, and ``hidden`` as our environments take it."""

    domain: Path
    problem: Path
    hidden: str


def vector_loop(files: Files, copies: int, from_mask: bool = False, **kwargs: Any) -> Loop:
    """Walks with all copies at once; ``from_mask``: NumPy draws actions from the mask, not ``draw_actions``."""
    env = gymnasium.make_vec("cplan/Task-v0", copies, max_episode_steps=EPISODE, **files._asdict(), **kwargs)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)

    def step() -> int:
        nonlocal info
        if from_mask:
            actions = (info["action_mask"] * rng.random(info["action_mask"].shape, np.float32)).argmax(axis=1)
        else:
            actions = env.unwrapped.draw_actions(rng)
        *_, info = env.step(actions)
        return copies

    return step


def single_loop(files: Files, **kwargs: Any) -> Loop:
    """One copy, as ``gymnasium.make`` makes it, wrappers and all."""
    env = gymnasium.make("cplan/Task-v0", max_episode_steps=EPISODE, **files._asdict(), **kwargs)
    world, rng = env.unwrapped, random.Random(0)
    env.reset(seed=0)

    def step() -> int:
        possible = world.applicable()
        *_, terminated, truncated, _ = env.step(possible[int(rng.random() * len(possible))])
        if terminated or truncated:
            env.reset()
        return 1

    return step


def successor_loop(files: Files) -> Loop:
    """cplan's successor generator from Python: no observation, no goal."""
    ground, compiled = cplan.read_task(files.domain, files.problem).seen_in_part
    generator, rng = cplan.TransitionModel(compiled), random.Random(0)
    start = cplan.make_state(compiled, ground.init)
    state, steps = start, 0

    def step() -> int:
        nonlocal state, steps
        possible = generator.applicable(state)
        state = generator.successor(state, int(possible[int(rng.random() * len(possible))]))
        steps += 1
        if steps % EPISODE == 0:
            state = start
        return 1

    return step


def environment_loop(files: Files) -> Loop:
    """Returns the environment of cplan's episodes, and a belief, which lists applicable actions."""
    ground, compiled = cplan.read_task(files.domain, files.problem).seen_in_part
    generator, rng = cplan.TransitionModel(compiled), random.Random(0)
    groups = compiled.sensors.groups
    even = [np.ones(len(groups.row(group))) for group in range(len(groups))]
    steps = 0

    def fresh() -> tuple[cplan.Environment, cplan.Belief]:
        world, belief = cplan.Environment(compiled, ground.init), cplan.Belief(compiled, even)
        belief.update(None, world.look())
        return world, belief

    world, belief = fresh()

    def step() -> int:
        nonlocal world, belief, steps
        possible = generator.applicable(belief.state())
        operator = int(possible[int(rng.random() * len(possible))])
        observation = world.step(operator)
        belief.update(operator, observation)
        steps += 1
        if observation.goal_reached or steps % EPISODE == 0:
            world, belief = fresh()
        return 1

    return step


def rows_of(folder: Path, copies: int) -> list[Row]:
    """Returns everything that can be measured; ``folder``: an empty one to write in."""
    demo, apple = (HOUSEHOLD / "problems" / f"{name}.pddl" for name in ("demo", "small-apple"))
    in_part, shown = (Files(HOUSEHOLD / "domain.pddl", demo, hidden) for hidden in ("drawn", "shown"))
    strips = []
    for problem in (demo, apple):
        own = folder / problem.stem
        own.mkdir()
        (own / "problem.pddl").write_text(strips_problem(problem), encoding="utf-8")
        strips.append(Files(STRIPS, own / "problem.pddl", "shown"))
    rows = []
    for mask, copy, threads in product((False, True), (False, True), (1, 2)):
        name = f"{copies} copies, {'with' if mask else 'no'} mask, {'new arrays' if copy else 'copy=False'}"
        name += f", {threads} thread" + "s" * (threads > 1)
        loop = partial(vector_loop, in_part, copies, action_mask=mask, copy=copy, threads=threads)
        rows.append(Row("demo", name, loop))
    rows += [
        Row("demo", f"{copies} copies, drawn from the mask with NumPy", partial(vector_loop, in_part, copies, True)),
        Row("demo", "single environment, with mask", partial(single_loop, in_part)),
        Row("demo", "single environment, no mask", partial(single_loop, in_part, action_mask=False)),
        Row("demo", "`TransitionModel` alone", partial(successor_loop, in_part)),
        Row("demo", "`Environment` and `Belief`", partial(environment_loop, in_part)),
    ]
    tasks = {"demo, nothing hidden": shown, "demo in STRIPS": strips[0], "small-apple in STRIPS": strips[1]}
    for task, files in tasks.items():
        fast = partial(vector_loop, files, copies, action_mask=False, copy=False, threads=2)
        rows.append(Row(task, f"{copies} copies, no mask, copy=False, 2 threads", fast))
        rows.append(Row(task, "single environment, with mask", partial(single_loop, files)))
        rows.append(Row(task, "", partial(pymimir_loop, files.domain, files.problem), "pymimir"))
        if files is not shown:  # it reads STRIPS
            rows.append(Row(task, "", partial(pddlgym_loop, files.domain, files.problem), "pddlgym"))
    return rows


class Pace(NamedTuple):
    """Steps a second by the clock, and by the time that the processors worked."""

    clock: float
    work: float


def pace(loop: Loop, seconds: float) -> Pace:
    """Returns the pace of a run of at least that long and of three calls."""
    steps, calls, started, worked = 0, 0, time.perf_counter(), time.process_time()
    while calls < 3 or time.perf_counter() < started + seconds:
        steps += loop()
        calls += 1
    return Pace(steps / (time.perf_counter() - started), steps / (time.process_time() - worked))


def main() -> None:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.environments")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="parts of names of rows to measure")
    parser.add_argument("--runs", type=int, default=5, help="runs of each row [5]")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a run [0.5]")
    parser.add_argument("--copies", type=int, default=256, help="of the vector environment [256]")
    given = parser.parse_args()
    cplan.register_envs()
    heading = "| task | loop | steps/s, median | least – most | per second of work |"
    load = f"load average {os.getloadavg()[0]:.1f} at the start"
    print(f"{machine()}, {load}", "", heading, "|---|---|---|---|---|", sep="\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="cplan-bench-") as folder:
        loops: dict[Row, Loop] = {}
        for row in rows_of(Path(folder), given.copies):
            if row.peer and find_spec(row.peer) is None:
                print(f"{row.peer} is not installed: left out", file=sys.stderr)
            elif not given.rows or any(word in f"{row.task} {row.loop}{row.peer}" for word in given.rows):
                loops[row] = row.make()
        paces: dict[Row, list[Pace]] = {row: [] for row in loops}
        for run in range(given.runs + 1):
            for row, loop in loops.items():
                found = pace(loop, given.seconds)
                paces[row] += [found] if run else []  # the first one is for warming up
    for row, measured in paces.items():
        clock, work = zip(*measured, strict=True)
        called = row.loop or f"{release(row.peer)}, in Python"
        spread = f"{figure(min(clock))} – {figure(max(clock))}"
        medians = [figure(statistics.median(values)) for values in (clock, work)]
        print(f"| {row.task} | {called} | {medians[0]} | {spread} | {medians[1]} |")
    print(f"\nload average {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
