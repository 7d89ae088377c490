"""The laboratory's questions say everything about themselves; their prompts are golden files."""

from inspect import isabstract
from pathlib import Path

import pytest

from commonsense_lab.learning.heuristic_questions import MendHeuristic, WriteHeuristic
from commonsense_lab.plans.written_plan import WritePlan
from commonsense_lab.programs.agent import WriteProgram
from commonsense_lab.studies.multiplication.experiment import Product
from commonsense_lab.studies.planbench.exercises import Case, GeneratedPrompt, PublishedPrompt
from commonsense_lab.studies.travelling.trip import IsWay, Neighbours, WriteRoute
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import Question, Scene
from tests.data import REPOSITORY
from tests.llm.test_prompts import rendered

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
    here = {k for k in kinds if k.__module__.startswith("commonsense_lab.") and not isabstract(k)}
    assert here == set(map(type, ABOUT))


GOLDEN = Path(__file__).with_name("golden")
PACKS = REPOSITORY / "pddl"
CITIES, FLIGHT = ("bergen", "lyon", "oslo"), "there is a direct flight from {} to {}"
ACTIONS = ("walk_to_room <room>", "grab <movable>", "putin <movable> <receptacle>", "standup")
ASKED: dict[str, Question] = {
    "write_program": WriteProgram("wash the plate. don't forget!", ACTIONS, ("kitchen", "sink", "plate")),
    "neighbours": Neighbours("oslo", "city", FLIGHT.format("oslo", "X"), 40, CITIES),
    "is_way": IsWay("oslo", "lyon", FLIGHT.format("oslo", "lyon")),
    "write_route": WriteRoute("oslo", "lyon", "city", FLIGHT.format("X", "Y"), CITIES),
    "product": Product(12, 345),
}


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.txt")), ids=lambda file: file.stem)
def test_prompts_are_as_in_the_golden_files(file: Path) -> None:
    """``flights-is_way`` is the flights' own template, ``any-is_way`` the one of a domain that brings none."""
    pack, _, kind = file.stem.partition("-")
    folders = [] if pack == "any" else [PACKS / pack / "prompts"]
    messages = Prompts(folders, Scene("household"), None).messages(ASKED[kind])
    assert rendered(messages) == file.read_text(encoding="utf-8")
