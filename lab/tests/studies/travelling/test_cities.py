"""The cities of the experiment on travel planning."""

from __future__ import annotations

import csv

import pytest

from commonsense_lab.studies.travelling.network import bare, read_cities
from commonsense_lab.studies.travelling.trip import FlightKnowledge
from tests.data import shared_data


def test_sizes() -> None:
    cities = read_cities()
    assert {size: len(some) for size, some in cities.items()} == {"large": 68, "mid-size": 62}
    assert len({city.country for city in cities["large"]}) == 68
    assert all(0.5 <= city.population <= 2 for city in cities["mid-size"])
    assert min(city.population for city in cities["large"]) > max(city.population for city in cities["mid-size"])
    every = [*cities["large"], *cities["mid-size"]]
    assert len({bare(city.name) for city in every}) == 130
    codes = [code for city in every for code in city.airports]
    assert len(set(codes)) == len(codes)


def test_the_embedded_model_knows_flights_of_each() -> None:
    knowledge = FlightKnowledge.read()
    for cities in read_cities().values():
        for city in cities:
            assert knowledge.neighbours(f"{city.name}, {city.country}"), city


@pytest.mark.data
def test_each_has_an_airport() -> None:
    with (shared_data("openflights") / "airports.dat").open(encoding="utf-8", newline="") as file:
        airports = [line for line in csv.reader(file, escapechar="\\") if line[4] != "N"]  # \N is none, unescaped
    places = {(bare(line[2]), line[3]) for line in airports}
    codes = {line[4]: line[3] for line in airports}
    for cities in read_cities().values():
        for city in cities:
            assert all(codes[code] == city.country for code in city.airports), city
            assert city.airports or (bare(city.name), city.country) in places, city


@pytest.mark.parametrize(("name", "expected"), [
    ("São Paulo", "sao paulo"),
    ("Tel-Aviv", "tel aviv"),
    ("Sana'a", "sanaa"),
    ("St. John's", "st johns"),
    ("  Ho  Chi Minh\tCity ", "ho chi minh city"),
    ("Køge, Łódź; Straße", "koge lodz strasse"),
    ("İzmir", "izmir"),
    ("北京", ""),
])  # fmt: skip
def test_bare(name: str, expected: str) -> None:
    assert bare(name) == expected
