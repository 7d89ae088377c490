"""What is believed after the first look, with what is true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from commonsense_planning.elicitation.initial_belief import InitialBelief, initial_belief
from commonsense_planning.pddl.sensors import read_sensors
from commonsense_planning.pomdp.belief import FLOOR
from commonsense_planning.task import read_task
from commonsense_planning.wording.questions import Placement, Question
from tests.scripted import HOUSEHOLD, ScriptedModel

SMALL = HOUSEHOLD / "problems" / "small-apple.pddl"


def fridge_twice_in_three(question: Question) -> Sequence[str]:
    assert isinstance(question, Placement)
    return ["fridge", "fridge", "bathroom counter"] if question.thing == "apple" else []


def look(problem: Path, sensors: Path | None = None) -> InitialBelief:
    task = read_task(HOUSEHOLD / "domain.pddl", problem)
    seen = read_sensors(sensors, task.problem) if sensors else task.sensors
    model = ScriptedModel(fridge_twice_in_three)
    return initial_belief(task.problem, seen, task.contingent, task.lexicon, lambda scene: model, 3)


def test_what_is_in_sight_is_settled_and_what_is_not_there_ruled_out() -> None:
    seen = look(SMALL)
    assert [thing.name for thing in seen.things] == ["apple", "plate"]
    assert (seen.known, seen.unplaced, seen.independent) == (1, 0, 0)  # the toothbrush is in the initial observation
    apple = seen.things[0]
    assert apple.objects == ("apple_1",)
    assert apple.places == ("inside fridge", "inside kitchen cabinet", "on kitchen table")
    assert apple.facts[apple.truth] == "(inside apple_1 fridge)"
    # The bathroom counter is in sight and empty: its third of the answers is gone.
    total = 2 / 3 + 2 * FLOOR
    assert apple.believed == pytest.approx([2 / 3 / total, FLOOR / total, FLOOR / total])
    assert any("where the plate may be" in note for note in seen.notes)


def test_a_thing_in_no_place_is_left_out(tmp_path: Path) -> None:
    problem = tmp_path / "problem.pddl"
    problem.write_text(SMALL.read_text().replace("(inside plate_1 kitchencabinet)", ""))
    seen = look(problem)
    assert [thing.name for thing in seen.things] == ["apple"]
    assert (seen.known, seen.unplaced) == (1, 1)


def test_hidden_facts_outside_of_groups_are_counted(tmp_path: Path) -> None:
    sensors = tmp_path / "sensors.pddl"
    text = (HOUSEHOLD / "sensors.pddl").read_text()
    start, end = text.index("(:exactly-one"), text.index("(:sense")
    sensors.write_text(text[:start] + text[end:])
    seen = look(SMALL, sensors)
    assert (seen.things, seen.known, seen.unplaced, seen.independent) == ((), 0, 0, 12)
