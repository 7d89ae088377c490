"""How good a model's guesses of places are, measured on VirtualHome's files.

    python -m lab.benchmarks.placements [FOLDER [MODEL [SAMPLES [ANSWERS [MATCHER]]]]]

FOLDER holds ``placements.json`` and ``TestScene1_graph.json`` to ``TestScene4_graph.json``. Two figures, of the table
of the embedded model; of another MODEL, such as ``local``, the first of them, with SAMPLES (10) answers to a question,
as the prior asks. The answers are kept in the file ANSWERS, so that another MATCHER (lexical) can read the same ones.

- **Mass on plausible places.** ``placements.json`` lists for each thing the places where it may be. The candidates are
  all pairs of relation and place in the file. Measured is the share of the prior's mass on the thing's own pairs, mean
  over the things.
- **First guesses.** For each movable of the four apartments, as ``cplan data import-virtualhome`` does: whether
  the most probable of the apartment's places is where it is. Strictly: the same relation, name and room ("inside
  kitchen counter", "on bedroom wall"). By kind: the same kind of furniture. Once for all of them, and once for what
  stands or lies somewhere, without what hangs on a wall: picture frames above all, which are many and all alike.

The table was written from general knowledge of homes. While writing it, this was looked at: the figures that this
command prints, in six states of the table and its code; the names of the things and of the places in these files, for
coverage; and what the table itself guesses for them. This was not looked at: which place the files give for which
thing, how often a thing occurs, and the figures of single things.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from commonsense_lab.studies.homes.household import Apartment
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import scene_apartment

from commonsense_planning.config import ModelConfig
from commonsense_planning.embedded.answers import TABLE, CommonsenseTable
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Placement, Scene
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


def plausible_mass(weigh: Weigh, placements: Path) -> Figure:
    """The share of the prior's mass on the places that the file calls plausible; even where the model says nothing."""
    truth = json.loads(placements.read_text(encoding="utf-8"))
    candidates = sorted({(relation, place) for spots in truth.values() for relation, place in spots})
    texts = tuple(f"{relation.lower()} {_words(place)}" for relation, place in candidates)
    scores = []
    for thing, spots in truth.items():
        plausible = np.array([list(candidate) in spots for candidate in candidates])
        weights, even = weigh(_words(thing), texts), float(plausible.mean())
        scores.append((float(weights[plausible].sum()) if weights.any() else even, even))
    return Figure.mean(scores)


def asked(models: Models, samples: int, matcher: Matcher) -> Weigh:
    """A model's answers to the prior's question."""
    model = models.open(Scene(), None, matcher, np.random.default_rng(0))
    return lambda thing, places: model.weigh([Placement(thing, places)], samples)[0].shares


def first_guesses(table: CommonsenseTable, folder: Path, *, strict: bool, walls: bool) -> Figure:
    """How often the most probable of an apartment's places is the true one, strictly or by kind; with or without what
    hangs on walls."""
    scores = []
    for graph in sorted(folder.glob("TestScene*_graph.json")):
        apartment, phrases = _apartment(graph)
        places = tuple(dict.fromkeys(phrases.values()))
        kinds = {place: place if strict else name.split("_")[0] for name, place in phrases.items()}
        for movable in apartment.movables:
            if movable.place is not None and (walls or not movable.place.startswith(WALL)):
                right = np.array([kinds[place] == kinds[phrases[movable.place]] for place in places])
                guess = int(np.argmax(table.weights(_words(movable.name), places)))
                scores.append((float(right[guess]), float(right.mean())))
    return Figure.mean(scores)


def _apartment(path: Path) -> tuple[Apartment, dict[str, str]]:
    """The imported apartment, and how the prior's question puts each piece of its furniture ("on kitchen table")."""
    apartment, _ = scene_apartment(load_graph(path))
    return apartment, {f.name: f"{f.relation.value} {_words(f.name)}" for f in apartment.furniture}


def _words(name: str) -> str:
    return _lexicon().noun(name)


@cache
def _lexicon() -> Lexicon:
    return Lexicon.read(LEXICON)


def main(folder: Path, name: str, samples: int, answers: Path | None, matching: str) -> None:
    """Print the figures, or say that there is no data."""
    if not (folder / "placements.json").is_file():
        print(f"no data at {folder}: nothing measured; give the folder with VirtualHome's files as argument")
        return
    placements = folder / "placements.json"
    if name != "embedded":
        started, matcher = time.perf_counter(), matcher_named(matching)
        with Models(ModelConfig(name, cache=answers)) as models:
            figure = plausible_mass(asked(models, samples, matcher), placements)
            usage = models.usage
        print(f"mass on plausible places                 {figure}")
        print(f"{matcher.unmatched} phrases matched nothing")
        print(f"{usage.calls} calls, {usage.tokens} tokens, {time.perf_counter() - started:.0f} s")
        return
    table = CommonsenseTable.read(TABLE)
    print(f"mass on plausible places                 {plausible_mass(table.weights, placements)}")
    for strict, how in ((True, "strictly"), (False, "by kind")):
        for walls, what in ((True, ""), (False, ", nothing on walls")):
            figure = first_guesses(table, folder, strict=strict, walls=walls)
            print(f"{f'first guess, {how}{what}':<41}{figure}")


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    kept = Path(given[4]) if 4 in given else None
    main(Path(given.get(1, DATA)), given.get(2, "embedded"), int(given.get(3, "10")), kept, given.get(5, "lexical"))
