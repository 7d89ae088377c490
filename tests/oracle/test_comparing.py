"""A hundred random tasks mean what the oracle says, and the comparison sees what is wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_planning.errors import Status
from commonsense_planning.methods.registry import solve
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.validation.replay import run
from commonsense_planning.validation.verdict import Report, Verdict
from tests.oracle import comparing
from tests.oracle.drawing import draw

VALID = Report("replay", Verdict.VALID)


def compared(seeds: Iterable[int], folder: Path) -> comparing.Found:
    found = comparing.Found()
    for seed in seeds:
        tree = draw(random.Random(seed))
        files = tree.write(folder / "domain.pddl", folder / "problem.pddl")
        comparing.compare(tree, files, seed, found)
    return found


def test_a_hundred_random_tasks_mean_what_the_oracle_says(tmp_path: Path) -> None:
    found = compared(range(100, 200), tmp_path)
    assert not found.lost
    assert found.tried["of them with a plan"] > 60 and found.tried["without one"] > 10
    assert found.tried["solved rightly"] > 300 and found.tried["unsolvable rightly"] > 60
    assert found.tried["verdicts of replay"] > 600


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
