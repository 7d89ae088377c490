"""Households of any size, as files and as grounded tasks."""

from __future__ import annotations

import random
from pathlib import Path

from commonsense_planning.studies.homes.household import Apartment, Placing, place_goal, render_problem
from commonsense_planning.studies.homes.random_apartment import random_apartment

DOMAIN = Path(__file__).parents[2] / "pddl" / "household" / "domain.pddl"
SIZES = {600: (20, 6, 6), 10_000: (57, 49, 25), 75_000: (213, 100, 50), 300_000: (400, 210, 105)}
"""About how many operators → movables, containers, surfaces."""


def home(operators: int) -> Apartment:
    """A random apartment of one of the ``SIZES``; always the same one."""
    movables, containers, surfaces = SIZES[operators]
    return random_apartment(random.Random(1), movables=movables, containers=containers, surfaces=surfaces)


def errand(apartment: Apartment) -> tuple[str, str]:
    """What is to be done in it: the first movable belongs into the first fridge."""
    fridge = next(f.name for f in apartment.furniture if f.name.startswith("fridge"))
    return apartment.movables[0].name, fridge


def write_home(operators: int, folder: Path) -> Path:
    """The problem file of ``home(operators)``."""
    apartment = home(operators)
    thing, fridge = errand(apartment)
    path = folder / f"household-{operators}.pddl"
    goal = place_goal(Placing.INSIDE, thing, [fridge])
    path.write_text(render_problem(apartment, f"household-{operators}", goal), encoding="utf-8")
    return path
