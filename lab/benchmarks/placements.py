"""How good the embedded model's guesses of places are, measured on VirtualHome's files.

    python -m lab.benchmarks.placements [FOLDER]

FOLDER holds ``placements.json`` and ``TestScene1_graph.json`` to ``TestScene4_graph.json``. Two figures, of the table
of the embedded model.

- **Mass on plausible places.** ``placements.json`` lists for each thing the places where it may be. The candidates are
  all pairs of relation and place in the file. Measured is the share of the prior's mass on the thing's own pairs, mean
  over the things.
- **First guesses.** For each movable of the four apartments, as ``cplan data import-virtualhome`` does: whether
  the most probable of the apartment's places is where it is. Strictly: the same relation, name and room ("inside
  kitchen counter", "on bedroom wall"). By kind: the same kind of furniture. Once for all of them, and once for things
  that stand or lie, without those on walls: mostly picture frames, which are many and equal.

The table was written from general knowledge of homes. While writing it, this was looked at: the figures that this
command prints, in six states of the table and its code; the names of the things and of the places in these files, for
coverage; and what the table itself guesses for them. This was not looked at: which place the files give for which
thing, how often a thing occurs, and the figures of single things.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_lab.studies.homes.household import Apartment
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import scene_apartment
from commonsense_planning.embedded.answers import TABLE, CommonsenseTable
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Placement
from tests.data import REPOSITORY, data_root

DATA = data_root() / "virtualhome"
LEXICON = REPOSITORY / "pddl" / "household" / "lexicon.toml"
WALL = "wall"
Weigh = Callable[[str, tuple[str, ...]], npt.NDArray[np.float64]]
"""How much each of the places weighs for a thing: float64 (places,), with a sum of 1, or all 0."""


@dataclass(frozen=True)
class Figure:
    """A mean over ``count`` things, and what uniform guesses would give."""

    found: float
    uniform: float
    count: int

    @staticmethod
    def mean(scores: list[tuple[float, float]]) -> Figure:
        """Of pairs (score, score of a uniform guess)."""
        found, uniform = np.mean(scores, axis=0).tolist()
        return Figure(found, uniform, len(scores))

    def __str__(self) -> str:
        return f"{self.found:.3f} (uniform {self.uniform:.3f}, {self.count} things)"


def asked_of(placements: Path, count: int | None = None) -> tuple[list[Placement], npt.NDArray[np.bool_]]:
    """Returns a question for each of the first ``count`` things of the file, with all places; and which of these are
    plausible: bool (things, places)."""
    truth = json.loads(placements.read_text(encoding="utf-8"))
    candidates = sorted({(relation, place) for spots in truth.values() for relation, place in spots})
    places = tuple(f"{relation.lower()} {words(place)}" for relation, place in candidates)
    plausible = np.array([[list(candidate) in spots for candidate in candidates] for spots in truth.values()])
    return [Placement(words(thing), places) for thing in truth][:count], plausible[:count]


def plausible_mass(weigh: Weigh, placements: Path) -> Figure:
    """Returns the share of the prior's mass on the places that the file calls plausible; even shares if the model has
    none."""
    scores = []
    for question, plausible in zip(*asked_of(placements), strict=True):
        weights, even = weigh(question.thing, question.places), float(plausible.mean())
        scores.append((float(weights[plausible].sum()) if weights.any() else even, even))
    return Figure.mean(scores)


def first_guesses(table: CommonsenseTable, folder: Path, *, strict: bool, walls: bool) -> Figure:
    """Returns how often the most probable place of an apartment is the true one, strictly or by kind; with or without
    things on walls."""
    scores = []
    for graph in sorted(folder.glob("TestScene*_graph.json")):
        apartment, phrases = apartment_places(graph)
        places = tuple(dict.fromkeys(phrases.values()))
        kinds = {place: place if strict else name.split("_")[0] for name, place in phrases.items()}
        for movable in apartment.movables:
            if movable.place is not None and (walls or not movable.place.startswith(WALL)):
                right = np.array([kinds[place] == kinds[phrases[movable.place]] for place in places])
                guess = int(np.argmax(table.weights(words(movable.name), places)))
                scores.append((float(right[guess]), float(right.mean())))
    return Figure.mean(scores)


def apartment_places(path: Path) -> tuple[Apartment, dict[str, str]]:
    """Returns the imported apartment, and how the prior's question puts each piece of its furniture ("on kitchen
    table")."""
    apartment, _ = scene_apartment(load_graph(path))
    return apartment, {f.name: f"{f.relation.value} {words(f.name)}" for f in apartment.furniture}


def words(name: str) -> str:
    return _lexicon().noun(name)


@cache
def _lexicon() -> Lexicon:
    return Lexicon.read(LEXICON)


def main(folder: Path) -> None:
    """Prints the figures, or that there is no data."""
    if not (folder / "placements.json").is_file():
        print(f"no data at {folder}: nothing measured; give the folder with VirtualHome's files as argument")
        return
    table = CommonsenseTable.read(TABLE)
    mass = plausible_mass(table.weights, folder / "placements.json")
    print(f"mass on plausible places                 {mass}")
    for strict, how in ((True, "strictly"), (False, "by kind")):
        for walls, what in ((True, ""), (False, ", nothing on walls")):
            figure = first_guesses(table, folder, strict=strict, walls=walls)
            print(f"{f'first guess, {how}{what}':<41}{figure}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
