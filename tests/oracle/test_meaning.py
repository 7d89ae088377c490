"""The oracle itself: what constraints remember is what their definitions say, and a small task by hand."""

from __future__ import annotations

from itertools import product

import pytest

from tests.oracle.drawing import OPERATORS
from tests.oracle.meaning import FIRST, Meaning, Memory, accepted, kept, remember
from tests.oracle.task import Action, Rule, Task


@pytest.mark.parametrize(("kind", "operands"), OPERATORS.items())
def test_what_a_constraint_remembers_is_enough(kind: str, operands: int) -> None:
    for length in range(1, 6):
        for truths in product([False, True], repeat=operands * length):
            columns = [truths[place::operands] for place in range(operands)]
            memory: Memory = FIRST
            for row in zip(*columns, strict=True):
                memory = None if memory is None else remember(kind, memory, *row)
            assert accepted(kind, memory) == kept(kind, *columns)


def test_a_small_task_by_hand() -> None:
    """From room to room, where a lamp has to be lit in between; two rooms are light as soon as one of two is."""
    go = Action("go", {"?x": "room", "?y": "room"}, ("and", ("at", "?x"), ("not", ("=", "?x", "?y"))),
                (("at", "?y"), ("not", ("at", "?x")), ("increase", ("total-cost",), ("price", "?y"))))  # fmt: skip
    light = Action("light", {"?x": "room"}, None, (("when", ("at", "?x"), ("lit", "?x")),))
    shine = Rule("light", {}, ("exists", ("?z", "-", "room"), ("lit", "?z")), 0)
    task = Task(
        types={"room": "object"},
        constants={},
        objects={"a": "room", "b": "room", "c": "room"},
        predicates={"at": {"?i": "room"}, "lit": {"?i": "room"}, "light": {}},
        rules=(shine,),
        actions=(go, light),
        init=frozenset({("at", "a")}),
        prices={"a": 1, "b": 2, "c": 5},
        goal=("and", ("at", "c"), ("light",)),
        constraints=(("sometime-before", ("at", "c"), ("light",)), ("always", ("not", ("lit", "a")))),
    )
    meaning = Meaning(task)
    plan = (("go", "a", "b"), ("light", "b"), ("go", "b", "c"))
    assert meaning.cheapest(100) == (7, plan)
    assert meaning.valid(plan)
    for wrong in (plan[:2], (("go", "a", "c"), ("light", "c")), (("light", "a"), *plan), (("go", "a", "d"),)):
        assert not meaning.valid(wrong)
