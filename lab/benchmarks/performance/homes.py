"""Households of any size, as files and as grounded tasks."""

from __future__ import annotations

import random
from itertools import cycle
from pathlib import Path

from commonsense_lab.studies.homes.household import Apartment, Furniture, Movable, Placing, place_goal, render_problem
from commonsense_lab.studies.homes.task_homes import table

DOMAIN = Path(__file__).parents[3] / "pddl" / "household" / "domain.pddl"
SIZES = {600: (20, 6, 6), 10_000: (57, 49, 25), 75_000: (213, 100, 50), 300_000: (400, 210, 105)}
"""About how many operators → movables, containers, surfaces."""


def home(operators: int) -> Apartment:
    """Returns a random apartment of one of the ``SIZES``; always the same one."""
    return random_home(*SIZES[operators])


def random_home(movables: int, containers: int, surfaces: int, seed: int = 1) -> Apartment:
    """Places things where cplan's unseen home has them, each kind of furniture and things in turn."""
    rng, inventory, closed = random.Random(seed), table().unseen, table().containers
    rooms = {kind: room for room, kinds in inventory.furniture.items() for kind in kinds}
    furniture: dict[str, list[Furniture]] = {}
    for relation, count in ((Placing.INSIDE, containers), (Placing.ON, surfaces)):
        kinds = [kind for kind in rooms if (kind in closed) == (relation is Placing.INSIDE)]
        for number, kind in zip(range(count), cycle(kinds), strict=False):
            piece = Furniture(f"{kind}_{number}", rooms[kind], relation, openable=kind in closed)
            furniture.setdefault(kind, []).append(piece)
    things = []
    for number, kind in zip(range(movables), cycle(inventory.things), strict=False):
        places = [place for place in inventory.places[kind] if place in furniture] or list(furniture)
        things.append(Movable(f"{kind}_{number}", kind, rng.choice(furniture[rng.choice(places)]).name))
    pieces = tuple(piece for there in furniture.values() for piece in there)
    return Apartment(tuple(inventory.furniture), pieces, tuple(things), rng.choice([*inventory.furniture]))


def errand(apartment: Apartment) -> tuple[str, str]:
    """Returns the goal: the first movable is in the first fridge."""
    fridge = next(f.name for f in apartment.furniture if f.name.startswith("fridge"))
    return apartment.movables[0].name, fridge


def write_home(operators: int, folder: Path) -> Path:
    """Returns the problem file of ``home(operators)``."""
    apartment = home(operators)
    thing, fridge = errand(apartment)
    path = folder / f"household-{operators}.pddl"
    goal = place_goal(Placing.INSIDE, thing, [fridge])
    path.write_text(render_problem(apartment, f"household-{operators}", goal), encoding="utf-8")
    return path
