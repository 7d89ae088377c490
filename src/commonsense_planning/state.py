"""The contents of a state: which facts are true, and what the agent knows.

Outside the kernels a state is a value: it is made here, handed on, copied and compared, and looked at through a view.
That it is bits, and where which of them lie, only this module and the kernels know (``kernels.compiled``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled, State, make_state, pack, unpack
from commonsense_planning.kernels.engine import holds, set_bit

__all__ = [
    "FactSet",
    "State",
    "StateView",
    "States",
    "among",
    "fact_set",
    "facts_in",
    "make_state",
    "state_of",
    "with_facts",
]

Bits = npt.NDArray[np.bool_]
States = npt.NDArray[np.uint64]  # several, one in each row
FactSet = npt.NDArray[np.uint64]  # a set of facts as bits, for &, | and ~


class StateView:
    """A look at one state of a task, or at several in the rows of an array: each of the fields then has as many rows.

    ``state``: uint64 (words,) or (states, words), as ``make_state`` makes one.
    """

    __slots__ = ("_facts", "_half", "_words")

    def __init__(self, task: Compiled, state: State | States) -> None:
        self._words, self._half, self._facts = state, task.half, len(task.sensors.hidden)

    @property
    def true(self) -> FactSet:
        """The facts that are true, uint64 (…, n); what is written into it is written into the state."""
        return self._words[..., : self._half]

    @property
    def known(self) -> FactSet:
        """The facts of which the agent knows whether they are true, uint64 (…, n), likewise; all, where nothing is
        hidden."""
        if self._words.shape[-1] == self._half:
            return np.full_like(self._words, ~np.uint64(0))
        return self._words[..., self._half :]

    @property
    def truth(self) -> Bits:
        """Which facts are true, bool (…, facts)."""
        return self._flags(self.true)

    @property
    def knowledge(self) -> Bits:
        """Of which facts the agent knows whether they are true, bool (…, facts)."""
        return self._flags(self.known)

    @property
    def visible(self) -> State:
        """The state, or states, as the agent sees it: what it does not know is false."""
        state = self._words.copy()
        state[..., : self._half] &= self.known
        return state

    def holds(self, fact: int) -> bool:
        """Whether a fact is true, in one state."""
        return bool(holds(self._words, fact))

    def knows(self, fact: int) -> bool:
        """Whether the agent knows if a fact is true, in one state."""
        return len(self._words) == self._half or bool(holds(self._words, fact + 64 * self._half))

    def among(self, facts: Int32) -> Bits:
        """Which of some facts are true, bool (…, facts given)."""
        return among(self._words, facts)

    def _flags(self, facts: FactSet) -> Bits:
        octets: npt.NDArray[Any] = np.ascontiguousarray(facts).view(np.uint8)
        return np.unpackbits(octets, axis=-1, count=self._facts, bitorder="little").astype(np.bool_)


def among(words: FactSet, facts: Int32) -> Bits:
    """Which of some facts are in a set, or true in states, uint64 (…, n): bool (…, facts given)."""
    return (words[..., facts >> 6] >> (facts & 63).astype(np.uint64) & np.uint64(1)).astype(np.bool_)


def state_of(task: Compiled, true: FactSet, known: FactSet) -> State:
    """The state in which these facts are ``true``, and the agent knows of these whether they are, uint64 (n,) each."""
    return np.concatenate((true, known)) if task.words > task.half else true.copy()


def fact_set(task: Compiled, flags: Bits) -> FactSet:
    """The facts that are marked, bool (facts,), as a set."""
    return pack(flags, task.half)


def with_facts(state: State, facts: Iterable[int]) -> State:
    """A copy of the state in which these facts are true."""
    after = state.copy()
    for fact in facts:
        set_bit(after, fact)
    return after


def facts_in(facts: FactSet) -> npt.NDArray[np.intp]:
    """The numbers of the facts in a set, ascending."""
    return np.flatnonzero(unpack(facts, 64 * len(facts)))
