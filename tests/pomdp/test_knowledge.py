"""What an agent knows: what follows from what it finds, and what is probable enough to count."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.pomdp.knowledge import NEGLIGIBLE, THRESHOLD, Knowledge
from commonsense_planning.pomdp.observation_model import Bits
from tests.scripted import small_apple

FRIDGE, CABINET, COUNTER, TABLE = range(4)  # places of the apple, members of group 0


@pytest.fixture
def knowledge() -> Knowledge:
    return Knowledge(small_apple().compiled)


def found(knowledge: Knowledge, place: int, value: bool) -> Bits:
    """Whether each of the apple's places is certain, once one was found to be so."""
    members = knowledge.members[0]
    knowledge.find(members[[place]], np.array([value]))
    return np.asarray(knowledge.certain[members])


def test_where_a_thing_is_it_is_in_no_other_place(knowledge: Knowledge) -> None:
    assert found(knowledge, CABINET, True).all()
    assert knowledge.true[knowledge.members[0]].tolist() == [False, True, False, False]
    assert found(knowledge, TABLE, True).all()  # it was moved: the newer evidence counts
    assert knowledge.true[knowledge.members[0]].tolist() == [False, False, False, True]


def test_where_a_thing_is_not_leaves_the_other_places_open(knowledge: Knowledge) -> None:
    assert found(knowledge, CABINET, False).tolist() == [False, True, False, False]
    assert knowledge.open(knowledge.certain)[0].tolist() == [True, False, True, True]


def test_what_is_in_none_of_its_places_is_nowhere(knowledge: Knowledge) -> None:
    for place in (FRIDGE, CABINET, COUNTER):
        found(knowledge, place, False)
        assert not len(knowledge.nowhere())
    found(knowledge, TABLE, False)
    assert knowledge.nowhere().tolist() == [0]
    knowledge.forget(knowledge.members[0], knowledge.with_any(knowledge.members[0]))
    assert not len(knowledge.nowhere()) and not knowledge.certain[knowledge.members[0]].any()


@pytest.mark.parametrize(
    ("shown", "chance", "known"),
    [
        (True, THRESHOLD + 0.01, [True] * 4),  # then it is nowhere else
        (True, NEGLIGIBLE / 2, [True, False, False, False]),
        (True, 0.4, [False] * 4),
        (False, THRESHOLD + 0.01, [False] * 4),
    ],
)
def test_what_was_shown_and_is_probable_enough_counts_as_known(
    shown: bool, chance: float, known: list[bool], knowledge: Knowledge
) -> None:
    members = knowledge.members[0]
    chances = np.full(len(knowledge.truth), 0.1)
    chances[members[FRIDGE]] = chance
    knowledge.shown[members[FRIDGE]] = shown
    knowledge.count(lambda: chances)
    assert knowledge.known[members].tolist() == known
    assert knowledge.truth[members].tolist() == [known[1], False, False, False]
    assert not knowledge.certain[members].any()


@pytest.mark.parametrize("threshold", [0.4, 1.1, float("nan")])
def test_a_threshold_is_at_least_one_half(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must be from 0.5 to 1"):
        Knowledge(small_apple().compiled, threshold)
