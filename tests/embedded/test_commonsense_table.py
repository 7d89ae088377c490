"""The commonsense table: well-formed, and complete for the objects of the LLM-MCTS paper."""

from __future__ import annotations

import math
import tomllib
from importlib import resources
from typing import Any

import pytest

# The movable objects of the paper's appendix A.1, as it spells them.
PAPER_MOVABLES = """
alcohol, apple, banana, bar soap, bell pepper, boardgame, book, box, bread slice, bucket, candle,
candy bar, carrot, cellphone, cereal, chicken, Chinese food, chips, chocolate syrup, clock, clothes
pants, clothes pile, clothes shirt, coatrack, coffeepot, condiment bottle, condiment shaker, cooking
pot, crackers, crayons, creamy buns, cupcake, cutlery fork, cutlery knife, cutlets, cutting board,
dish bowl, dishwashing liquid, face cream, folder, fryingpan, glasses, globe, hair product, hanger,
juice, keyboard, lime, lotion bottle, magazine, milk, milkshake, minced meat, mouse, mug, notes,
oven tray, pancake, paper, pear, pie, pillow, plate, plum, poundcake, pudding, radio, remote
control, salad, salmon, slippers, sports ball, sundae, teddybear, toilet paper, toothbrush,
toothpaste, towel, towel rack, toy, washing sponge, water glass, whipped cream, wine, wineglass
"""
PAPER_PLACES = """
bathroom cabinet, kitchen cabinet, bathroom counter, fridge, oven, dishwasher, microwave, stove,
bed, bookshelf, cabinet, coffee table, cutting board, floor, fryingpan, kitchen counter, kitchen
table, nightstand, sofa
"""
ROOMS = ("kitchen", "bathroom", "bedroom", "living room", "hallway", "garage")


def words(text: str) -> list[str]:
    return [" ".join(part.split()).lower() for part in text.split(",")]


def squeeze(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "")


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    file = resources.files("commonsense_planning.embedded") / "commonsense.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def names_of(entries: dict[str, Any]) -> dict[str, str]:
    """Squeezed name or alias → canonical name; a name that two entries claim fails the test."""
    names: dict[str, str] = {}
    for canonical, entry in entries.items():
        for name in [canonical, *entry["aliases"]]:
            assert names.setdefault(squeeze(name), canonical) == canonical, name
    return names


def test_every_movable_of_the_paper_has_an_entry(table: dict[str, Any]) -> None:
    names = names_of(table["objects"])
    movables = words(PAPER_MOVABLES)
    assert [name for name in movables if squeeze(name) not in names] == []
    assert len(table["objects"]) >= 2 * len(movables)


def test_every_place_of_the_paper_is_declared(table: dict[str, Any]) -> None:
    names = names_of(table["places"])
    assert [name for name in words(PAPER_PLACES) if squeeze(name) not in names] == []


def test_weights_are_positive_sum_to_one_and_fall(table: dict[str, Any]) -> None:
    for section in ("objects", "categories"):
        for name, entry in table[section].items():
            weights = list(entry["places"].values())
            assert 4 <= len(weights) <= 11, name
            assert all(weight > 0 for weight in weights), name
            assert math.isclose(sum(weights), 1.0, abs_tol=0.011), name
            assert weights == sorted(weights, reverse=True), name


def test_every_place_that_is_named_is_declared_with_that_relation(table: dict[str, Any]) -> None:
    for section in ("objects", "categories"):
        for name, entry in table[section].items():
            for key in entry["places"]:
                relation, _, place = key.partition(" ")
                assert relation in table["places"][place]["relations"], f"{name}: {key}"


def test_categories_rooms_and_relations_are_declared(table: dict[str, Any]) -> None:
    for name, entry in table["objects"].items():
        assert entry["category"] in table["categories"], name
    for name, place in table["places"].items():
        assert set(place["relations"]) <= {"inside", "on"}, name
        assert place.get("room") in {None, *ROOMS}, name


def test_places_nearest_in_use_are_other_declared_places(table: dict[str, Any]) -> None:
    near = {name: place["near"] for name, place in table["places"].items() if "near" in place}
    assert near["wine rack"] == ["inside kitchen cabinet"]
    for name, spots in near.items():
        assert spots, name
        assert len(spots) == len(set(spots)), name
        for spot in spots:
            relation, _, place = spot.partition(" ")
            assert relation in table["places"][place]["relations"], f"{name}: {spot}"
            assert place != name, name
