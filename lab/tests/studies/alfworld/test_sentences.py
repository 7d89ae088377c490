"""The engine's six kinds of sentences become goals without a model."""

from __future__ import annotations

import pytest

from commonsense_lab.studies.alfworld.player import goal_of
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pddl.sensors import formula_from_text
from commonsense_planning.task import read_task


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
