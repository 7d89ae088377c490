"""The packs that ship: their worlds are whole, and their lexicons have words for every action and predicate."""

import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from tests.data import REPOSITORY

PACKS = REPOSITORY / "pddl"
HOUSEHOLD = sorted((PACKS / "household" / "problems").glob("*.pddl"))
FLIGHTS = sorted((PACKS / "flights" / "problems").glob("*.pddl"))


def read(path: Path) -> Problem:
    return read_problem(path.parents[1] / "domain.pddl", path, strict=True)


def facts(problem: Problem) -> dict[str, list[tuple[str, ...]]]:
    """Predicate → the arguments of its facts at first."""
    found = defaultdict[str, list[tuple[str, ...]]](list)
    for atom in problem.tarski.init.as_atoms():
        found[atom.predicate.name].append(tuple(map(str, atom.subterms)))
    return found


def members(problem: Problem, *types: str) -> list[str]:
    return [str(constant.symbol) for name in types for constant in problem.tarski.language.get(name).domain()]


@pytest.mark.parametrize("path", HOUSEHOLD, ids=lambda path: path.stem)
def test_a_household_is_whole(path: Path) -> None:
    """Every movable is in one place and of one class, all furniture in one room, and what has no lid is open."""
    problem = read(path)
    assert problem.problem_name == path.stem
    there, movables = facts(problem), members(problem, "movable")
    places = Counter(thing for thing, _ in (*there["on"], *there["inside"]))
    assert set(places.values()) == {1}
    assert len(movables) - len(places) == (1 if path.stem.startswith("missing-") else 0)
    assert Counter(piece for piece, _ in there["located"]) == Counter(members(problem, "container", "surface"))
    assert Counter(thing for thing, _ in there["instance-of"]) == Counter(movables)
    openable, opened = ({name for (name,) in there[way]} for way in ("openable", "opened"))
    assert {*members(problem, "container")} - openable <= opened


def test_there_are_household_problems_of_every_size_and_kind() -> None:
    sizes = {path.stem: len(members(read(path), "movable")) for path in HOUSEHOLD}
    assert len(sizes) >= 12 and min(sizes.values()) == 3 and sizes["demo"] >= 100
    demo = read(PACKS / "household" / "problems" / "demo.pddl")
    assert len(members(demo, "container", "surface")) >= 30 and len(members(demo, "room")) == 4
    for kind in ("unlikely-", "missing-", "any-", "two-"):
        assert any(stem.startswith(kind) for stem in sizes), kind


def test_flights_go_both_ways_between_all_cities() -> None:
    sizes = []
    for path in FLIGHTS:
        problem = read(path)
        flights, cities = {*facts(problem)["direct-flight"]}, members(problem, "city")
        assert problem.problem_name == path.stem
        assert {city for flight in flights for city in flight} == {*cities}
        assert flights == {(there, here) for here, there in flights}
        sizes.append(len(cities))
    assert max(sizes) > 60


@pytest.mark.parametrize("pack", ["household", "flights", "virtualhome"])
def test_a_lexicon_has_words_for_every_action_and_predicate(pack: str) -> None:
    text = re.sub(r";[^\n]*", "", (PACKS / pack / "domain.pddl").read_text(encoding="utf-8"))
    lexicon = tomllib.loads((PACKS / pack / "lexicon.toml").read_text(encoding="utf-8"))
    actions = dict(re.findall(r"\(:action (\S+)\s+:parameters \(([^)]*)\)", text))
    facts = dict(re.findall(r"\(([\w-]+)([^()]*)\)", text.partition("(:predicates")[2].partition("(:")[0]))
    assert (set(lexicon["actions"]), set(lexicon["facts"])) == (set(actions), set(facts))
    for table, signatures in (("actions", actions), ("facts", facts), ("negated", facts)):
        for name, sentence in lexicon[table].items():
            parameters = set(re.findall(r"\?(\w+)", signatures[name]))
            assert set(re.findall(r"\{(\w+)\}", sentence)) <= parameters, name
