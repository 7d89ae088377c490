"""What the engine says is read by its grammar; what is not understood is noted."""

from __future__ import annotations

import pytest

from commonsense_lab.studies.alfworld.engine_text import EngineText, kind_of, read_text

FIRST = (
    "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see "
    "a bed 2, a armchair 1, and a sidetable 1.\n\nYour task is to: put some book on armchair."
)


@pytest.mark.parametrize(("text", "said"), [
    (FIRST, EngineText(around=("bed_2", "armchair_1", "sidetable_1"), wanted="put some book on armchair")),
    ("You arrive at bed 1. On the bed 1, you see a book 1, and a pillow 2.",
     EngineText(at="bed_1", found=(("bed_1", ("book_1", "pillow_2")),))),
    ("You arrive at safe 1. The safe 1 is closed.", EngineText(at="safe_1", closed=("safe_1",))),
    ("You open the drawer 12. The drawer 12 is open. In it, you see nothing.",
     EngineText(opened=("drawer_12", "drawer_12"), found=(("drawer_12", ()),))),
    ("On the desk 1, you see a pen 3.", EngineText(found=(("desk_1", ("pen_3",)),))),
    ("You close the drawer 1.", EngineText(closed=("drawer_1",))),
    ("You pick up the mug 1 from the shelf 2.", EngineText(done=True)),
    ("You cool the apple 1 using the fridge 1.", EngineText(done=True)),
    ("You are carrying: a mug 1.", EngineText(held=("mug_1",))),
    ("You are not carrying anything.", EngineText(held=())),
    ("Nothing happens.", EngineText(nothing=True)),
    ("A cat walks in. On the desk 1, you see nothing.",
     EngineText(found=(("desk_1", ()),), unread=("A cat walks in.",))),
])  # fmt: skip
def test_sentences(text: str, said: EngineText) -> None:
    assert read_text(text) == said


def test_kinds() -> None:
    assert kind_of("toiletpaperhanger_12") == "toiletpaperhanger"
