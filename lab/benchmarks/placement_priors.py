"""How good the priors are that need no language model, and the temperature of ``--model embeddings``.

    python -m lab.benchmarks.placement_priors [PRODUCTS [SCENES]]

PRODUCTS is a table of department, section and item; each item is asked about with all sections of its half of the
departments. SCENES is a folder of VirtualHome's ``TestScene1_graph.json`` to ``TestScene4_graph.json``; each movable is
asked about with all furniture of its apartment. Needs the extra ``embeddings``.

The temperature is the one of ``TEMPERATURES`` with the least mean of two mean log losses: of the train half of the
store, and of scenes 1 and 3. The held-out half and scenes 2 and 4 are for measuring. Log loss is -ln p of the true
place, in nats, of the priors that runs use, with their least probability.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_lab.report.belief_scores import judge
from commonsense_lab.studies.store.products import Half, read_products
from commonsense_planning.config import ModelConfig
from commonsense_planning.llm.embeddings import TEMPERATURE, kept_matcher, place_shares
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.pomdp.belief import FLOOR
from commonsense_planning.support.statistics import difference
from commonsense_planning.wording.lexicon import split_name
from commonsense_planning.wording.questions import Placement, Scene
from lab.benchmarks.performance.table import head, line
from lab.benchmarks.placements import apartment_places, words
from tests.data import data_root

TEMPERATURES: tuple[float, ...] = tuple(np.round(np.arange(0.02, 0.205, 0.01), 2).tolist())
Floats = npt.NDArray[np.float64]
Prior = Callable[[Sequence[Placement]], Sequence[Floats]]
"""For each question the share of each place, float64 (places,), summing to one or all zero."""


class Asked(NamedTuple):
    """A question, and the index of the true place."""

    question: Placement
    truth: int


def store_questions(path: Path, half: Half) -> list[Asked]:
    """Returns a question for each item of a half, with all sections of that half."""
    sections = read_products(path).half(half).sections
    places = tuple(f"in {split_name(section)}" for section in sections)
    kept = [(item, truth) for truth, items in enumerate(sections.values()) for item in items]
    return [Asked(Placement(split_name(item), places), truth) for item, truth in kept]


def scene_questions(folder: Path, scenes: str) -> list[Asked]:
    """Returns a question for each movable of the scenes of these digits that is somewhere."""
    found = []
    for number in scenes:
        apartment, phrases = apartment_places(folder / f"TestScene{number}_graph.json")
        said = list(phrases.values())
        places = tuple(dict.fromkeys(said))
        counts = tuple(map(said.count, places))
        for thing in apartment.movables:
            if thing.place is not None:
                truth = places.index(phrases[thing.place])
                found.append(Asked(Placement(words(thing.name), places, counts=counts), truth))
    return found


def losses(asked: Sequence[Asked], prior: Prior) -> list[tuple[float, float]]:
    """Returns log loss and first guess of each question, over all places that there are: those of one name are as
    likely as each other."""
    scores = []
    shares = prior([question for question, _ in asked])
    for (question, truth), share in zip(asked, shares, strict=True):
        counts = np.array(question.counts or (1,) * len(question.places))
        weights = np.repeat(np.maximum(FLOOR, share / counts), counts)
        score = judge([weights], [int(counts[:truth].sum())]).mean
        scores.append((score.log_loss, score.first_guess))
    return scores


def uniform(questions: Sequence[Placement]) -> list[Floats]:
    """Returns equal shares for all places that there are."""
    counts = [np.array(q.counts or (1,) * len(q.places), dtype=np.float64) for q in questions]
    return [each / each.sum() for each in counts]


def of_model(name: str) -> Prior:
    """Returns the prior of a model, as runs ask it."""
    models = ModelSession(ModelConfig(name))
    model = models.open_by_seed(Scene())
    return lambda questions: [w.shares for w in model.weigh(questions, models.adapter.prior_samples)]


def fitted(*train: Sequence[Asked]) -> float:
    """Returns the temperature of ``TEMPERATURES`` with the least mean of the mean log losses."""

    def loss(temperature: float) -> float:
        def prior(questions: Sequence[Placement]) -> list[Floats]:
            return [place_shares(kept_matcher(""), question, temperature) for question in questions]

        return float(np.mean([np.mean(losses(asked, prior), axis=0)[0] for asked in train]))

    return min(TEMPERATURES, key=loss)


def main(products: Path, scenes: Path) -> None:
    """Prints the fitted temperature, and a Markdown row for each part with the log loss of each prior."""
    parts = {
        "store, train": store_questions(products, Half.TRAIN),
        "scenes 1 and 3, train": scene_questions(scenes, "13"),
        "store, held-out": store_questions(products, Half.HELD_OUT),
        "scenes 2 and 4, held-out": scene_questions(scenes, "24"),
    }
    texts = dict.fromkeys(t for asked in parts.values() for q, _ in asked for t in (q.thing, *q.places))
    kept_matcher("").similarities("", tuple(texts))  # encoded in large batches
    train, homes, *_ = parts.values()
    print(f"temperature: {fitted(train, homes):g} (in use: {TEMPERATURE:g})\n")
    priors = {"uniform": uniform, "embedded": of_model("embedded"), "embeddings": of_model("embeddings")}
    less = "`embeddings` less `embedded`, 95 %"
    print(head("part", "things", *(f"`{name}`" for name in priors), less, "first guesses"))
    for part, asked in parts.items():
        scores = [np.array(losses(asked, prior)) for prior in priors.values()]
        means = [each.mean(axis=0) for each in scores]
        lost = difference((scores[-1] - scores[-2])[:, 0].tolist())
        guessed = ", ".join(f"{first:.2f}" for _, first in means)
        print(line(part, len(asked), *(f"{loss:.2f}" for loss, _ in means), f"{lost:+.2f}", guessed), flush=True)


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    main(*given, *(data_root() / "store" / "products.tsv", data_root() / "virtualhome")[len(given) :])
