"""The embedded model's household know-how."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.embedded.knowhow import KnowHow
from commonsense_planning.errors import InputError
from commonsense_planning.wording.questions import ChooseAction, WriteGuide

FORMS = ("[WALK]<object1>", "[GRAB]<object1>", "[OPEN]<object1>", "[CLOSE]<object1>", "[PUTIN]<object1><object2>")
KNOW = KnowHow.read()


def choose(actions: tuple[str, ...], guide: tuple[str, ...] = (), taken: tuple[str, ...] = ()) -> str:
    question = ChooseAction("put salmon in the fridge", guide, taken, tuple(enumerate(actions, start=1)))
    return KNOW.choice(question).partition(". ")[2]


def test_guides_of_either_level() -> None:
    low = KNOW.guide(WriteGuide("put the salmon in the fridge. be quick", "low", FORMS))
    assert low.splitlines()[3:5] == ["4. [OPEN]<fridge>", "5. [PUTIN]<salmon><fridge>"]
    high = KNOW.guide(WriteGuide("Put the salmon in the fridge!", "high"))
    assert high.splitlines()[1:5] == [
        "2. Pick up the salmon",
        "3. Walk to the fridge",
        "4. Open the fridge",
        "5. Put the salmon in the fridge",
    ]
    assert KNOW.guide(WriteGuide("prove a theorem", "low", FORMS)) == ""


def test_what_is_known_of_the_home_names_the_things() -> None:
    question = WriteGuide("put the cup on the coffee table", "low", FORMS)
    assert "<cup>" in KNOW.guide(question) and "coffeetable" in KNOW.guide(question)
    told = WriteGuide("put the cup on the coffee table", "low", FORMS, (("mug", ()), ("coffeetable", ())))
    assert "<mug>" in KNOW.guide(told) and "<cup>" not in KNOW.guide(told)


@pytest.mark.parametrize("guide", [
    ("[GRAB]<salmon>", "[WALK]<fridge>"),
    ("Pick up the salmon.", "Walk to the fridge."),
    ("take salmon", "go to fridge"),
])  # fmt: skip
def test_the_next_line_of_a_guide_is_chosen(guide: tuple[str, ...]) -> None:
    actions = ("[WALK]<fridge>", "[WALK]<salmon>", "[GRAB]<salmon>")
    assert choose(actions, guide) == "[GRAB]<salmon>"
    assert choose(actions, guide, ("[GRAB]<salmon>",)) == "[WALK]<fridge>"


def test_a_line_that_is_not_possible_is_passed_over() -> None:
    guide = ("[WALK]<fridge>", "[OPEN]<fridge>", "[PUTIN]<salmon><fridge>")
    actions = ("[WALK]<salmon>", "[CLOSE]<fridge>", "[PUTIN]<salmon><fridge>")
    assert choose(actions, guide, ("[WALK]<fridge>",)) == "[PUTIN]<salmon><fridge>"


def test_without_a_guide_the_description_decides_and_nothing_is_done_for_ever() -> None:
    actions = ("[WALK]<wall>", "[WALK]<salmon>", "[WALK]<fridge>")
    assert choose(actions) == "[WALK]<salmon>"
    assert choose(actions, (), ("[WALK]<salmon>",)) == "[WALK]<fridge>"


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[verbs]\n")
    with pytest.raises(InputError, match="not a table of household know-how"):
        KnowHow.read(tmp_path / "table.toml")
