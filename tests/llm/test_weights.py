"""What the answers to a question come to."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from commonsense_planning.llm.weights import AnswerCount, Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher, Similarities
from commonsense_planning.wording.questions import ChooseAction, NextAction, Placement

PLACEMENT = Placement("apple", ("inside fridge", "on kitchen table", "on desk"))
ACTIONS = ((3, "[WALK]<apple>"), (7, "[GRAB]<apple>"))


def test_an_answer_is_shared_among_the_options_that_it_names() -> None:
    matcher = LexicalMatcher()
    read = read_answers(PLACEMENT, ["In the fridge.", "fridge, kitchen table", "who knows", "who knows"], matcher)
    assert read.shares == pytest.approx([0.75, 0.25, 0])
    assert [said.named for said in read.said] == [(0,), (0, 1), ()]
    assert matcher.unmatched == 2


def test_a_place_without_its_number_is_all_of_that_name() -> None:
    shelves = Placement("drill", ("on shelf 1", "on shelf 2", "in the yard", "at dock 1", "at the gate", "in a van"))
    read = read_answers(shelves, ["on a shelf", "shelf 2", "the dock"], LexicalMatcher())
    assert [said.named for said in read.said] == [(0, 1), (1,), (3,)]


def test_no_answer_that_names_an_option_weighs_nothing() -> None:
    assert read_answers(PLACEMENT, ["who knows"], LexicalMatcher()).shares.tolist() == [0, 0, 0]
    empty = read_answers(PLACEMENT, [], LexicalMatcher())
    assert (empty.shares.tolist(), empty.first) == ([0, 0, 0], "")


def test_what_was_said_most_comes_first() -> None:
    assert read_answers(PLACEMENT, ["desk", "fridge", "fridge"], LexicalMatcher()).first == "fridge"
    assert Weights(("a", "b"), (AnswerCount("a", 0.5, (0,)), AnswerCount("b", 0.5, (1,)))).first == "a"


def test_an_option_names_itself_without_being_matched() -> None:
    class Never(LexicalMatcher):
        def similarities(self, text: str, options: Sequence[str]) -> Similarities:
            raise AssertionError(text)

    odd = NextAction("g", (), ("put salt, pepper and oil on the table", "stop"), ())
    assert read_answers(odd, [odd.actions[0]], Never()).shares.tolist() == [1, 0]


def test_a_pair_whose_parts_do_not_go_together_names_both_candidates() -> None:
    question = ChooseAction("eat", (), (), ACTIONS)
    assert question.options == ("3. [WALK]<apple>", "7. [GRAB]<apple>")
    read = read_answers(question, ["3. [GRAB]<apple>"], LexicalMatcher())
    assert (read.shares.tolist(), read.first) == ([0.5, 0.5], "3. [GRAB]<apple>")


def test_where_it_may_be_reasoned_the_answer_is_free_text() -> None:
    question = ChooseAction("eat", (), (), ACTIONS, think=True)
    read = read_answers(question, ["It is near. ANSWER: 7. [GRAB]<apple>"], LexicalMatcher())
    assert (question.options, len(read.shares), read.first[:5]) == ((), 0, "It is")


def test_a_temperature_sharpens_or_flattens() -> None:
    weights = Weights.of_shares(("a", "b"), [0.8, 0.2], 10)
    assert weights.tempered(2.0).shares == pytest.approx([2 / 3, 1 / 3])
    assert weights.tempered(0.5).shares == pytest.approx([16 / 17, 1 / 17])
    assert weights.tempered(1.0) is weights
    assert sum(said.times for said in weights.tempered(2.0).said) == pytest.approx(10)
