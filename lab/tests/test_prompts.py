"""Prompts of the laboratory's questions: golden files."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_lab.programs.agent import WriteProgram
from commonsense_lab.studies.multiplication.experiment import Product
from commonsense_lab.studies.travelling.trip import IsWay, Neighbours, WriteRoute
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import Question, Scene
from tests.data import REPOSITORY
from tests.llm.test_prompts import rendered

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
