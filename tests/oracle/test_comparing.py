"""A hundred random tasks mean what the oracle says, and the comparison and the oracle find what is wrong."""

import random
import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest

from commonsense_planning import Plan, Report, Status, Verdict, solve
from commonsense_planning.validation.replay import run
from tests.oracle import comparing, contingent
from tests.oracle.drawing import OPERATORS, draw
from tests.oracle.meaning import FIRST, Meaning, Memory, accepted, kept, remember
from tests.oracle.task import Action, Rule, Task

VALID = Report("replay", Verdict.VALID)


def compared(seeds: Iterable[int], folder: Path, large: bool = False) -> comparing.Found:
    found = comparing.Found()
    for seed in seeds:
        tree = draw(random.Random(seed), large=large)
        files = tree.write(folder / "domain.pddl", folder / "problem.pddl")
        comparing.compare(tree, files, seed, found)
    return found


def test_a_hundred_random_tasks_mean_what_the_oracle_says(tmp_path: Path) -> None:
    found = compared(range(100, 200), tmp_path)
    assert not found.lost
    assert found.tried["of them with a plan"] > 60 and found.tried["without one"] > 10
    assert found.tried["solved rightly"] > 300 and found.tried["unsolvable rightly"] > 60
    assert found.tried["verdicts of replay"] > 600


def test_contingent_tasks_are_solved_in_the_worlds_where_they_can_be(tmp_path: Path) -> None:
    found = comparing.Found()
    for seed in (1, 23, 189, 288):
        contingent.compare(contingent.draw(random.Random(seed)), tmp_path, found)
    assert not found.lost and not found.silent
    assert found.tried["contingent runs that end rightly"] == found.tried["contingent runs"]
    assert all(found.tried[f"of them solvable in {kind} world"] for kind in ("every", "some", "no"))


def test_costs_near_the_limits_of_numbers_are_exact(tmp_path: Path) -> None:
    found = compared(range(16), tmp_path, large=True)
    assert not found.lost
    assert found.tried["solved rightly"] > 40


@pytest.mark.parametrize(("name", "wrong", "said"), [
    ("run", lambda *args: replace(run(*args), report=VALID), r"valid by replay \(\), invalid by the oracle"),
    ("solve", lambda _: replace(solve(_), status=Status.UNSOLVABLE, plan=None), r": unsolvable, and a plan costs"),
    ("solve", lambda _: replace(f := solve(_), plan=f.plan and Plan(f.plan.steps[1:])), "gbfs: its plan is none"),
    ("solve", lambda _: replace(f := solve(_), plan=f.plan and replace(f.plan, cost=99.0)), r"costs \d+, not 99"),
    ("solve", lambda _: [][0], "gbfs: IndexError"),
])  # fmt: skip
def test_the_oracle_sees_what_is_wrong(
    name: str, wrong: object, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, name, wrong)
    lost = [told for told, _ in compared(range(5), tmp_path).lost]
    assert any(re.search(said, told) for told in lost), lost


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
        prices={"a": Decimal(1), "b": Decimal(2), "c": Decimal(5)},
        goal=("and", ("at", "c"), ("light",)),
        constraints=(("sometime-before", ("at", "c"), ("light",)), ("always", ("not", ("lit", "a")))),
    )
    meaning = Meaning(task)
    plan = (("go", "a", "b"), ("light", "b"), ("go", "b", "c"))
    assert meaning.cheapest(100) == (7, plan)
    assert meaning.valid(plan)
    for wrong in (plan[:2], (("go", "a", "c"), ("light", "c")), (("light", "a"), *plan), (("go", "a", "d"),)):
        assert not meaning.valid(wrong)
