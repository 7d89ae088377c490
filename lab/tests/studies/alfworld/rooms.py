"""A room that answers as ALFWorld's engine does, so that players can be tested where it is not installed."""

import re
from collections.abc import Callable, Mapping, Sequence

OPENING = "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see "
NOTHING = "Nothing happens."


def listed(names: Sequence[str]) -> str:
    """As the engine lists things."""
    each = [f"a {name}" for name in names]
    return ", ".join([*each[:-1], f"and {each[-1]}"] if len(each) > 1 else each) or "nothing"


class Room:
    """``places``: place → the things there, names as they are spoken; ``closed`` ones have a door. ``spots``: place →
    one at the same spot. ``won`` judges, by where things are, what is held and which have been treated how."""

    def __init__(
        self,
        task: str,
        places: Mapping[str, Sequence[str]],
        closed: Sequence[str] = (),
        spots: Mapping[str, str] | None = None,
        won: Callable[["Room"], bool] = lambda room: False,
    ) -> None:
        self.things = {place: list(things) for place, things in places.items()}
        self.closed, self.doors = set(closed), frozenset(closed)
        self.spots = spots or {}
        self.at = ""
        self.held = ""
        self.treated: set[tuple[str, str]] = set()
        self.commands: list[str] = []
        self._won = won
        self.first = f"{OPENING}{listed([*places])}.\n\nYour task is to: {task}."

    @property
    def won(self) -> bool:
        """Whether the game is over."""
        return self._won(self)

    def step(self, command: str) -> str:
        """The engine's answer."""
        self.commands.append(command)
        verb, *rest = re.split(r" (?:from|to|with) |(?<=^go) to |^(\w+) ", command.replace("go to", "go"), maxsplit=2)
        words = [word for word in (verb, *rest) if word]
        if words[0] in ("heat", "cool", "clean"):
            return self._treat(*words)
        return getattr(self, f"_{words[0]}")(*words[1:])

    def _spot(self, place: str) -> str:
        return self.spots.get(place, place)

    def _here(self, place: str) -> bool:
        return bool(self.at) and self._spot(place) == self._spot(self.at)

    def _go(self, place: str) -> str:
        if self._here(place):
            return NOTHING
        self.at = place
        return f"You arrive at {place}. {self._examine(place)}"

    def _examine(self, place: str) -> str:
        if not self._here(place):
            return NOTHING
        if place in self.closed:
            return f"The {place} is closed."
        there = f"you see {listed(self.things[place])}."
        return f"The {place} is open. In it, {there}" if place in self.doors else f"On the {place}, {there}"

    def _open(self, place: str) -> str:
        if not self._here(place) or place not in self.closed:
            return NOTHING
        self.closed.remove(place)
        return f"You open the {place}. {self._examine(place)}"

    def _take(self, thing: str, place: str) -> str:
        if not self._here(place) or place in self.closed or thing not in self.things[place] or self.held:
            return NOTHING
        self.things[place].remove(thing)
        self.held = thing
        return f"You pick up the {thing} from the {place}."

    def _move(self, thing: str, place: str) -> str:
        if not self._here(place) or place in self.closed or self.held != thing:
            return NOTHING
        self.things[place].append(thing)
        self.held = ""
        return f"You move the {thing} to the {place}."

    def _treat(self, how: str, thing: str, place: str) -> str:
        if not self._here(place) or self.held != thing:
            return NOTHING
        self.treated.add((how, thing))
        return f"You {how} the {thing} using the {place}."

    def _use(self, lamp: str) -> str:
        if not any(lamp in things and self._here(place) for place, things in self.things.items()):
            return NOTHING
        self.treated.add(("light", self.held))
        return f"You turn on the {lamp}."
