"""``cplan bench alfworld`` and ``cplan play``, with rooms in the engine's place."""

import json
from pathlib import Path

import pytest

from commonsense_lab.studies.alfworld import experiment
from commonsense_lab.studies.alfworld.experiment import AlfworldRow, AlfworldSetup, alfworld_episodes, play
from commonsense_lab.studies.alfworld.player import Player
from commonsense_planning.cli.main import main
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.view.page import read_view
from lab.tests.report.lines import grids
from lab.tests.studies.alfworld.rooms import Room
from tests.chat_server import ChatServer

PACK = pack_named("alfworld")
PLACES = {"bed 1": (), "desk 1": ("book 3", "book 4"), "drawer 1": (), "shelf 1": (), "sidetable 1": ("desklamp 1",)}


class Engine(Room):
    """A room with books; a file's text says what is wanted."""

    def __init__(self, file: Path) -> None:
        task = json.loads(file.read_text())["task"]
        won = {
            "put some book on bed": lambda room: bool(room.things["bed 1"]),
            "put two book in drawer": lambda room: len(room.things["drawer 1"]) == 2,
            "look at book under the desklamp": lambda room: ("light", "book 3") in room.treated,
        }
        super().__init__(task, PLACES, ("drawer 1",), won=won.get(task, lambda room: False))

    def close(self) -> None:
        """As the engine's."""


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with games, and the room in the engine's place."""
    monkeypatch.setattr(experiment, "EngineGame", Engine)
    tasks = {
        "pick_two": "put two book in drawer",
        "pick_and_place": "put some book on bed",
        "look_at": "look at book under the desklamp",
        "odd": "water the book",
    }
    for name, task in tasks.items():
        file = tmp_path / "games" / f"{name}-Book" / "trial" / "game.tw-pddl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"task": task, "walkthrough": ["go to desk 1", "look", "look", "look"]}))
    return tmp_path / "games"


def rows_of(games: Path, *methods: str) -> list[AlfworldRow]:
    """All games, played."""
    episodes = alfworld_episodes(AlfworldSetup(pack=PACK.folder, max_steps=20), games, methods, 0)
    return [AlfworldRow(**vars(episode.labels), **vars(episode.run())) for episode in episodes]


def test_games_are_judged_and_reported_in_tables(games: Path) -> None:
    rows = rows_of(games, "llm-mcts", "look-nearest")
    assert [row.kind for row in rows[::2]] == ["look_at", "odd", "pick_and_place", "pick_two"]
    assert [row.solved for row in rows] == [True, True, False, False, True, True, True, True]
    odd = rows[2]
    assert odd.reason.startswith("the instruction 'water the book' cannot be put into a goal") and odd.taken == 20
    assert rows[0].goal.startswith("(exists (?t - book ?l - desklamp)") and rows[0].walkthrough == 4
    assert len(rows[0].step_seconds) == rows[0].steps == len(rows[0].plan or ())
    first, lost = experiment.STUDY.sections("a setup", rows, "alfworld")
    (grid,) = grids(first)
    assert [line[:4] for line in grid.rows[:2]] == [
        ("all", "llm-mcts", "4", "75.0 %"),
        ("all", "look-nearest", "4", "75.0 %"),
    ]
    assert [line[0] for line in lost.parts[0].rows] == ["odd-Book/trial"] * 2


def test_a_limit_of_commands_ends_a_game(games: Path) -> None:
    (file,) = games.glob("pick_two*/*/*")
    with Player(PACK.domain) as player:
        result = play(file, player, 3)
    assert (result.won, len(result.commands), result.reason) == (False, 3, "the limit of 3 commands is reached")


@pytest.mark.parametrize("game", ["pick_two", "look_at", "pick_and_place"])
def test_a_model_is_asked_thrice_a_game_at_most(games: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (file,) = games.glob(f"{game}*/*/*")
    with ChatServer(lambda messages: "in shelf") as server:
        config = ModelConfig("openai:wrong", base_url=server.base_url)
        with ModelSession(config) as models, Player(PACK.domain, models=models) as player:
            assert play(file, player, 40).won
            assert 1 <= models.usage.questions <= 3


def test_a_played_game_can_be_viewed(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file,) = games.glob("pick_two*/*/*")
    trace = tmp_path / "trace.jsonl"
    assert main(["play", str(file), "--trace", str(trace)]) == 0
    out = capsys.readouterr().out
    assert "> move book 4 to drawer 1" in out and out.rstrip().endswith("won")
    view = read_view(trace)
    assert view.stops[-1]["action"].startswith("(move book_")
    assert view.about["outcome"] == "solved"


def test_a_method_that_there_is_not_is_refused(games: Path) -> None:
    with pytest.raises(UsageError, match="llm-mtcs"):
        alfworld_episodes(AlfworldSetup(pack=PACK.folder), games, ["llm-mtcs"], 0)
