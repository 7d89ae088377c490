"""The domain packs as shipped: problems are well-formed, lexicons speak of every action and predicate."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.data import REPOSITORY

PACKS = REPOSITORY / "pddl"
HOUSEHOLD = sorted((PACKS / "household" / "problems").glob("*.pddl"))
FLIGHTS = sorted((PACKS / "flights" / "problems").glob("*.pddl"))


def code(path: Path) -> str:
    """The file without comments."""
    return re.sub(r";[^\n]*", "", path.read_text(encoding="utf-8"))


def section(text: str, head: str) -> str:
    """What stands in ``(:head …)``."""
    start = text.index(f"(:{head}")
    depth = 0
    for i, letter in enumerate(text[start:], start):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[start + len(head) + 2 : i]
    raise AssertionError(f"(:{head} is not closed")


def declared(text: str) -> dict[str, list[str]]:
    """Type → objects, of a problem's ``:objects``."""
    groups = re.findall(r"([^-]+(?:-\w[^-]*)*?) - (\w+)", " ".join(section(text, "objects").split()))
    return {kind: names.split() for names, kind in groups}


@pytest.mark.parametrize("path", HOUSEHOLD + FLIGHTS, ids=lambda path: path.stem)
def test_parentheses_balance_and_the_file_is_called_as_the_problem(path: Path) -> None:
    text = code(path)
    assert text.count("(") == text.count(")")
    assert f"(problem {path.stem})" in text


@pytest.mark.parametrize("path", HOUSEHOLD, ids=lambda path: path.stem)
def test_every_object_is_declared_once_and_in_one_place(path: Path) -> None:
    text = code(path)
    objects = declared(text)
    names = Counter(name for group in objects.values() for name in group)
    assert names.most_common(1)[0][1] == 1
    init = section(text, "init")
    assert set(re.findall(r"[\w-]+", re.sub(r"\([\w-]+", "", init))) <= set(names)
    places = Counter(re.findall(r"\((?:on|inside) (\S+) \S+\)", init))
    nowhere = 1 if path.stem.startswith("missing-") else 0
    assert set(places.values()) == {1}
    assert len(places) == len(objects["movable"]) - nowhere
    furniture = objects["container"] + objects["surface"]
    assert Counter(re.findall(r"\(located (\S+) \S+\)", init)) == Counter(furniture)
    classes = re.findall(r"\(instance-of (\S+) (\S+)\)", init)
    assert Counter(name for name, _ in classes) == Counter(objects["movable"])


@pytest.mark.parametrize("path", HOUSEHOLD, ids=lambda path: path.stem)
def test_containers_without_a_lid_are_open(path: Path) -> None:
    text = code(path)
    init = section(text, "init")
    openable = set(re.findall(r"\(openable (\S+)\)", init))
    opened = set(re.findall(r"\(opened (\S+)\)", init))
    assert set(declared(text)["container"]) - openable <= opened


def test_there_are_household_problems_of_every_size_and_kind() -> None:
    movables = {path.stem: len(declared(code(path))["movable"]) for path in HOUSEHOLD}
    assert len(movables) >= 12
    assert min(movables.values()) == 3
    assert movables["demo"] >= 100
    demo = declared(code(PACKS / "household" / "problems" / "demo.pddl"))
    assert len(demo["container"] + demo["surface"]) >= 30
    assert len(demo["room"]) == 4
    for kind in ("unlikely-", "missing-", "any-", "two-"):
        assert any(stem.startswith(kind) for stem in movables), kind


@pytest.mark.parametrize("path", FLIGHTS, ids=lambda path: path.stem)
def test_flights_go_both_ways_between_declared_cities(path: Path) -> None:
    text = code(path)
    flights = set(re.findall(r"\(direct-flight (\S+) (\S+)\)", section(text, "init")))
    cities = set(section(text, "objects").replace("- city", "").split())
    assert {city for flight in flights for city in flight} == cities
    assert all((there, here) in flights for here, there in flights)


def test_one_flights_problem_is_large() -> None:
    assert max(len(section(code(path), "objects").split()) for path in FLIGHTS) > 60


@pytest.mark.parametrize("pack", ["household", "flights", "virtualhome"])
def test_the_lexicon_speaks_of_every_action_and_predicate(pack: str) -> None:
    text = code(PACKS / pack / "domain.pddl")
    lexicon = tomllib.loads((PACKS / pack / "lexicon.toml").read_text(encoding="utf-8"))
    actions = dict(re.findall(r"\(:action (\S+)\s+:parameters \(([^)]*)\)", text))
    facts = dict(re.findall(r"\(([\w-]+)([^()]*)\)", section(text, "predicates")))
    assert set(lexicon["actions"]) == set(actions)
    assert set(lexicon["facts"]) == set(facts)
    assert set(lexicon["negated"]) <= set(facts)
    for table, signatures in (("actions", actions), ("facts", facts), ("negated", facts)):
        for name, sentence in lexicon[table].items():
            parameters = set(re.findall(r"\?(\w+)", signatures[name]))
            assert set(re.findall(r"\{(\w+)\}", sentence)) <= parameters, name
