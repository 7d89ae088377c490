"""Random walks: apply an action, observe, list the applicable ones. Ours in one compiled call, the peers step by step
through their own interfaces. Seconds are the processor's, so that others at work on the machine disturb little."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.grounding.ground_task import NEVER
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state
from commonsense_planning.kernels.engine import sense_all, uniform_rollout
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.task import read_task
from lab.benchmarks.performance.homes import DOMAIN, write_home
from lab.benchmarks.performance.table import Row, at_least, figure, release

REPEATS = 5
SECONDS = 0.5  # of walking, per repeat
HORIZON = 1000  # steps of a roll-out
PEER_SECONDS = 20.0  # of a peer's walking, in all, but at least three steps …
PEER_STEPS = 2000  # … and at most these


@dataclass(frozen=True)
class Walkable:
    """A task to walk in, and the ``seconds`` that reading, grounding and compiling it took."""

    compiled: Compiled
    start: State
    operators: int
    seconds: float


def walkable(domain: Path, problem: Path) -> Walkable:
    """Reads, grounds and compiles a task as an agent meets it, with everything sensed that can be at the start.

    The goal is left out, as no peer tests it on a walk: nothing ends one.
    """
    started = time.process_time()
    task = read_task(domain, problem)
    ground, sensors = ground_pomdp(task.problem, task.sensors, task.contingent)
    compiled = compile_task(replace(ground, goal=NEVER), sensors)
    seconds = time.process_time() - started
    start = make_state(compiled, ground.init)
    sense_all(compiled.table, start)
    return Walkable(compiled, start, ground.operator_count, seconds)


def our_pace(task: Walkable) -> float:
    """Returns median steps per second of cplan's roll-outs of ``HORIZON`` random actions, each from the start."""
    rng = np.array([1], np.uint64)
    buffer = np.empty(max(1, task.operators), np.int32)
    table = task.compiled.table
    uniform_rollout(table, task.start.copy(), 10, 1.0, rng, buffer)
    paces = []
    for _ in range(REPEATS):
        steps, started = 0, time.process_time()
        while time.process_time() < started + SECONDS:
            uniform_rollout(table, task.start.copy(), HORIZON, 1.0, rng, buffer)
            steps += HORIZON
        paces.append(steps / (time.process_time() - started))
    return statistics.median(paces)


def pace_of(step: Callable[[], None]) -> tuple[float, int]:
    """Returns median steps per second of a peer, and how many steps it did: at least 3, at most those of
    ``PEER_SECONDS``."""
    step()
    times: list[float] = []
    while len(times) < 3 or (sum(times) < PEER_SECONDS and len(times) < PEER_STEPS):
        started = time.process_time()
        step()
        times.append(time.process_time() - started)
    return 1 / statistics.median(times), len(times)


def household(folder: Path) -> list[Row]:
    """Against unified-planning and Tarski, about 10,000 operators."""
    problem = write_home(10_000, folder)
    task = walkable(DOMAIN, problem)
    ours = our_pace(task)
    rows = []
    for name, peer, wanted in (("unified-planning", up_walk, 100_000), ("tarski", tarski_walk, 1_000)):
        started = time.process_time()
        step = peer(DOMAIN, problem)
        step()
        grounding = time.process_time() - started
        theirs, count = pace_of(step)
        note = (
            f"{release(name)}, {count} steps, first step after {figure(grounding)} s of reading and grounding; "
            f"ours after {figure(task.seconds)} s"
        )
        what = f"random walk, household, {task.operators:,} operators: {name}"
        rows.append(at_least(what, ours, theirs, wanted, note, "steps/s"))
    return rows


def strips(data: Path) -> list[Row]:
    """Against pyperplan, on the middle problems of two domains of the planning competition."""
    rows = []
    for domain, name in (("logistics00", "problogistics-34-1.pddl"), ("satellite", "p13-pfile13.pddl")):
        files = data / domain / "domain.pddl", data / domain / name
        task = walkable(*files)
        ours = our_pace(task)
        theirs, count = pace_of(pyperplan_walk(*files))
        note = f"{release('pyperplan')}, {count} steps"
        what = f"random walk, {domain} {name.removesuffix('.pddl')}, {task.operators:,} operators: pyperplan"
        rows.append(at_least(what, ours, theirs, 100, note, "steps/s"))
    return rows


def walk(state: Any, applicable: Callable[[Any], list[Any]], after: Callable[[Any, Any], Any]) -> Callable[[], None]:
    """Returns a step of a random walk from a state, by what is applicable there and what comes after an action."""
    rng, actions = random.Random(1), applicable(state)

    def step() -> None:
        nonlocal state, actions
        state = after(state, rng.choice(actions))
        actions = applicable(state)

    return step


def up_walk(domain: Path, problem: Path) -> Callable[[], None]:
    """One step of a random walk with unified-planning's SequentialSimulator."""
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import SequentialSimulator, get_environment

    get_environment().credits_stream = None
    simulator = SequentialSimulator(PDDLReader().parse_problem(str(domain), str(problem)))
    return walk(
        simulator.get_initial_state(),
        lambda state: list(simulator.get_applicable_actions(state)),
        lambda state, chosen: simulator.apply_unsafe(state, *chosen),
    )


def tarski_walk(domain: Path, problem: Path) -> Callable[[], None]:
    """One step of a random walk with Tarski's GroundForwardSearchModel, on operators from its logic-program grounding.

    Tarski's own reader refuses some files, so the problem comes from ours, which builds Tarski's.
    """
    from tarski.grounding import LPGroundingStrategy
    from tarski.search import GroundForwardSearchModel
    from tarski.search.operations import progress as tarski_progress
    from tarski.syntax.transform.action_grounding import ground_schema_into_plain_operator_from_grounding

    read = read_problem(domain, problem).tarski
    bindings = LPGroundingStrategy(read).ground_actions()
    operators = [
        ground_schema_into_plain_operator_from_grounding(read.actions[name], binding)
        for name, found in bindings.items()
        for binding in found
    ]
    model = GroundForwardSearchModel(read, operators)
    return walk(model.init(), lambda state: list(model.applicable(state)), tarski_progress)


def pyperplan_walk(domain: Path, problem: Path) -> Callable[[], None]:
    """One step of a random walk with pyperplan's operators. Its own ``get_successor_states`` applies all applicable
    operators, which a walk does not want: here they are only listed, as that function lists them. It keeps operators
    that the goal does not need, as ours does."""
    from pyperplan.grounding import ground as pyperplan_ground
    from pyperplan.pddl.parser import Parser

    parser = Parser(str(domain), str(problem))
    parsed = parser.parse_problem(parser.parse_domain())
    task = pyperplan_ground(parsed, remove_irrelevant_operators=False)
    return walk(
        task.initial_state,
        lambda state: [operator for operator in task.operators if operator.applicable(state)],
        lambda state, operator: operator.apply(state),
    )
