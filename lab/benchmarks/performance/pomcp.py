"""The household as a model for pomdp-py: the same actions, sensing and goal as the PDDL domain, written by hand.

A state is where everything is; an action that changes it makes a new one, and shares what stays the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pomdp_py

from commonsense_lab.studies.homes.household import Apartment, Placing

PARTICLES = 1000


@dataclass(frozen=True)
class HomeState(pomdp_py.State):
    """``places``: per movable the number of its furniture, -1 in the hand."""

    room: str
    near: int
    opened: frozenset[int]
    places: tuple[int, ...]
    held: int = -1

    @cached_property
    def contents(self) -> dict[int, list[int]]:
        """Furniture → movables there."""
        found: dict[int, list[int]] = {}
        for thing, place in enumerate(self.places):
            found.setdefault(place, []).append(thing)
        return found


@dataclass(frozen=True)
class HomeAction(pomdp_py.Action):
    """A schema of the domain and its arguments, as numbers of things and furniture; a room by name."""

    schema: str
    thing: int = -1
    place: int = -1
    room: str = ""


@dataclass(frozen=True)
class Seen(pomdp_py.Observation):
    """What is seen of the things: (movable, furniture)."""

    things: tuple[tuple[int, int], ...]


class Home:
    """The dynamics that all of pomdp-py's models share."""

    def __init__(self, apartment: Apartment, errand: tuple[str, str]) -> None:
        self.apartment = apartment
        furniture = apartment.furniture
        self.room_of = [f.room for f in furniture]
        self.container = [f.relation is Placing.INSIDE for f in furniture]
        self.openable = [f.openable for f in furniture]
        self.in_room = {room: [i for i, r in enumerate(self.room_of) if r == room] for room in apartment.rooms}
        index = {f.name: i for i, f in enumerate(furniture)}
        self.thing = [m.name for m in apartment.movables].index(errand[0])
        self.goal = index[errand[1]]
        opened = frozenset(i for i, f in enumerate(furniture) if self.container[i] and (f.opened or not f.openable))
        places = tuple(index[m.place] if m.place is not None else -1 for m in apartment.movables)
        self.start = HomeState(apartment.robot_room, -1, opened, places)

    def actions(self, state: HomeState) -> list[HomeAction]:
        """Returns the applicable actions; what is not seen is in ``state`` as the simulation believes it."""
        found = [HomeAction("walk-to-room", room=room) for room in self.apartment.rooms if room != state.room]
        for place in self.in_room[state.room]:
            if place == state.near:
                continue
            found.append(HomeAction("walk-to-place", place=place))
            if not self.container[place]:
                found += [HomeAction("walk-to-item", thing, place) for thing in state.contents.get(place, ())]
        near = state.near
        if near < 0:
            return found
        reachable = not self.container[near] or near in state.opened
        if self.openable[near]:
            found.append(HomeAction("close-container" if reachable else "open-container", place=near))
        if reachable and state.held >= 0:
            found.append(HomeAction("put", state.held, near))
        elif reachable:
            found += [HomeAction("grab", thing, near) for thing in state.contents.get(near, ())]
        return found

    def after(self, state: HomeState, action: HomeAction) -> HomeState:
        """Returns the state that an applicable action leads to."""
        if action.schema == "walk-to-room":
            return replace(state, room=action.room, near=-1)
        if action.schema in ("walk-to-place", "walk-to-item"):
            return replace(state, near=action.place)
        if action.schema == "open-container":
            return replace(state, opened=state.opened | {action.place})
        if action.schema == "close-container":
            return replace(state, opened=state.opened - {action.place})
        place, held = (-1, action.thing) if action.schema == "grab" else (action.place, -1)
        places = (*state.places[: action.thing], place, *state.places[action.thing + 1 :])
        return replace(state, places=places, held=held)

    def seen(self, state: HomeState) -> Seen:
        """Returns the things on the surfaces of the room, and those in the open container at the robot."""
        visible = [p for p in self.in_room[state.room] if not self.container[p]]
        if state.near >= 0 and self.container[state.near] and state.near in state.opened:
            visible.append(state.near)
        return Seen(tuple((thing, place) for place in visible for thing in state.contents.get(place, ())))

    def solved(self, state: HomeState) -> bool:
        """Returns whether the errand is done."""
        return state.places[self.thing] == self.goal


class Transition(pomdp_py.TransitionModel):
    def __init__(self, home: Home) -> None:
        self.home = home

    def sample(self, state: HomeState, action: HomeAction) -> HomeState:
        return self.home.after(state, action)


class Sensing(pomdp_py.ObservationModel):
    def __init__(self, home: Home) -> None:
        self.home = home

    def sample(self, next_state: HomeState, action: HomeAction) -> Seen:
        return self.home.seen(next_state)


class Reward(pomdp_py.RewardModel):
    def __init__(self, home: Home) -> None:
        self.home = home

    def sample(self, state: HomeState, action: HomeAction, next_state: HomeState) -> float:
        return float(self.home.solved(next_state) and not self.home.solved(state))


class Uniform(pomdp_py.RolloutPolicy):
    """Every applicable action with equal probability."""

    def __init__(self, home: Home, rng: random.Random) -> None:
        self.home = home
        self.rng = rng

    def get_all_actions(self, state: HomeState | None = None, history: Any = None) -> list[HomeAction]:
        return self.home.actions(state if state is not None else self.home.start)

    def rollout(self, state: HomeState, history: Any = None) -> HomeAction:
        return self.rng.choice(self.home.actions(state))


def planner(
    apartment: Apartment, errand: tuple[str, str], simulations: int, depth: int, discount: float, c: float, seed: int
) -> tuple[Any, Any]:
    """Returns a POMCP planner and its agent: every movable that is not seen at the start is equally likely on or in any
    furniture that is not seen."""
    random.seed(seed)  # pomdp-py draws with this
    rng = random.Random(seed)
    home = Home(apartment, errand)
    seen = dict(home.seen(home.start).things)
    hidden = [i for i in range(len(apartment.furniture)) if home.container[i] or home.room_of[i] != home.start.room]
    particles = [
        replace(home.start, places=tuple(seen.get(t, rng.choice(hidden)) for t in range(len(home.start.places))))
        for _ in range(PARTICLES)
    ]
    policy = Uniform(home, rng)
    agent = pomdp_py.Agent(pomdp_py.Particles(particles), policy, Transition(home), Sensing(home), Reward(home))
    search = pomdp_py.POMCP(
        max_depth=depth, discount_factor=discount, num_sims=simulations, exploration_const=c, rollout_policy=policy
    )
    return search, agent
