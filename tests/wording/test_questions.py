"""Questions are complete, and a choice of an action is read as in the paper."""

from inspect import isabstract
from itertools import chain

import pytest

from commonsense_planning.matching.answers import corrected, fitting, key_of, pair_in
from commonsense_planning.wording.questions import (
    THINKING_TOKENS,
    Alternatives,
    ChooseAction,
    MendGuide,
    NextAction,
    Placement,
    PlacementAgain,
    Placements,
    Question,
    Statement,
    Trait,
    Translation,
    WriteGoal,
    WriteGuide,
)

ABOUT = {
    Placement("apple", ("inside fridge",)): "where the apple may be",
    Trait("ball", ("red", "blue")): "which of red, blue the ball is",
    PlacementAgain("apple", ("on desk",), (("inside fridge", ("milk",)),)): "where else the apple may be",
    NextAction("g", (), ("go",), ()): "what to do at first",
    NextAction("g", ("go", "stay"), ("go", "sit"), ()): "what to do after: go, stay",
    Placements((Placement("apple", ()), Placement("cup", ()))): "where the apple, cup may be",
    Translation("tidy up", (), (), ()): 'what "tidy up" means',
    WriteGoal("tidy up", (), (), ()): 'what "tidy up" means',
    Alternatives(("the lamp is on", "the lamp is off")): "which of 2 things is so",
    ChooseAction("make toast", (), (), ((1, "a"), (2, "b"))): 'which of 2 actions is best for "make toast"',
    WriteGuide("make toast", "low"): 'for a guide to "make toast"',
    MendGuide(
        "make toast", "low", guide=("eat toast",), taken=(), why=(), state=()
    ): 'for a better guide to "make toast"',
}


@pytest.mark.parametrize("question", ABOUT, ids=lambda question: type(question).__name__)
def test_each_has_words_a_template_and_the_way_to_draw_answers(question: Question) -> None:
    assert question.about == ABOUT[question]
    assert question.template.is_file()
    assert 0 <= question.temperature <= 1
    assert question.most_tokens > 0


def test_every_kind_is_among_them() -> None:
    kinds = [kind for base in Question.__subclasses__() for kind in (base, *base.__subclasses__())]
    here = {k for k in kinds if k.__module__.startswith("commonsense_planning.") and not isabstract(k)}
    assert here == set(map(type, ABOUT))


def test_a_thinker_has_room() -> None:
    assert ChooseAction("x", (), (), (), think=True).most_tokens == THINKING_TOKENS


def test_an_action_prompt_knows_what_holds_and_what_does_not_by_predicate() -> None:
    told = NextAction(
        "g", (), (), (Statement("open", ("fridge",), True, "open"), Statement("on", ("tv",), False, "off"))
    ).given()
    assert [s.text for s in (*told["known"]["open"], *told["denied"]["on"])] == ["open", "off"]
    assert not list(chain(told["known"]["on"], told["denied"]["nothing"]))


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
