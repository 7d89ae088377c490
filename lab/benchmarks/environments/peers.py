"""What others offer for the same loop, each through its own interface: pddlgym's environment, and pymimir's states and
actions."""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

STRIPS = Path(__file__).with_name("household-strips.pddl")
EPISODE = 200  # steps after which a loop begins again


def strips_problem(problem: Path) -> str:
    """Returns a problem of the household, rewritten for ``household-strips.pddl``."""
    text = re.sub(r";.*", "", problem.read_text(encoding="utf-8"))
    rooms = re.search(r"\(:objects\s+(.*?) - room", text, re.DOTALL)
    here = re.search(r"\(in-room (\w+)\)", text)
    assert rooms is not None and here is not None
    lids = set(re.findall(r"\(openable (\w+)\)", text)) - set(re.findall(r"\(opened (\w+)\)", text))
    middles = [(f"middle-{room}", room) for room in rooms[1].split()]
    facts = [f"(located {middle} {room})" for middle, room in middles] + [f"(near middle-{here[1]})"]
    facts += [f"(closed {container})" for container in sorted(lids)]
    text = text.replace("(:domain household)", "(:domain household-strips)")
    text = text.replace("(:objects", f"(:objects {' '.join(middle for middle, _ in middles)} - middle")
    return text.replace("(:init", f"(:init {' '.join(facts)}")


def pddlgym_loop(domain: Path, problem: Path) -> Callable[[], int]:
    """Returns a random walk with pddlgym, which lists what is applicable (``dynamic_action_space``); gives its steps.
    It reads all problems of a folder: that of ``problem``."""
    with _silent():
        from pddlgym.core import PDDLEnv

        env = PDDLEnv(str(domain), str(problem.parent), operators_as_actions=True, dynamic_action_space=True)
        state, _ = env.reset()
        env.action_space.all_ground_literals(state)  # grounds, and prints it
    rng = random.Random(0)
    steps = 0

    def step() -> int:
        nonlocal state, steps
        action = rng.choice(sorted(env.action_space.all_ground_literals(state)))
        state, _, done, *_ = env.step(action)
        steps += 1
        if done or steps % EPISODE == 0:
            state, _ = env.reset()
        return 1

    return step


def pymimir_loop(domain: Path, problem: Path) -> Callable[[], int]:
    """Makes a random walk with pymimir, grounded, with the goal tested in each state; returns its steps."""
    import pymimir

    with _silent():
        task = pymimir.Problem(pymimir.Domain(domain), problem, mode="grounded")
    first, goal = task.get_initial_state(), task.get_goal_condition()
    rng = random.Random(0)
    state, steps = first, 0

    def step() -> int:
        nonlocal state, steps
        state = rng.choice(state.generate_applicable_actions()).apply(state)
        steps += 1
        if goal.holds(state) or steps % EPISODE == 0:
            state = first
        return 1

    return step


@contextmanager
def _silent() -> Iterator[None]:
    """Discards standard output and error, also of compiled code."""
    sys.stdout.flush()
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for number in (*kept, nowhere):
            os.close(number)
