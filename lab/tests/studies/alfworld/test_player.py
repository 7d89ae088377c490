"""Players in rooms that speak as the engine does: they win, meet things that were not listed, and survive surprises."""

import pytest

from commonsense_lab.studies.alfworld.player import Player
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import InputError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.pddl.packs import pack_named
from lab.tests.studies.alfworld.rooms import Room

KITCHEN = {
    "cabinet 1": ("mug 3",),
    "countertop 1": ("apple 1", "knife 1"),
    "microwave 1": (),
    "fridge 1": ("egg 1",),
    "sinkbasin 1": (),
}
CLOSED = ("cabinet 1", "microwave 1", "fridge 1")


def play(room: Room, method: str = "llm-mcts", most: int = 30) -> Player:
    """Until the room is won or the player gives up."""
    with Player(pack_named("alfworld").domain, method, seed=1) as player:
        command, text = "", room.first
        while command is not None and not room.won and len(room.commands) < most:
            command = player.reply(text)
            text = room.step(command) if command else ""
        return player


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-nearest"])
@pytest.mark.parametrize(("task", "treated", "thing", "place"), [
    ("put a hot mug in cabinet", "heat", "mug 3", "cabinet 1"),
    ("cool some apple and put it in countertop", "cool", "apple 1", "countertop 1"),
    ("put a clean egg in microwave", "clean", "egg 1", "microwave 1"),
])  # fmt: skip
def test_games_are_won(method: str, task: str, treated: str, thing: str, place: str) -> None:
    def won(room: Room) -> bool:
        return (treated, thing) in room.treated and thing in room.things[place]

    room = Room(task, KITCHEN, CLOSED, won=won)
    player = play(room, method)
    assert room.won, room.commands
    assert player.notes == []


def test_two_things_go_to_one_place_and_a_third_does_no_harm() -> None:
    def won(room: Room) -> bool:
        return any(len(things) == 2 for place, things in room.things.items() if place.startswith("armchair"))

    places = {"armchair 1": (), "armchair 2": ("pillow 4",), "bed 1": ("pillow 1", "pillow 7"), "sofa 1": ("book 1",)}
    room = Room("put two pillow in armchair", places, won=won)
    play(room)
    assert room.won, room.commands


def test_a_thing_is_looked_at_under_a_lamp_and_taken_where_it_is_met() -> None:
    places = {"desk 1": ("book 2",), "dresser 1": (), "sidetable 1": ("desklamp 1",), "shelf 1": ()}
    room = Room("examine the book with the desklamp", places, won=lambda room: ("light", "book 2") in room.treated)
    play(room)
    assert room.won, room.commands
    assert room.commands.index("take book 2 from desk 1") == room.commands.index("go to desk 1") + 1


def test_places_at_one_spot_and_doors_that_are_none() -> None:
    places = {"drawer 1": (), "drawer 2": (), "drawer 3": ("keychain 1",), "armchair 1": ()}
    won = lambda room: "keychain 1" in room.things["armchair 1"]  # noqa: E731
    room = Room("put a keychain in armchair", places, ("drawer 3",), {"drawer 2": "drawer 1"}, won)
    play(room)
    assert room.won, room.commands
    assert "examine drawer 2" in room.commands or "drawer 2" not in " ".join(room.commands)


def test_a_thing_that_has_moved_is_looked_for_again() -> None:
    class Poltergeist(Room):
        def _take(self, thing: str, place: str) -> str:
            if not self.treated:
                self.treated.add(("moved", thing))
                self.things[place].remove(thing)
                self.things["shelf 1"].append(thing)
            return super()._take(thing, place)

    places = {"bed 1": ("cd 1",), "desk 1": (), "shelf 1": (), "safe 1": ()}
    room = Poltergeist("put a cd in safe", places, ("safe 1",), won=lambda room: "cd 1" in room.things["safe 1"])
    play(room)
    assert room.won, room.commands


def test_sentences_that_are_not_understood_are_noted_and_play_continues() -> None:
    class Chatty(Room):
        def step(self, command: str) -> str:
            return f"{super().step(command)} A dog barks."

    room = Chatty("put a clean apple in fridge", KITCHEN, CLOSED, won=lambda room: "apple 1" in room.things["fridge 1"])
    player = play(room)
    assert room.won
    assert set(player.notes) == {"not understood: A dog barks."}


def test_other_sentences_are_translated_by_the_model() -> None:
    with ModelSession(ModelConfig()) as models, Player(pack_named("alfworld").domain, models=models) as player:
        room = Room("put an apple in the fridge please", KITCHEN, CLOSED)
        player.reply(room.first)
    assert player.goal == "(exists (?x1 - apple) (in ?x1 fridge_1))"


@pytest.mark.parametrize(
    ("task", "message"),
    [("water the houseplant", "none of the six templates"), ("put a unicorn in fridge", "speaks of a unicorn")],
)
def test_tasks_without_a_goal(task: str, message: str) -> None:
    room = Room(task, KITCHEN)
    with Player(pack_named("alfworld").domain) as player, pytest.raises(InputError, match=message):
        player.reply(room.first)
