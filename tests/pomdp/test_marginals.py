"""A hundred random tiny worlds whose marginals are compared with exact Bayes, and that the comparison sees differences;
more of them: the laboratory's ``make differential``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.knowledge import Knowledge
from commonsense_planning.pomdp.observation_model import Bits
from tests.oracle.marginals import compare


def compared(folder: Path, seeds: range) -> Counter[str]:
    """What was tried in the worlds of these seeds."""
    tried: Counter[str] = Counter()
    for seed in seeds:
        compare(seed, folder, tried)
    return tried


@pytest.mark.parametrize("tenth", range(10))
def test_marginals_are_those_of_exact_bayes(tenth: int, tmp_path: Path) -> None:
    tried = compared(tmp_path, range(10 * tenth, 10 * tenth + 10))
    assert tried["marginals"] > 1000 and tried["turns of an agent"] > 50


def keep_what_counts_as_known(knowledge: Knowledge, facts: Int32, values: Bits) -> None:
    knowledge.true |= knowledge.truth
    settle(knowledge, facts, values)


settle = Knowledge.settle


def test_a_difference_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knowledge, "settle", keep_what_counts_as_known)
    with pytest.raises(AssertionError, match="after at first"):
        compared(tmp_path, range(1, 4))
