"""The games themselves, in TextWorld: a player sees texts alone, and wins."""

import json
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.studies.alfworld.engine_text import EngineGame
from commonsense_lab.studies.alfworld.experiment import MAX_STEPS, play
from commonsense_lab.studies.alfworld.player import Player
from commonsense_planning.errors import InputError, MissingError
from commonsense_planning.pddl.packs import pack_named
from tests.data import shared_data

KINDS = ("look_at", "pick_and_place", "pick_clean", "pick_cool", "pick_heat", "pick_two")


def games(kind: str) -> list[Path]:
    """Games of the split train."""
    return sorted(shared_data("alfworld").glob(f"train/{kind}*/*/game.tw-pddl"))


def played(file: Path, *wrappers: Any) -> tuple[bool, list[str]]:
    """Whether a game was won, and everything that was said."""
    game, said = EngineGame(file, wrappers), list[str]()
    with Player(pack_named("alfworld").domain, seed=1) as player:
        text = game.first
        while not game.won and len(said) < 2 * MAX_STEPS:
            command = player.reply(text)
            said += [text, str(command)]
            text = game.step(str(command))
    game.close()
    return game.won, said


@pytest.mark.alfworld
@pytest.mark.parametrize("kind", KINDS)
def test_a_game_of_each_kind_is_won(kind: str) -> None:
    file = games(kind)[5]
    with Player(pack_named("alfworld").domain, seed=1) as player:
        result = play(file, player, MAX_STEPS)
    assert result.won, result.commands
    assert len(result.commands) <= MAX_STEPS
    assert player.notes == []


@pytest.mark.alfworld
def test_nothing_but_text_reaches_a_player() -> None:
    """The engine is asked for text and, by the judge, for who won; what else it might tell changes nothing."""
    from textworld.core import Wrapper

    file = games("pick_two")[1]
    secret = json.loads(file.read_text())["walkthrough"]

    class Tempter(Wrapper):
        """Hands over facts, the walkthrough and commands, all wrong."""

        def _told(self, state: Any) -> Any:
            state["facts"] = ["in(mug 1, fridge 1)"]
            state["admissible_commands"] = ["dance", *reversed(secret)]
            state["policy_commands"] = state["extra.walkthrough"] = list(reversed(secret))
            return state

        def reset(self) -> Any:
            return self._told(super().reset())

        def step(self, command: str) -> Any:
            state, score, done = super().step(command)
            return self._told(state), score, done

    game = EngineGame(file)
    asked = game._engine.request_infos
    assert set(asked.basics) == {"feedback", "won"} and not asked.extras
    game.close()
    assert played(file) == played(file, Tempter)


def test_without_alfworld_the_missing_package_is_named(tmp_path: Path) -> None:
    with pytest.raises((MissingError, InputError), match="ALFWorld|alfworld|fast_downward|no such file"):
        EngineGame(tmp_path / "game.tw-pddl")


@pytest.mark.alfworld
def test_a_file_that_is_not_a_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "game.tw-pddl"
    file.write_text("{}")
    with pytest.raises(InputError, match="it is no game"):
        EngineGame(file)
