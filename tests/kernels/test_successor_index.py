"""Where operators are filed: each once, behind preconditions of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given

from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.kernels.successor_index import SuccessorIndex, index_operators
from tests.random_tasks import tasks
from tests.scripted import HOUSEHOLD, World

Record = tuple[int, list[int]]
"""An operator, and what it needs besides where it is filed."""


def records(flat: Int32) -> Iterator[Record]:
    k = 0
    while k < len(flat):
        end = k + 2 + int(flat[k + 1])
        yield int(flat[k]), flat[k + 2 : end].tolist()
        k = end


def facts_of(word: int, low: int, high: int) -> list[int]:
    bits = (low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32
    return [64 * word + bit for bit in range(64) if bits >> bit & 1]


def found(index: SuccessorIndex) -> Iterator[tuple[list[int], Record]]:
    """Every record with the facts that it is filed behind and under."""
    yield from (([], record) for record in records(index.free))
    gates = [fact for k in range(0, len(index.gates), 3) for fact in facts_of(*map(int, index.gates[k : k + 3]))]
    shelves = [([], index.ungated), *(([gate], index.gated.row(gate)) for gate in gates)]
    for behind, entries in shelves:
        for k in range(0, len(entries), 4):
            word, low, high, number = map(int, entries[k : k + 4])
            for i, pivot in enumerate(facts_of(word, low, high)):
                flat = index.records[index.pointers[number + i] : index.pointers[number + i + 1]]
                assert len(flat)
                yield from (([*behind, pivot], record) for record in records(flat))


@given(tasks())
def test_each_operator_is_filed_once_with_all_that_it_needs(task: GroundTask) -> None:
    operators = task.operators
    filed = list(found(index_operators(operators, max(1, (task.fact_count + 63) // 64))))
    assert sorted(operator for _, (operator, _) in filed) == list(range(len(operators.cost)))
    for facts, (operator, rest) in filed:
        positive, negative = operators.pre.row(operator).tolist(), operators.npre.row(operator).tolist()
        assert sorted([*facts, *(literal for literal in rest if literal >= 0)]) == sorted(positive)
        assert sorted(~literal for literal in rest if literal < 0) == sorted(negative)
        assert len(facts) >= bool(positive)


def test_where_a_robot_is_gates_what_it_can_do() -> None:
    world = World(HOUSEHOLD / "problems" / "small-apple.pddl")
    index = index_operators(world.compiled.operators, world.compiled.half)
    gates = {facts[0] for facts, _ in found(index) if len(facts) == 2}
    assert {world.task.facts[gate][0] for gate in gates} == {"near", "in-room"}
    assert np.count_nonzero(index.ungated) < np.count_nonzero(index.gated.items)
