"""The apartment of the virtualhome pack, drawn from the lists of :mod:`.virtualhome_furnishing`, and its problems.

The files of ``pddl/virtualhome/problems`` are what :func:`write_problems` writes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import Relation
from commonsense_planning.studies.virtualhome.virtualhome_furnishing import FIXTURES, MOVABLES, ROOMS, Line
from commonsense_planning.studies.virtualhome.virtualhome_home import Home, Item, render_home
from commonsense_planning.studies.virtualhome.virtualhome_tasks import TASKS, VARIANTS

SEED = 7
"""The seed of the apartment that ships."""


def apartment(rng: np.random.Generator) -> Home:
    """A home with everything that the lists name, each thing at one of its places, drawn with ``rng``.

    Names count from 1 (``plate_1``). The things of a fixture's line go around its rooms in turn, so that every room
    that is listed gets one where there are enough.
    """
    fixtures: dict[str, list[Item]] = {}
    for line in FIXTURES:
        fixtures[line.kind] = [
            Item(f"{line.kind}_{n + 1}", line.kind, line.properties, line.states, line.where[n % len(line.where)])
            for n in range(line.number)
        ]
    movables = [_movable(line, n, fixtures, rng) for line in MOVABLES for n in range(line.number)]
    items = [item for pieces in fixtures.values() for item in pieces] + movables
    fills = tuple(
        (faucet.name, sink.name)
        for faucet in fixtures["faucet"]
        for sink in fixtures["sink"]
        if faucet.room == sink.room
    )
    return Home(ROOMS, tuple(items), ROOMS[int(rng.integers(len(ROOMS)))], fills=fills)


def problems() -> dict[str, str]:
    """File name → text of every problem of the pack: the ten tasks and their variants in the one apartment."""
    home = apartment(np.random.default_rng(SEED))
    movable = sum(item.movable for item in home.items)
    size = f"{len(home.rooms)} rooms and {len(home.items)} things, {movable} of which can be grabbed"
    comment = f"An apartment of {size}, drawn with seed {SEED} by domains/virtualhome_apartment.py."
    return {f"{task.name}.pddl": render_home(home, task.name, task, comment) for task in (*TASKS, *VARIANTS)}


def write_problems(folder: Path) -> None:
    """Write the pack's problems to ``folder``. Raises ``InputError`` if it cannot be written to."""
    for name, text in problems().items():
        try:
            (folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{folder / name}: cannot write the problem: {error.strerror}") from error


def _movable(line: Line, number: int, fixtures: dict[str, list[Item]], rng: np.random.Generator) -> Item:
    there = fixtures[line.where[int(rng.integers(len(line.where)))]]
    place = there[int(rng.integers(len(there)))]
    relation = Relation.INSIDE if "CONTAINERS" in place.properties else Relation.ON
    properties = line.properties | {"GRABBABLE"}
    return Item(f"{line.kind}_{number + 1}", line.kind, properties, line.states, place.room, (relation, place.name))
