"""Several questions in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from commonsense_planning.llm.chat import ask_together
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import Placement, PlacementAgain, Placements, Question, Scene

PLACES = ("inside fridge", "on desk")
APPLE, CUP, PEN = (Placement(thing, PLACES) for thing in ("apple", "cup", "pen"))
AGAIN = PlacementAgain("key", PLACES, ())


class Asked:
    """Answers that leave out the pen; keeps the questions."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def __call__(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        self.questions += questions
        together = "1. Apple: inside fridge\n- **cup**: on desk, inside fridge\nand so on"
        return [[together if isinstance(q, Placements) else "on desk"] * n for q in questions]


def test_what_an_answer_leaves_out_is_asked_singly() -> None:
    asked = Asked()
    answers = ask_together(asked, lambda batch: True, [APPLE, PEN, AGAIN, CUP], 2)
    assert answers == [["inside fridge"] * 2, ["on desk"] * 2, ["on desk"] * 2, ["on desk, inside fridge"] * 2]
    assert asked.questions == [Placements((APPLE, PEN, CUP)), PEN, AGAIN]


def test_one_question_is_no_batch_and_none_is_made_that_nobody_puts() -> None:
    asked = Asked()
    ask_together(asked, lambda batch: True, [APPLE], 1)
    ask_together(asked, lambda batch: False, [APPLE, CUP], 1)
    assert asked.questions == [APPLE, APPLE, CUP]


def test_whoever_replaces_the_question_about_one_thing_has_things_asked_for_singly(tmp_path: Path) -> None:
    both = Placements((APPLE, CUP))
    (tmp_path / "placement.jinja").write_text("Where is the {{ thing }}?")
    assert Prompts([], Scene()).puts(both)
    assert not Prompts([tmp_path], Scene()).puts(both)
    assert not Prompts([Path("paper")], Scene()).puts(both)
    (tmp_path / "placements.jinja").write_text("Where are {{ things }}?")
    assert Prompts([tmp_path], Scene()).puts(both)
