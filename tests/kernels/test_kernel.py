"""Kernels hear alarms and Ctrl-C while they run: every one that loops for long, on an input that takes it a second."""

import gc
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from commonsense_planning import make_state
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.delete_relaxation import FF
from commonsense_planning.heuristics.landmarks import find_landmarks
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.action_elimination import strike_out
from commonsense_planning.kernels.batched import begin_batch, new_batch, start_of
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.kernels.engine import progress_all, states_along, uniform_rollout
from commonsense_planning.kernels.landmarks import acyclic
from commonsense_planning.kernels.mutexes import free_facts, non_mutex_pairs
from commonsense_planning.kernels.search_memory import STATES, fill_table
from commonsense_planning.search.classical import best_first, compiled_search, lazy
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.lazy import LazySearch
from tests.random_tasks import task_of

Call = Callable[[], Any]
Step = tuple[list[int], list[int], list[int], list[int], int]
RINGS, EVERY = 3, 0.06  # seconds; a kernel that hears nothing is told once, when it has ended


def counter(bits: int) -> GroundTask:
    """Bit i is true as fact 2i, and false as fact 2i + 1; from all false to all true takes 2^bits - 1 steps."""
    below = [[2 * k for k in range(i)] for i in range(bits)]
    steps: list[Step] = [
        ([*below[i], 2 * i + 1], [], [2 * i, *(f + 1 for f in below[i])], [2 * i + 1, *below[i]], 1)
        for i in range(bits)
    ]
    return task_of(2 * bits, steps, [2 * i for i in range(bits)], true=[2 * i + 1 for i in range(bits)])


def bits_to_set(count: int) -> GroundTask:
    """An operator makes true one fact of the goal, and another one false."""
    steps: list[Step] = [([count + i], [], [i], [count + i], 1) for i in range(count)]
    return task_of(2 * count, steps, list(range(count)), true=list(range(count, 2 * count)))


def chain(length: int) -> GroundTask:
    return task_of(length, [([i], [], [i + 1], [], 1) for i in range(length - 1)], [length - 1], true=[0])


def toggling() -> tuple[Any, Any]:
    task = task_of(3, [([0], [], [1], [0], 1), ([1], [], [0], [1], 1)], [2], true=[0])
    compiled = compile_task(task)
    return compiled, make_state(compiled, task.init)


def roll_out() -> Call:
    compiled, state = toggling()
    return lambda: uniform_rollout(compiled.table, state, 10**9, 1.0, np.ones(1, np.uint64), np.empty(2, np.int32))


def walk() -> Call:
    compiled, state = toggling()
    steps = np.tile(np.arange(2, dtype=np.int32), 8_000_000)
    return lambda: states_along(compiled.table, state, steps, np.zeros((len(steps) + 1, compiled.words), np.uint64))


def progression() -> Call:
    compiled, state = toggling()
    states = np.tile(state, (30_000_000, 1))
    return lambda: progress_all(compiled.table, states, 0)


def long_plan() -> tuple[Any, Any, Any]:
    """A compiled task, its initial state, and its only plan, of 131,071 steps."""
    task = counter(17)
    compiled = compile_task(task)
    plan = np.array([((n + 1) & -(n + 1)).bit_length() - 1 for n in range(2**17 - 1)], np.int32)
    return compiled, make_state(compiled, task.init), plan


def elimination() -> Call:
    compiled, state, plan = long_plan()
    return lambda: strike_out(compiled.table, state, plan, np.ones(len(plan), np.uint8), 2**60)


def search(kind: Callable[[Any], Call]) -> Callable[[pytest.MonkeyPatch], Call]:
    """A search in one slice, in memory that is large enough."""

    def made(monkeypatch: pytest.MonkeyPatch) -> Call:
        for module in (best_first, lazy):
            monkeypatch.setattr(module, "SLICE", 2**40)
        monkeypatch.setattr(compiled_search, "_CAPACITY", 2**21)
        monkeypatch.setattr(compiled_search, "_PLACES", 2**22)
        task = counter(40)
        compiled = compile_task(task)
        return kind((compiled, make_state(compiled, task.init)))

    return made


def cuts() -> Call:
    task = bits_to_set(9_000)
    compiled = compile_task(task)
    h, state = LMCut(compiled), make_state(compiled, task.init)
    return lambda: h(state)


def mutexes() -> Call:
    task = bits_to_set(12_000)
    compiled = compile_task(task)
    return lambda: non_mutex_pairs(compiled.table, make_state(compiled, task.init), free_facts(compiled))


def landmarks() -> Call:
    task = chain(20_000)
    compiled = compile_task(task)
    h = FF(compiled)
    return lambda: find_landmarks(h.relaxation, make_state(compiled, task.init), h.scratch)


def orders() -> Call:
    count = 7_000
    rows = np.packbits(np.tri(count, 64 * (count // 64 + 1), -1, np.bool_), axis=1, bitorder="little").view(np.uint64)
    return lambda: acyclic(rows, np.zeros_like(rows))


def rehashing() -> Call:
    states = np.arange(2**23, dtype=np.uint64).reshape(-1, 1)
    counts = np.zeros(64, np.int64)
    counts[STATES] = len(states)
    return lambda: fill_table(states, np.zeros(2**24, np.int32), counts)


def batch() -> Call:
    task = task_of(2_000, [([0], [], [1], [], 1)], [0], true=[0])
    compiled = compile_task(task)
    start = start_of(compiled, task.init, [[i] for i in range(1, 2_000)])
    worlds = new_batch(compiled, 2_000, 2_000, False)
    return lambda: begin_batch(compiled.table, start, worlds, 0, 2_000)


KERNELS: dict[str, Callable[..., Call]] = {
    "uniform_rollout": roll_out,
    "states_along": walk,
    "progress_all": progression,
    "strike_out": elimination,
    "lazy_slice": search(lambda given: lambda: LazySearch(FF(given[0])).greedy(given[1], None, None)),
    "eager_slice": search(lambda given: lambda: BestFirst(given[0], FF(given[0])).astar(given[1])),
    "lm_cut": cuts,
    "non_mutex_pairs": mutexes,
    "landmarks": landmarks,
    "acyclic": orders,
    "fill_table": rehashing,
    "begin_batch": batch,
}


def assert_is_interrupted(call: Call) -> None:
    """Fails where a call ends before it is told for the third time, which it can only be while it runs."""
    rung: list[int] = []

    def ring(number: int, _: object) -> None:
        rung.append(number)
        if len(rung) == RINGS:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    gc.disable()  # what is raised in Hypothesis's callback, which times the collector, is lost
    signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_interrupted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = KERNELS[name]
    assert_is_interrupted(made(monkeypatch) if name.endswith("_slice") else made())
