"""The learner's experiment: which episodes it has, and what comes of a few of them."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from commonsense_planning import __version__
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.studies.travelling import learner
from commonsense_planning.studies.travelling.learner import LearnerEpisode, Setup, learner_episodes
from commonsense_planning.studies.travelling.learner_study import Kind, LearnerLabels, Regime
from commonsense_planning.studies.travelling.network import FlightNetwork
from tests.studies.travelling.test_network import network_of

SETUP = Setup(Path("airports.dat"), Path("routes.dat"), 60, "cplan bench learner")
# two rings of four that meet in one city, and a city that nothing flies from
EIGHTS = {(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 6), (6, 0)}
NETWORK = network_of(8, EIGHTS | {(b, a) for a, b in EIGHTS} | {(0, 7)})


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> FlightNetwork:
    """What the files hold."""
    monkeypatch.setattr(learner, "read_network", lambda airports, routes: NETWORK)
    return NETWORK


def episode(kind: Kind, regime: Regime = Regime.ALL, seed: int = 0, steps: int = 60) -> LearnerEpisode:
    return LearnerEpisode(7, kind, regime, seed, Setup(SETUP.airports, SETUP.routes, steps))


def test_every_size_has_both_kinds_in_both_regimes_seed_by_seed() -> None:
    wanted = learner_episodes(SETUP, [7, 5, 7], 2)
    assert [e.seed for e in wanted] == [0] * 8 + [1] * 8
    assert [e.cities for e in wanted[:8]] == [5] * 4 + [7] * 4
    cell = [(e.regime, e.kind) for e in wanted[:4]]
    assert cell == [(regime, kind) for regime in Regime for kind in Kind]
    assert len({e.key for e in wanted}) == 16


def test_keys_and_labels_tell_what_the_results_depend_on() -> None:
    wanted = LearnerEpisode(7, Kind.MODEL, Regime.HELD_OUT, 3, SETUP)
    text = "flights of airports.dat and routes.dat by city, 60 steps of training"
    assert wanted.key == f"learner: 7 cities, model, held-out, {text}, seed 3"
    assert wanted.labels == LearnerLabels(
        key=wanted.key,
        suite="learner",
        cities=7,
        kind=Kind.MODEL,
        regime=Regime.HELD_OUT,
        seed=3,
        setup=text,
        command="cplan bench learner",
        version=__version__,
    )
    assert pickle.loads(pickle.dumps(wanted)) == wanted


@pytest.mark.parametrize("cities", [2, 8])
def test_only_cities_with_routes_to_each_other_count(cities: int) -> None:
    with pytest.raises(UsageError, match=f"{cities} cities cannot be had: there are 7"):
        learner_episodes(SETUP, [5, cities], 1)


def test_no_training_is_refused() -> None:
    with pytest.raises(UsageError, match="steps must be at least 1, not 0"):
        Setup(Path("a"), Path("b"), 0)


def test_without_torch_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingError, match=r"needs torch .*pip install 'commonsense-planning\[train\]'"):
        episode(Kind.MODEL).run()


needs_torch = pytest.mark.skipif(not find_spec("torch"), reason="the extra train is not installed")


@pytest.mark.train
@needs_torch
@pytest.mark.parametrize("kind", Kind)
def test_a_small_network_is_learned(kind: Kind) -> None:
    row = episode(kind, steps=200).run()
    assert (row.trials, row.successes, row.shortest, row.accuracy) == (42, 42, 42, 1.0)
    assert row.by_distance == {"1": (16, 16), "2": (16, 16), "3": (8, 8), "4": (2, 2)}
    assert (row.size, row.flights, row.shown) == (7, 16, 16)
    assert row.examples == (42 if kind is Kind.POLICY else 7)
    assert row.drawn % 200 == 0


@pytest.mark.train
@needs_torch
def test_pairs_that_were_demonstrated_are_not_tested() -> None:
    policy, model = (episode(kind, Regime.HELD_OUT, steps=2).run() for kind in Kind)
    assert policy.examples + policy.trials == 42
    assert 21 <= policy.examples < 42
    for field in ("trials", "shown", "flights", "parameters", "drawn"):
        assert getattr(policy, field) == getattr(model, field)


@pytest.mark.train
@needs_torch
@pytest.mark.parametrize("regime", Regime)
def test_equal_seeds_give_equal_rows(regime: Regime) -> None:
    first, second, other = (episode(Kind.POLICY, regime, seed, steps=3).run() for seed in (0, 0, 1))
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)
    assert first.loss != other.loss
