"""Lists of places and routes as models write them, and how they are read."""

import pytest

from commonsense_lab.studies.travelling.methods import PlaceNames
from commonsense_planning.matching.matcher import LexicalMatcher

OBJECTS = {
    "oslo": "Oslo",
    "sao-paulo": "São Paulo",
    "new-york": "New York",
    "paris": "Paris",
    "paris-united-states": "Paris, United States",
    "washington": "Washington, D.C.",
    "fort-de-france": "Fort-de-France",
    "porto": "Porto",
    "porto-alegre": "Porto Alegre",
    "port-of-spain": "Port of Spain",
    "san-jose": "San José",
    "trinidad": "Trinidad and Tobago",
}


@pytest.fixture
def names() -> PlaceNames:
    return PlaceNames(list(OBJECTS), list(OBJECTS.values()), LexicalMatcher())


@pytest.mark.parametrize(("phrase", "place"), [
    ("Oslo", "oslo"),
    ("OSLO", "oslo"),
    ("Sao Paulo", "sao-paulo"),
    ("sao-paulo", "sao-paulo"),
    ("São Paulo (GRU)", "sao-paulo"),
    ("Oslo, Norway", "oslo"),
    ("Paris, France", "paris"),
    ("Paris, United States", "paris-united-states"),
    ("Washington", "washington"),
    ("Washington DC", "washington"),
    ("New York City", "new-york"),
    ("San Jose", "san-jose"),
    ("Porto", "porto"),
    ("France", None),
    ("Atlantis", None),
    ("", None),
])  # fmt: skip
def test_a_phrase_names_a_place(phrase: str, place: str | None, names: PlaceNames) -> None:
    assert names.find(phrase) == place
    assert names.unmatched == (place is None)


def test_names_in_other_scripts_are_not_taken_for_each_other() -> None:
    names = PlaceNames(["tokyo", "osaka"], ["東京", "大阪"], LexicalMatcher())
    assert (names.find("大阪"), names.find("東京"), names.find("京都"), names.find("osaka")) == (
        "osaka",
        "tokyo",
        None,
        "osaka",
    )


@pytest.mark.parametrize("answer", [
    "Oslo\nParis\nPorto",
    "1. Oslo\n2. Paris, France\n3. Porto (OPO)",
    "From there you can fly to:\n- **Oslo**\n- Paris\n* Porto\n",
    "Oslo, Paris, Porto",
    "Oslo, Paris and Porto.",
    "Answer: Oslo; Paris; Porto",
])  # fmt: skip
def test_lists_of_places(answer: str, names: PlaceNames) -> None:
    assert names.listed(answer, 50) == ["oslo", "paris", "porto"]
    assert names.listed(answer, 2) == ["oslo", "paris"]


def test_a_list_may_have_names_with_commas_and_conjunctions(names: PlaceNames) -> None:
    assert names.listed("Washington, D.C.\nTrinidad and Tobago\nOslo, Norway", 50) == ["washington", "trinidad", "oslo"]


def test_unknown_places_are_reported_once(names: PlaceNames) -> None:
    assert names.listed("Oslo\nAtlantis\nEl Dorado", 50) == ["oslo"]
    assert names.take_notes() == ["the model named what is no place here: Atlantis, El Dorado"]
    names.find("Atlantis")
    assert names.take_notes() == []
    names.listed("\n".join(f"Nowhere{i}" for i in range(7)), 50)
    assert names.take_notes()[0].endswith("Nowhere4 and 2 more")


ROUTE = ["oslo", "paris", "new-york"]


@pytest.mark.parametrize("answer", [
    "Oslo -> Paris -> New York",
    "Answer: Oslo → Paris → New York City.",
    "The shortest route is:\n**Oslo => Paris => New York**",
    "Oslo - Paris - New York",
    "Oslo – Paris – New York",
    "Oslo, Paris, New York",
    "Oslo to Paris to New York",
    "1. Oslo\n2. Paris\n3. New York",
    "1. Oslo -> Paris\n2. Paris -> New York",
    "1. Oslo to Paris (Air France)\n2. Paris to New York",
    "Fly from Oslo to Paris, then from Paris to New York.",
    "Oslo -> Porto -> New York is too long, I think.\nOslo -> Paris -> New York",
])  # fmt: skip
def test_routes(answer: str, names: PlaceNames) -> None:
    assert [place for _, place in names.route(answer)] == ROUTE


def test_a_route_may_go_where_nothing_is(names: PlaceNames) -> None:
    assert names.route("Oslo -> Atlantis -> Paris") == [("Oslo", "oslo"), ("Atlantis", None), ("Paris", "paris")]
    assert names.route("Washington, D.C. -> Port of Spain") == [
        ("Washington, D.C", "washington"),
        ("Port of Spain", "port-of-spain"),
    ]
    assert names.route("") == []


@pytest.mark.parametrize("answer", ["-> -> ->", ",,,;\n;;", "1.\n2.\n", "->\n" * 1000, "(" * 5000])
def test_rubbish_is_no_route(answer: str, names: PlaceNames) -> None:
    assert [place for _, place in names.route(answer) if place] == []
    assert names.listed(answer, 5) == []
