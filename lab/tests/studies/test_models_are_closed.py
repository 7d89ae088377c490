"""An episode closes what it opened: a run of thousands would keep as many connections and files otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonsense_lab.runner.runner import Episode
from commonsense_lab.studies.multiplication import experiment as multiplication
from commonsense_lab.studies.rearrangement import experiment as rearrangement
from commonsense_lab.studies.travelling import experiment as travelling
from commonsense_lab.studies.virtualhome import experiment as virtualhome
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import MissingError
from commonsense_planning.llm.cassette import Cassette
from lab.tests.studies.rearrangement.small_world import write_world
from tests.data import REPOSITORY


def a_product(model: ModelConfig, folder: Path) -> Episode:
    return next(
        multiplication.block_episodes(multiplication.MultiplicationSetup(model=model), (1, 1), 1, 1, ["policy"], None)
    )


def a_rearrangement(model: ModelConfig, folder: Path) -> Episode:
    setup = rearrangement.RearrangementSetup(model=model, pack=REPOSITORY / "pddl" / "household")
    return rearrangement.rearrangement_episodes(setup, 10, 1, ["llm-policy"])[0]


def a_flight(model: ModelConfig, folder: Path) -> Episode:
    airports, routes = write_world(folder)
    pack = REPOSITORY / "pddl" / "flights"
    setup = travelling.FlightsSetup(airports=airports, routes=routes, pack=pack, model=model)
    return travelling.flights_episodes(setup, 1, 1, ["policy"])[0]


def a_household(model: ModelConfig, folder: Path) -> Episode:
    setup = virtualhome.HouseholdSetup(model=model, pack=REPOSITORY / "pddl" / "virtualhome")
    return virtualhome.household_episodes(setup, 1, ["4"], ["brush-teeth"])[0]


@pytest.mark.parametrize("make", [a_product, a_rearrangement, a_flight, a_household])
def test_an_episode_closes_its_recording(
    make: Callable[[ModelConfig, Path], Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Cassette] = []
    closed: list[Cassette] = []
    opens, closes = Cassette.__init__, Cassette.close

    def opening(cassette: Cassette, *args: object) -> None:
        opens(cassette, *args)  # type: ignore[arg-type]
        opened.append(cassette)

    async def closing(cassette: Cassette) -> None:
        closed.append(cassette)
        await closes(cassette)

    monkeypatch.setattr(Cassette, "__init__", opening)
    monkeypatch.setattr(Cassette, "close", closing)
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(MissingError, match="the recording has no answer"):
        make(ModelConfig("openai:m", replay=empty), tmp_path).run()
    assert opened and closed == opened
