"""Index-action pairs in answers, and what is made of wrong ones (common-sense heuristics, section 3.2)."""

from __future__ import annotations

import pytest

from commonsense_planning.matching.answers import corrected, fitting, key_of, pair_in

ACTIONS = ((1, "[WALK]<kitchen>"), (2, "[GRAB]<salmon>"), (3, "[WALK]<wall>"), (4, "[WALK]<wall>"))


@pytest.mark.parametrize("answer", [
    "2. [GRAB]<salmon>",
    "2: [grab] <salmon>",
    "(2, [GRAB]<salmon>)",
    "[2, [GRAB]<salmon>]",
    "Index: 2, Action: [GRAB]<salmon>(311)",
    '{"index": 2, "action": "[GRAB]<salmon>"}',
    "Index: 2\nAction: [GRAB]<salmon>\nbecause it is needed",
    "I would take\n**2.** `[GRAB]<salmon>`.",
])  # fmt: skip
def test_a_pair_is_read_in_many_forms(answer: str) -> None:
    assert fitting(pair_in(answer), ACTIONS) == 2
    assert corrected(pair_in(answer), ACTIONS) == [2]


@pytest.mark.parametrize(("answer", "candidates"), [
    ("1. [GRAB]<salmon>", [1, 2]),  # the action at the index, and the one with that text
    ("1. [WALK]<wall>", [1, 3, 4]),  # all with that text
    ("1. [OPEN]<fridge>", [1]),  # no action has that text
    ("77. [GRAB]<salmon>", [2]),  # no action has that index
    ("77. [OPEN]<fridge>", []),
    ("[GRAB]<salmon>", []),  # no index
    ("[PUTIN]<salmon>(311)<microwave>(297)", []),  # ids are no index
    ("2", []),  # no action
    ("", []),
    ("I am not sure.", []),
])  # fmt: skip
def test_a_wrong_pair_is_corrected_as_in_the_paper(answer: str, candidates: list[int]) -> None:
    assert corrected(pair_in(answer), ACTIONS) == candidates
    assert fitting(pair_in(answer), ACTIONS) is None


def test_of_equal_texts_the_index_decides() -> None:
    assert corrected(pair_in("4. [WALK]<wall>"), ACTIONS) == [4]


def test_only_what_follows_the_last_marker_counts_where_a_model_thinks() -> None:
    thoughts = "1. [WALK]<kitchen> is far. ANSWER: no, 3. " + "and so on " * 300
    assert fitting(pair_in(f"{thoughts}\nANSWER: 2. [GRAB]<salmon>", think=True), ACTIONS) == 2
    assert corrected(pair_in("2. [GRAB]<salmon>", think=True), ACTIONS) == []


def test_names_with_numbers_stay_apart() -> None:
    assert key_of("load truck obj1 tru1") != key_of("load truck obj2 tru1")
    assert key_of("[PUTIN]<salmon>(311)<microwave>(297)") == key_of("putin salmon microwave")
