"""Reading OpenFlights' files: every line is used or counted under a reason."""

import re
from pathlib import Path

import pytest

from commonsense_lab.studies.travelling.methods import PlaceNames
from commonsense_lab.studies.travelling.network import FlightNetwork, read_cities, render_flights, render_lexicon
from commonsense_lab.studies.travelling.openflights import By, read_openflights
from commonsense_lab.studies.travelling.trip import Journey, travel_of
from commonsense_planning.errors import InputError
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.task import beside_problem, read_task
from commonsense_planning.wording.verbalise import Wording
from lab.tests.studies.rearrangement.small_world import write_flights
from lab.tests.studies.travelling.openflights_files import CITIES, ROUTES, write_openflights
from tests.data import REPOSITORY, shared_data


def test_by_city(tmp_path: Path) -> None:
    found = read_openflights(*write_openflights(tmp_path))
    ids, names, flights = found.network.ids, found.network.names, found.network.flights
    assert {city: (names[i], [ids[to] for to in flights[i]]) for i, city in enumerate(ids)} == CITIES
    assert {city.name: name for city, name in found.ids.items()} == {"New York": "new-york"}


def test_all_lines_of_a_reason_are_counted(tmp_path: Path) -> None:
    airports, routes = write_openflights(tmp_path)
    routes.write_bytes(b"\n".join([ROUTES[0], *[b"?"] * 10]))
    assert read_openflights(airports, routes).routes.reasons["not 9 fields"] == list(range(2, 12))


def test_the_busiest_city_keeps_the_short_name(tmp_path: Path) -> None:
    places = [("Springs", "A"), ("Springs", "B"), ("Springs A", "C"), ("Far", "D"), ("1770", "E"), ("京", "F")]
    pairs = [(1, 3), (3, 1), (1, 2), (2, 0), (0, 3), (2, 3), (3, 2), (4, 5)]
    network = read_openflights(*write_flights(tmp_path, places, pairs)).network
    # "Springs A" has more flights than the Springs of A, whose longer name would have the same id.
    assert dict(zip(network.ids, network.names, strict=True)) == {
        "far": "Far",
        "springs-a": "Springs A",
        "springs": "Springs",
        "springs-a-2": "Springs, A 2",
        "city-1770": "1770",
        "city": "京",
    }
    assert network.countries == {"springs": "B", "springs-a-2": "A"}
    part = network.part([network.ids.index("far"), network.ids.index("springs")])
    assert part.countries == {"springs": "B"}


def test_cities_of_one_name_are_called_by_their_country(tmp_path: Path) -> None:
    ids = ("east-london", "lima", "london", "london-canada")
    names = ("East London", "Lima", "London", "London, Canada")
    countries = {"london": "United Kingdom", "london-canada": "Canada"}
    network = FlightNetwork(ids, names, ((1,), (0, 2), (1, 3), (2,)), countries)
    problem = tmp_path / "there.pddl"
    problem.write_text(render_flights(network, 0, 1, "there", ""))
    beside_problem(problem).write_text(render_lexicon(network))
    task = read_task(REPOSITORY / "pddl" / "flights" / "domain.pddl", problem)
    journey = Journey(travel_of(task.problem), Wording(task.problem, task.lexicon))
    assert journey.words == ("East London", "lima", "London, United Kingdom", "London, Canada")
    asked = journey.is_way("london", "lima")
    assert asked.link == "in 2014 there was a direct flight from London, United Kingdom to lima"
    names_there = PlaceNames(ids, journey.words, LexicalMatcher())
    found = names_there.listed("London\nLondon, Canada\nEast London\nLondon, UK", 9)
    assert found == ["london", "london-canada", "east-london"]
    other = tmp_path / "other.toml"
    other.write_text('[classes]\nlondon = "Londra"\n')
    assert read_task(REPOSITORY / "pddl" / "flights" / "domain.pddl", problem, lexicon=other).lexicon.classes == {
        "london": "Londra"
    }


@pytest.mark.parametrize(("airports", "routes", "message"), [
    ("none.dat", "routes.dat", r"none\.dat: cannot be read"),
    ("airports.dat", ".", "cannot be read"),
    ("routes.dat", "airports.dat", r"routes\.dat: no line can be used \(not 14 fields: 18, .* give airports\.dat"),
    ("airports.dat", "airports.dat", r"airports\.dat: no line can be used .* give routes\.dat of OpenFlights"),
    ("airports.dat", "empty.dat", r"empty\.dat: no line can be used \(the file is empty\)"),
])  # fmt: skip
def test_files_that_are_something_else(tmp_path: Path, airports: str, routes: str, message: str) -> None:
    write_openflights(tmp_path)
    (tmp_path / "empty.dat").touch()
    with pytest.raises(InputError, match=message):
        read_openflights(tmp_path / airports, tmp_path / routes)


@pytest.mark.data
@pytest.mark.parametrize("by", ["city", "airport"])
def test_openflights_own_files(by: By) -> None:
    folder = shared_data("openflights")
    found = read_openflights(folder / "airports.dat", folder / "routes.dat", by)
    network = found.network
    for reading in (found.airports, found.routes):
        assert reading.used + sum(map(len, reading.reasons.values())) == reading.lines
        assert reading.lines == reading.path.read_bytes().count(b"\n")
        assert reading.used > 0.99 * reading.lines
    assert len(set(network.ids)) == len(set(network.names)) == len(network) > 3000
    assert all(re.fullmatch("[a-z][a-z0-9-]*", name) for name in network.ids)
    assert list(network.ids) == sorted(network.ids)
    assert all(list(line) == sorted(set(line)) and i not in line for i, line in enumerate(network.flights))
    if by == "city":
        assert set(found.ids) == {city for cities in read_cities().values() for city in cities}
        assert all(network.names[network.ids.index(name)] == city.name for city, name in found.ids.items())
