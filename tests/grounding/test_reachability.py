"""A child grounds what this process would, and no estimate is below what comes."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.grounding import reachability
from commonsense_planning.grounding.lifted import Lifted, lift
from commonsense_planning.pddl.reader import read_problem
from tests.data import REPOSITORY

PROBLEMS = sorted((REPOSITORY / "pddl" / "household" / "problems").glob("*.pddl"))[:3]


@pytest.fixture(params=PROBLEMS, ids=lambda path: path.stem)
def lifted(request: pytest.FixtureRequest) -> Lifted:
    return lift(read_problem(REPOSITORY / "pddl" / "household" / "domain.pddl", request.param))


def test_a_child_gives_the_same(lifted: Lifted, monkeypatch: pytest.MonkeyPatch) -> None:
    here = reachability.reachable(lifted)
    monkeypatch.setattr(reachability, "SMALL", -1)
    there = reachability.reachable(lifted)
    for ours, its in zip((*here.atoms, *here.bindings), (*there.atoms, *there.bindings), strict=True):
        assert (ours is None and its is None) or np.array_equal(ours, its)


def test_no_estimate_is_too_low(lifted: Lifted) -> None:
    program = reachability._Program(lifted)
    program.rules(())
    found = reachability.reachable(lifted)
    sizes = {f"a{s}": len(rows) for s, rows in enumerate(found.bindings) if rows is not None}
    assert all(program.sizes[name] >= count for name, count in sizes.items())
    assert program.instances >= sum(sizes.values()) >= program.certain
