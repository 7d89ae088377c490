"""The cities of the experiment, the embedded model's table of their flights, and what is read out of it."""

import csv
import tomllib
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.studies.travelling.network import bare, read_cities
from commonsense_lab.studies.travelling.trip import TABLE, FlightKnowledge, IsWay
from commonsense_planning.errors import InputError
from commonsense_planning.llm.embedded import EmbeddedModel
from tests.data import shared_data

SMALL = """
[regions.north]
hub = "Hub"
[regions.south]
hub = "Sud"
[cities.Hub]
country = "Norland"
region = "north"
flights = ["Alpha", "Sud", "Ömega"]
[cities.Alpha]
country = "Norland"
region = "north"
aliases = ["Old Alpha"]
[cities.Sud]
country = "Southland"
region = "south"
flights = ["Ömega"]
[cities."Ömega"]
country = "Southland"
region = "south"
flights = ["Zeta"]
[cities.Zeta]
country = "Southland"
region = "south"
hub = "Ömega"
"""


@pytest.fixture
def small(tmp_path: Path) -> FlightKnowledge:
    path = tmp_path / "flights.toml"
    path.write_text(SMALL, encoding="utf-8")
    return FlightKnowledge.read(path)


def test_neighbours_are_named_as_in_the_question_hub_and_busy_ones_first(small: FlightKnowledge) -> None:
    assert small.neighbours("hub") == ("Ömega", "Sud", "Alpha")
    assert small.neighbours("Ömega") == ("Sud", "Hub", "Zeta")  # its region's hub before busier ones
    assert small.neighbours("Hub, Norland", ["OLD ALPHA", "Nowhere", "omega, southland", "Hub", "Zeta"]) == (
        "omega, southland",
        "OLD ALPHA",
    )
    assert small.neighbours("Zeta", ["Sud"]) == ()


def test_routes_go_by_hubs_without_searching(small: FlightKnowledge) -> None:
    assert small.route("Alpha", "hub") == ("Alpha", "hub")
    assert small.route("Alpha", "Sud") == ("Alpha", "Hub", "Sud")
    assert small.route("Alpha", "omega") == ("Alpha", "Hub", "Sud", "omega")
    assert small.route("Alpha", "Zeta") == ("Alpha", "Hub", "Ömega", "Zeta")
    assert small.route("Sud", "Zeta") == ("Sud", "Ömega", "Zeta")
    assert small.route("Zeta", "zeta") == ("Zeta",)


@pytest.mark.parametrize("name", ["", "Nowhere", "Alpha, Southland"])
def test_unknown_cities(small: FlightKnowledge, name: str) -> None:
    assert small.neighbours(name) == small.route(name, "Hub") == small.route("Hub", name) == ()


@pytest.mark.parametrize("text", ["[cities", "", "[regions]\n[cities.A]\ncountry = 'X'\nregion = 'none'"])
def test_files_that_are_no_tables(tmp_path: Path, text: str) -> None:
    path = tmp_path / "flights.toml"
    path.write_text(text)
    with pytest.raises(InputError, match="flights.toml: not a table of flights"):
        FlightKnowledge.read(path)
    with pytest.raises(InputError, match="none.toml"):
        FlightKnowledge.read(tmp_path / "none.toml")


def test_the_table_holds_together() -> None:
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    cities, regions = tables["cities"], tables["regions"]
    pairs = [frozenset((name, to)) for name, city in cities.items() for to in city.get("flights", ())]
    assert all(len(pair) == 2 and pair <= set(cities) for pair in pairs)
    assert len(set(pairs)) == len(pairs), "a pair stands twice"
    assert {city["region"] for city in cities.values()} == set(regions)
    keys = {"country", "region", "hub", "aliases", "flights"}
    for name, city in cities.items():
        assert set(city) <= keys, name
        hub = city.get("hub", regions[city["region"]]["hub"])
        assert hub == name or frozenset((hub, name)) in pairs, f"{name} has no flight to its hub {hub}"
    names = [bare(name) for city, entry in cities.items() for name in {city, *entry.get("aliases", ())}]
    assert len(set(names)) == len(names), "two cities have one name"


def test_the_table_is_symmetrical_and_knows_its_aliases() -> None:
    knowledge = FlightKnowledge.read()
    cities = tomllib.loads(TABLE.read_text(encoding="utf-8"))["cities"]
    near = {name: knowledge.neighbours(name) for name in cities}
    for name, city in cities.items():
        assert near[name], name
        assert name not in near[name]
        assert all(name in near[other] for other in near[name])
        for other in (*city.get("aliases", ()), f"{name}, {city['country']}"):
            assert knowledge.neighbours(other) == near[name], other


def test_it_plays_a_policy() -> None:
    knowledge = FlightKnowledge.read()
    assert knowledge.route("Bombay", "Saigon, Vietnam") == ("Bombay", "Delhi", "Bangkok", "Saigon, Vietnam")
    assert knowledge.neighbours("Paris, United States") == ()


@pytest.mark.parametrize(
    ("start", "end", "said"), [("London", "Paris", "yes"), ("Wellington", "Oslo", "no"), ("London", "Nowhere", None)]
)
def test_it_says_whether_there_is_a_flight(start: str, end: str, said: str | None) -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    (weights,) = model.weigh([IsWay(start, end, "")], 1)
    assert dict(zip(weights.options, weights.shares.tolist(), strict=True)) == {
        answer: float(answer == said) for answer in ("yes", "no")
    }


@pytest.mark.parametrize(
    ("answer", "phrases"), [("yes", ("yes",)), ("No, there is not. Yes?", ("no",)), ("I do not know", ())]
)
def test_the_first_yes_or_no_counts(answer: str, phrases: tuple[str, ...]) -> None:
    assert IsWay("Oslo", "Rome", "").phrases(answer) == phrases


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
