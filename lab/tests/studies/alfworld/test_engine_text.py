"""The engine's texts are read by their grammar, and its six kinds of tasks become goals; the rest is noted."""

import pytest

from commonsense_lab.studies.alfworld.engine_text import EngineText, read_text
from commonsense_lab.studies.alfworld.player import goal_of
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pddl.sensors import formula_from_text
from commonsense_planning.task import read_task

FIRST = (
    "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see "
    "a bed 2, a armchair 1, and a sidetable 1.\n\nYour task is to: put some book on armchair."
)


@pytest.mark.parametrize(("text", "said"), [
    (FIRST, EngineText(around=("bed_2", "armchair_1", "sidetable_1"), wanted="put some book on armchair")),
    ("You arrive at bed 1. On the bed 1, you see a book 1, and a pillow 2.",
     EngineText(found=(("bed_1", ("book_1", "pillow_2")),))),
    ("You arrive at safe 1. The safe 1 is closed.", EngineText(closed=("safe_1",))),
    ("You open the drawer 12. The drawer 12 is open. In it, you see nothing.",
     EngineText(opened=("drawer_12", "drawer_12"), found=(("drawer_12", ()),))),
    ("On the desk 1, you see a pen 3.", EngineText(found=(("desk_1", ("pen_3",)),))),
    ("You close the drawer 1.", EngineText(closed=("drawer_1",))),
    ("You pick up the mug 1 from the shelf 2.", EngineText()),
    ("You cool the apple 1 using the fridge 1.", EngineText()),
    ("You are carrying: a mug 1.", EngineText()),
    ("You are not carrying anything.", EngineText()),
    ("Nothing happens.", EngineText(nothing=True)),
    ("A cat walks in. On the desk 1, you see nothing.",
     EngineText(found=(("desk_1", ()),), unread=("A cat walks in.",))),
])  # fmt: skip
def test_sentences(text: str, said: EngineText) -> None:
    assert read_text(text) == said


@pytest.mark.parametrize(("sentence", "goal"), [
    ("put a candle in cart", "(exists (?t - candle ?p - cart) (and (in ?t ?p)))"),
    ("put some book on desk.", "(exists (?t - book ?p - desk) (and (in ?t ?p)))"),
    ("put a hot apple in fridge", "(exists (?t - apple ?p - fridge) (and (hot ?t) (in ?t ?p)))"),
    ("cool some pan and put it in stoveburner", "(exists (?t - pan ?p - stoveburner) (and (cold ?t) (in ?t ?p)))"),
    ("clean some egg and put it in fridge", "(exists (?t - egg ?p - fridge) (and (washed ?t) (in ?t ?p)))"),
    ("find two soapbar and put them in cabinet",
     "(exists (?t ?u - soapbar ?p - cabinet) (and (not (= ?t ?u)) (in ?t ?p) (in ?u ?p)))"),
    ("put two cd in safe", "(exists (?t ?u - cd ?p - safe) (and (not (= ?t ?u)) (in ?t ?p) (in ?u ?p)))"),
    ("look at alarmclock under the desklamp",
     "(exists (?t - alarmclock ?l - desklamp) (and (holding ?t) (lit-by ?t ?l)))"),
    ("examine the pen with the desklamp", "(exists (?t - pen ?l - desklamp) (and (holding ?t) (lit-by ?t ?l)))"),
    ("water the houseplant", None),
])  # fmt: skip
def test_goals(sentence: str, goal: str | None) -> None:
    assert goal_of(sentence) == goal
    if goal is not None:
        pack = pack_named("alfworld")
        formula_from_text(goal, read_task(pack.domain, pack.problem("heat-mug")).problem)
