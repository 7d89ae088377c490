"""Questions say everything about themselves."""

from __future__ import annotations

from inspect import isabstract
from itertools import chain

import pytest

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
    Translation,
    WriteGoal,
    WriteGuide,
)
from commonsense_planning.wording.written_plan import WritePlan

ABOUT = {
    Placement("apple", ("inside fridge",)): "where the apple may be",
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
    WritePlan("(define …)", "(define …)"): "for a plan",
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
