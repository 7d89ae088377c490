"""A hundred random tiny worlds whose marginals are compared with exact Bayes, and that the comparison sees differences;
more of them: ``python -m lab.benchmarks.reliability.differential marginals``."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.knowledge import Knowledge
from commonsense_planning.pomdp.observation_model import Bits
from lab.benchmarks.classical.problems import Task
from lab.benchmarks.reliability.differential import marginals
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case


def compared(folder: Path, seeds: range) -> Tally:
    """What came of the worlds of these seeds."""
    tally = Tally("marginals", folder)
    for seed in seeds:
        marginals.compare(Case(Task(f"tiny/{seed}", folder, folder), seed), tally)
    return tally


@pytest.mark.parametrize("tenth", range(10))
def test_marginals_are_those_of_exact_bayes(tenth: int, tmp_path: Path) -> None:
    tally = compared(tmp_path, range(10 * tenth, 10 * tenth + 10))
    assert not tally.lost
    assert tally.tried["marginals"] > 1000 and tally.tried["turns of an agent"] > 50


def keep_what_counts_as_known(knowledge: Knowledge, facts: Int32, values: Bits) -> None:
    knowledge.true |= knowledge.truth
    settle(knowledge, facts, values)


settle = Knowledge.settle


def test_a_difference_is_lost_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knowledge, "settle", keep_what_counts_as_known)
    tally = compared(tmp_path, range(1, 4))
    assert tally.lost
    assert (tmp_path / "marginals-1" / "sensors.pddl").is_file()
    assert "marginals --on" in (tmp_path / "marginals-1" / "what.txt").read_text()
