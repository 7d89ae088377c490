"""The laboratory's questions say everything about themselves."""

from __future__ import annotations

from inspect import isabstract

import pytest

from commonsense_lab.learning.heuristic_questions import MendHeuristic, WriteHeuristic
from commonsense_lab.programs.agent import WriteProgram
from commonsense_lab.studies.multiplication.experiment import Product
from commonsense_lab.studies.planbench.exercises import Case, GeneratedPrompt, PublishedPrompt
from commonsense_lab.studies.travelling.trip import IsWay, Neighbours, WriteRoute
from commonsense_planning.wording.questions import Question

ABOUT = {
    WriteProgram("make toast", (), ()): 'which program does "make toast"',
    WriteHeuristic("(define …)", ("(define …)",)): "for a heuristic",
    MendHeuristic("", (), program="", tried=1, solved=0, climbed=0): "for a better heuristic",
    Neighbours("Oslo", "city", "…", 5, ()): "where one gets from Oslo",
    IsWay("Oslo", "Rome", "one flies from Oslo to Rome"): "whether one flies from Oslo to Rome",
    WriteRoute("Oslo", "Rome", "city", "…", ()): "how one gets from Oslo to Rome",
    PublishedPrompt("As initial conditions I have that, …"): "to an exercise of PlanBench",
    GeneratedPrompt("reuse", False, "(define …)", (), Case("(define …)")): "to an exercise in reuse",
    Product(6, 7): "what 6 times 7 is",
}


@pytest.mark.parametrize("question", ABOUT, ids=lambda question: type(question).__name__)
def test_each_has_words_a_template_and_the_way_to_draw_answers(question: Question) -> None:
    assert question.about == ABOUT[question]
    assert question.template.is_file()
    assert 0 <= question.temperature <= 1
    assert question.most_tokens > 0


def test_every_kind_is_among_them() -> None:
    kinds = [kind for base in Question.__subclasses__() for kind in (base, *base.__subclasses__())]
    here = {k for k in kinds if k.__module__.startswith("commonsense_lab.") and not isabstract(k)}
    assert here == set(map(type, ABOUT))
