"""Batched simulation: kernels that step many copies of one world, each with its own random stream, for reinforcement
learning. The slow twin: ``ReferenceWorld`` of ``tests/kernels/reference.py``.

A call steps a range of copies: threads take ranges that do not overlap, and the result of a copy does not depend on the
others. Observations and masks are updated only where something has changed, not rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import compiled as layout
from commonsense_planning.kernels.compiled import Compiled, State, make_state, pack
from commonsense_planning.kernels.engine import (
    applicable_actions,
    carry_out,
    copy,
    draw_outcome,
    failed,
    holds,
    infer_groups_of,
    is_applicable,
    random_below,
    sense_all,
    set_bit,
    trailing_zeros,
)
from commonsense_planning.kernels.kernel import (
    BytePlanes,
    ByteRows,
    Bytes,
    ConstState,
    Flags,
    Floats,
    Int32Rows,
    Int64,
    Sets,
    Table,
    check_signals,
    kernel,
)

Bits = npt.NDArray[np.bool_]

TRIES = 100  # most worlds that are drawn until one is neither solved nor failed initially
_ONE = np.uint64(1)


class Start(NamedTuple):
    """The beginning of an episode. ``state`` uint64 (words,): the initial state, before sensing, without drawn facts.
    Of each row of ``choices``, int32 (choices, widest), one of the first ``sizes[c]`` facts is made true, uniformly; -1
    means none."""

    state: State
    choices: Int32Rows
    sizes: Int32


class BatchedWorlds(NamedTuple):
    """Copies of a world, one per row.

    ``states`` uint64 (batch, words). ``observations`` int8 (batch, layers, facts), 0 or 1: layer 0 is which facts are
    known to be true, layer 1, if anything is hidden, which facts are known; ``shown`` uint64 (batch, words): the same
    as bits. ``masks`` int8 (batch, operators): 1 for the applicable ones, or (batch, 0) if masks are not needed.
    ``applicable`` int32 (batch, operators): the first ``counts[i]`` of row i are the applicable ones in copy i.
    ``streams`` uint64 (batch, 1): random numbers. ``steps`` int64 (batch,): of the episode. ``over`` 0 or 1 (batch,):
    whether the episode has ended. ``work`` int32 (batch, ``WORK``): working memory.
    """

    states: Sets
    observations: BytePlanes
    shown: Sets
    masks: ByteRows
    applicable: Int32Rows
    counts: Int64
    streams: Sets
    steps: Int64
    over: Flags
    work: Int32Rows


class Outcomes(NamedTuple):
    """The results of a step, one entry per copy: ``rewards`` float64, ``terminated`` and ``truncated`` 0 or 1
    (batch,)."""

    rewards: Floats
    terminated: Flags
    truncated: Flags

    @classmethod
    def empty(cls, count: int) -> Outcomes:
        return cls(np.zeros(count), np.zeros(count, np.uint8), np.zeros(count, np.uint8))


def start_of(task: Compiled, init: Bits, choices: Sequence[Sequence[int]]) -> Start:
    """Copies begin as in ``init``, bool (facts,), except for the facts of ``choices``: one of each is drawn, -1 for
    none."""
    table = np.full((len(choices), max(map(len, choices), default=0)), -1, np.int32)
    init = init.copy()
    for c, facts in enumerate(choices):
        table[c, : len(facts)] = facts
        init[[fact for fact in facts if fact >= 0]] = False
    state = make_state(task, init)
    state[task.half :] &= pack(np.ones_like(init), task.half)[: task.words - task.half]  # no knowledge past the facts
    return Start(state, table, np.array([len(facts) for facts in choices], np.int32))


def new_batch(task: Compiled, facts: int, count: int, masked: bool) -> BatchedWorlds:
    """Copies without an episode, with ``masks`` only if ``masked``."""
    operators, layers = task.operator_count, 1 + int(task.words > task.half)
    return BatchedWorlds(
        np.zeros((count, task.words), np.uint64),
        np.zeros((count, layers, facts), np.int8),
        np.zeros((count, task.words), np.uint64),
        np.zeros((count, operators if masked else 0), np.int8),
        np.zeros((count, operators), np.int32),
        np.zeros(count, np.int64),
        np.zeros((count, 1), np.uint64),
        np.zeros(count, np.int64),
        np.zeros(count, np.uint8),
        np.zeros((count, int(task.table[layout.WORK])), np.int32),
    )


@kernel
def goal_true(t: Table, state: ConstState) -> bool:
    """Whether a disjunct of the goal holds, known or not: that is the reward."""
    facts = 64 * t[layout.HALF]
    for d in range(t[layout.DISJUNCTS]):
        row, met = t[layout.GOAL] + 2 * d, True
        for k in range(t[row], t[row + 1]):
            met = met and (t[k] >= facts or holds(state, t[k]))
        row = t[layout.NGOAL] + 2 * d
        for k in range(t[row], t[row + 1]):
            met = met and not holds(state, t[k])
        if met:
            return True
    return False


@kernel
def _turn(shown: State, w: int, word: np.uint64, layer: Bytes, first: int) -> None:
    """Sets word ``w`` of ``shown``, and its bytes in the layer from ``first`` on, to ``word``."""
    changes = shown[w] ^ word
    shown[w] = word
    while changes != 0:
        bit = trailing_zeros(changes)
        changes &= changes - _ONE
        layer[first + bit] = int((word >> np.uint64(bit)) & _ONE)


@kernel
def _show(t: Table, state: State, shown: State, observation: ByteRows) -> None:
    """Updates an observation, and the agent's conclusions: if a fact is newly known to be true, its groups become
    known, which the next round shows."""
    half = t[layout.HALF]
    if t[layout.WORDS] == half:
        for w in range(half):
            if state[w] != shown[w]:
                _turn(shown, w, state[w], observation[0], w << 6)
        return
    news = True
    while news:
        news = False
        for w in range(half):
            known = state[half + w]
            seen = state[w] & known  # known to be true
            if seen != shown[w]:
                fresh = seen & ~shown[w]
                if fresh != 0:
                    news = True
                    infer_groups_of(t, state, fresh, w)
                _turn(shown, w, seen, observation[0], w << 6)
            if known != shown[half + w]:
                _turn(shown, half + w, known, observation[1], w << 6)


@kernel
def _list(t: Table, batch: BatchedWorlds, i: int) -> None:
    """Lists the applicable operators of a copy, and marks them in its mask."""
    mask, listed, count = batch.masks[i], batch.applicable[i], batch.counts[i]
    if len(mask) > 0:
        for k in range(count):
            mask[listed[k]] = 0
    count = applicable_actions(t, batch.states[i], listed)
    batch.counts[i] = count
    if len(mask) > 0:
        for k in range(count):
            mask[listed[k]] = 1


@kernel
def _begin(t: Table, start: Start, batch: BatchedWorlds, i: int) -> None:
    state = batch.states[i]
    for _ in range(TRIES if len(start.sizes) > 0 else 1):
        copy(start.state, state)
        for c in range(len(start.sizes)):
            fact = start.choices[c, random_below(batch.streams[i], start.sizes[c])]
            if fact >= 0:
                set_bit(state, fact)
        if not goal_true(t, state) and failed(t, state) < 0:
            break
    sense_all(t, state)
    for w in range(t[layout.HALF]):
        batch.shown[i, w] = 0  # so that everything known to be true is new
    batch.observations[i, 0, :] = 0
    _show(t, state, batch.shown[i], batch.observations[i])
    _list(t, batch, i)
    batch.steps[i] = 0
    batch.over[i] = 0


@kernel
def begin_batch(t: Table, start: Start, batch: BatchedWorlds, first: int, last: int) -> None:
    """Begins an episode in the copies from ``first`` to ``last``. A world in which the goal holds initially, or a
    constraint is violated, is drawn again, at most ``TRIES`` times."""
    for i in range(first, last):
        check_signals()
        _begin(t, start, batch, i)


@kernel
def step_batch(
    t: Table,
    start: Start,
    batch: BatchedWorlds,
    operators: Int64,
    step_cost: float,
    max_steps: int,
    outcomes: Outcomes,
    first: int,
    last: int,
) -> None:
    """Carries out ``operators[i]``, in [0, operators), in each copy i from ``first`` to ``last``, and senses. An
    operator stands for its action, whose outcome is drawn.

    An operator that the agent does not know to be applicable changes nothing. The reward is 1 if the goal holds, known
    or not, and no constraint is violated, minus ``step_cost``; either terminates the episode, and ``max_steps`` steps
    truncate it (0: never). In a copy whose episode is over, the next one begins instead, with a reward of 0.
    """
    for i in range(first, last):
        check_signals()
        if batch.over[i]:
            _begin(t, start, batch, i)
            outcomes.rewards[i] = 0.0
            outcomes.terminated[i] = 0
            outcomes.truncated[i] = 0
            continue
        state = batch.states[i]
        if is_applicable(t, state, operators[i]):
            carry_out(t, state, draw_outcome(t, operators[i], batch.streams[i]), batch.work[i])
            _show(t, state, batch.shown[i], batch.observations[i])
            _list(t, batch, i)
        lost = failed(t, state) >= 0
        won = goal_true(t, state) and not lost
        batch.steps[i] += 1
        outcomes.rewards[i] = (1.0 if won else 0.0) - step_cost
        outcomes.terminated[i] = won or lost
        outcomes.truncated[i] = 0 < max_steps <= batch.steps[i]
        batch.over[i] = outcomes.terminated[i] | outcomes.truncated[i]


@kernel
def draw_operators(batch: BatchedWorlds, numbers: Floats, out: Int64) -> None:
    """Draws an applicable operator for each copy, uniformly, by ``numbers``, float64 (batch,), in [0, 1); 0 if none is
    applicable."""
    for i in range(len(out)):
        count = batch.counts[i]
        out[i] = batch.applicable[i, int(numbers[i] * count)] if count > 0 else 0
