"""Episodes of all experiments: settings reach their methods, their keys stay, and they close what they open."""

import pickle
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from commonsense_lab.runner.runner import Episode
from commonsense_lab.studies import solve_study
from commonsense_lab.studies.kitchen import experiment as kitchen
from commonsense_lab.studies.misplaced import experiment as misplaced
from commonsense_lab.studies.multiplication import experiment as multiplication
from commonsense_lab.studies.rearrangement import experiment as rearrangement
from commonsense_lab.studies.travelling import experiment as travelling
from commonsense_lab.studies.virtualhome import experiment as virtualhome
from commonsense_planning.config import Actions, ModelConfig, PolicyAs
from commonsense_planning.errors import MissingError
from commonsense_planning.llm.cassette import Cassette
from commonsense_planning.methods.method import Request
from lab.tests.studies.rearrangement.small_world import write_world
from tests.data import REPOSITORY


def in_kitchens(actions: Actions, policy_as: PolicyAs) -> Any:
    setup = kitchen.KitchenSetup(actions=actions, policy_as=policy_as, pack=REPOSITORY / "pddl" / "kitchen")
    return kitchen.kitchen_episodes(setup, 1, 0, ["llm-policy"], [kitchen.Level.EASY])[0]


def of_misplaced(actions: Actions, policy_as: PolicyAs) -> Any:
    told = {"actions": actions, "policy_as": policy_as}
    setup = misplaced.MisplacedSetup(max_steps=5, pack=REPOSITORY / "pddl" / "household", **told)
    return misplaced.misplaced_episodes(setup, ["seen"], 1, ["0"], ["llm-policy"], 1)[0]


def of_rearrangement(actions: Actions, policy_as: PolicyAs) -> Any:
    search = rearrangement.Search(actions=actions, policy_as=policy_as)
    setup = rearrangement.RearrangementSetup(search=search, pack=REPOSITORY / "pddl" / "household")
    return rearrangement.rearrangement_episodes(setup, 10, 1, ["llm-policy"])[0]


class Asked(Exception):
    """Stops an episode where its method begins."""


KEYS = {
    in_kitchens: "kitchen: easy-one-wall-0000, llm-policy, model embedded, simulations 100, at most 600 s",
    of_misplaced: "misplaced: seen-0000, share 0, llm-policy, model embedded, at most 5 steps, "
    "100 simulations a decision",
    of_rearrangement: "rearrangement: seen-simple-0000, policy, model embedded, the homes that ship, at most 30 steps",
}


@pytest.mark.parametrize(("episode", "key"), KEYS.items())
def test_the_actions_that_may_be_named(
    episode: Callable[[Actions, PolicyAs], Any], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []

    def stop(request: Request) -> None:
        asked.append(request)
        raise Asked

    monkeypatch.setattr(solve_study, "solution_of", stop)
    monkeypatch.setattr(rearrangement, "solution_of", stop)
    monkeypatch.setattr(misplaced, "known_plan", lambda *world: SimpleNamespace(cost=0))  # which takes seconds
    with pytest.raises(Asked):
        episode(Actions.RELEVANT, PolicyAs.PRIOR).run()
    assert asked[0].options.actions is Actions.RELEVANT
    assert episode(Actions.RELEVANT, PolicyAs.PRIOR).labels.key == f"{key}, seed 0"
    usual = episode(Actions.ALL, PolicyAs.EVIDENCE)
    assert usual.labels.key == f"{key}, actions all, policy as evidence, seed 0"
    assert pickle.loads(pickle.dumps(usual)) == usual, "as it goes to other processes"


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
    episode = make(ModelConfig("openai:m", replay=empty), tmp_path)
    assert pickle.loads(pickle.dumps(episode)) == episode, "as it goes to other processes"
    with pytest.raises(MissingError, match="the recording has no answer"):
        episode.run()
    assert opened and closed == opened
