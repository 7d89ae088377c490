"""A small network learns a small network of flights: ``pytest -m train``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from commonsense_planning.studies.travelling.lessons import (
    Lessons,
    flight_table,
    model_lessons,
    optimal_ways,
    policy_lessons,
    route_lengths,
    shortest_policy,
)
from tests.studies.travelling.test_network import network_of

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(not find_spec("torch"), reason="the extra train is not installed"),
]

RING = network_of(8, {(city, (city + step) % 8) for city in range(8) for step in (1, -1)} | {(0, 4), (4, 0)})


def train(lessons: Lessons, steps: int, seed: int = 0) -> Any:
    from commonsense_planning.studies.travelling.flight_net import train

    return train(lessons, steps, np.random.default_rng(seed))


def test_a_model_is_learned_perfectly() -> None:
    trained = train(model_lessons(optimal_ways(RING)), 60)
    flights = flight_table(RING)
    assert (trained.net.flights() == flights).all()
    assert (route_lengths(shortest_policy(trained.net.flights()), flights, 8) == RING.distances()).all()
    assert trained.loss < 0.1


def test_a_policy_is_learned_perfectly() -> None:
    trained = train(policy_lessons(optimal_ways(RING)), 150)
    lengths = route_lengths(trained.net.next_cities(), flight_table(RING), 6)
    assert (lengths == RING.distances()).all()


def test_policy_and_model_are_networks_of_one_size() -> None:
    ways = optimal_ways(RING)
    policy, model = train(policy_lessons(ways), 1), train(model_lessons(ways), 1)
    assert policy.parameters == model.parameters == sum(p.numel() for p in policy.net.parameters())


def test_equal_generators_give_equal_networks() -> None:
    lessons = model_lessons(optimal_ways(RING))
    first, second, other = train(lessons, 5), train(lessons, 5), train(lessons, 5, seed=1)
    assert first.loss == second.loss != other.loss
    for name, weights in first.net.state_dict().items():
        assert weights.equal(second.net.state_dict()[name])
