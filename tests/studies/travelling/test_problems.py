"""Travel problems of networks, and the drawing of pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.studies.travelling.flight_network import FlightNetwork
from commonsense_planning.studies.travelling.problems import WIDTH, draw_pairs, render_flights
from tests.data import REPOSITORY
from tests.studies.travelling.test_flight_network import network_of, networks

DOMAIN = REPOSITORY / "pddl" / "flights" / "domain.pddl"


@pytest.mark.parametrize("size", [2, 3, 40])
def test_a_problem_says_what_the_network_is(tmp_path: Path, size: int) -> None:
    network = network_of(size, {(a, b) for a in range(size) for b in range(size) if (a + b) % 3})
    text = render_flights(network, 0, size - 1, "there", "From here.\n\nTo there.")
    assert text.startswith("; From here.\n;\n; To there.\n(define (problem there)\n")
    assert all(len(line) <= WIDTH for line in text.splitlines())
    path = tmp_path / "problem.pddl"
    path.write_text(text)
    problem = read_problem(DOMAIN, path)
    facts = {str(atom) for atom in problem.tarski.init.as_atoms()}
    flights = {f"direct-flight(c{a},c{b})" for a, line in enumerate(network.flights) for b in line}
    assert facts == {"at(c0)", "visited(c0)", *flights}
    assert str(problem.tarski.goal) == f"at(c{size - 1})"


def test_a_network_without_flights_from_its_last_city(tmp_path: Path) -> None:
    text = render_flights(network_of(2, set()), 0, 1, "nowhere", "")
    (tmp_path / "problem.pddl").write_text(text)
    assert read_problem(DOMAIN, tmp_path / "problem.pddl").problem_name == "nowhere"


@given(networks(), st.data())
def test_pairs_are_different_and_have_a_route(network: FlightNetwork, data: st.DataObject) -> None:
    among = data.draw(st.permutations(range(len(network))))[:6]
    distances = network.distances()
    routes = {(a, b) for a in among for b in among if distances[a, b] > 0}
    drawn = draw_pairs(network, among, len(routes), np.random.default_rng(0))
    assert len(drawn) == len(routes)
    assert set(drawn) == routes
    assert draw_pairs(network, among, len(routes) // 2, np.random.default_rng(0)) == drawn[: len(routes) // 2]
    with pytest.raises(InputError, match="ask for fewer"):
        draw_pairs(network, among, len(routes) + 1, np.random.default_rng(0))
