"""The embedded model: its answers are options, repeat with the seed, and are sensible."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.language.embedded import TABLE, CommonsenseTable, EmbeddedModel
from commonsense_planning.language.questions import NextAction, Placement
from tests.data import shared_data
from tests.language.test_commonsense_table import PAPER_MOVABLES, words

# The places of the paper's appendix A.1 for movable things, with the relation.
INSIDE = "bathroom cabinet, kitchen cabinet, fridge, oven, dishwasher, microwave, stove, cabinet"
ON = "bathroom counter, bed, bookshelf, coffee table, floor, kitchen counter, kitchen table, nightstand, sofa"
PLACES = (*(f"inside {p}" for p in words(INSIDE)), *(f"on {p}" for p in words(ON)))


def top(thing: str) -> str:
    weights = CommonsenseTable.read(TABLE).weights(thing, PLACES)
    assert weights.sum() == pytest.approx(1.0)
    return PLACES[int(np.argmax(weights))]


@pytest.mark.parametrize(
    ("thing", "places"),
    [
        ("milk", {"inside fridge"}),
        ("salmon", {"inside fridge"}),
        ("toothbrush", {"on bathroom counter", "inside bathroom cabinet"}),
        ("plate", {"inside kitchen cabinet", "inside dishwasher", "on kitchen table"}),
        ("book", {"on bookshelf"}),
        ("pillow", {"on bed", "on sofa"}),
        ("remote control", {"on coffee table", "on sofa"}),
        ("frying pan", {"inside stove", "inside kitchen cabinet", "on kitchen counter"}),
    ],
)
def test_the_first_guess_is_sensible(thing: str, places: set[str]) -> None:
    assert top(thing) in places


def test_every_movable_of_the_paper_gets_a_distribution() -> None:
    for thing in words(PAPER_MOVABLES):
        assert top(thing) in PLACES


def test_answers_are_options_and_repeat_with_the_seed() -> None:
    question = Placement("apple", PLACES)
    one, other, third = (EmbeddedModel(np.random.default_rng(seed)) for seed in (1, 1, 2))
    answers = one.ask([question], 50)[0]
    assert len(answers) == 50
    assert set(answers) <= set(PLACES)
    assert answers == other.ask([question], 50)[0]
    assert answers != third.ask([question], 50)[0]
    assert one.usage.questions == 1


def test_an_unknown_thing_falls_back_to_its_category_a_similar_name_or_uniform() -> None:
    table = CommonsenseTable.read(TABLE)
    uniform = np.full(len(PLACES), 1 / len(PLACES))
    assert table.weights("xyzzy", PLACES) == pytest.approx(uniform)
    assert table.weights("apple", ("inside xyzzy", "on plugh")) == pytest.approx([0.5, 0.5])
    assert table.weights("Apple_3", PLACES) == pytest.approx(table.weights("apple", PLACES))
    assert table.weights("toothbrushes", PLACES) == pytest.approx(table.weights("toothbrush", PLACES))
    category = next(iter(table._categories))
    assert not np.allclose(table.weights(category, PLACES), uniform)


def test_what_next_is_answered_from_the_outlook() -> None:
    asked: list[int] = []

    def outlook(n: int) -> list[str]:
        asked.append(n)
        return ["go"] * (n - 1)

    question = NextAction("g", (), ("go", "stay"), lambda: (), outlook)
    assert EmbeddedModel(np.random.default_rng(0)).ask([question], 4)[0] == ["go"] * 3
    assert asked == [4]


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[objects]\n")
    with pytest.raises(InputError, match="not a commonsense table"):
        CommonsenseTable.read(path)


def test_guesses_beat_uniform_ones_on_the_placements_of_virtualhome() -> None:
    truth = json.loads((shared_data() / "virtualhome" / "placements.json").read_text())
    candidates = sorted({(relation, place) for spots in truth.values() for relation, place in spots})
    texts = tuple(f"{relation.lower()} {place}" for relation, place in candidates)
    table = CommonsenseTable.read(TABLE)
    shares, uniform = [], []
    for thing, spots in truth.items():
        plausible = np.array([list(c) in spots for c in candidates])
        shares.append(float(table.weights(thing, texts)[plausible].sum()))
        uniform.append(float(plausible.mean()))
    found, chance = float(np.mean(shares)), float(np.mean(uniform))
    print(f"mass on plausible places: {found:.3f}, uniform {chance:.3f}")
    assert found > max(0.28, chance)
