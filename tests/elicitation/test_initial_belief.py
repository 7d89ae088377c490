"""What is believed after the first look, beside what is true; and its scores, by hand and as proper scores must be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.elicitation.initial_belief import (
    InitialBelief,
    Score,
    compare,
    fitted_temperature,
    initial_belief,
    judge,
    reliability,
)
from commonsense_planning.pddl.sensors import read_sensors
from commonsense_planning.pomdp.belief import FLOOR
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.task import read_task
from commonsense_planning.wording.questions import Placement, Question
from tests.scripted import HOUSEHOLD, ScriptedModel

SMALL = HOUSEHOLD / "problems" / "small-apple.pddl"


def fridge_twice_in_three(question: Question) -> Sequence[str]:
    assert isinstance(question, Placement)
    return ["fridge", "fridge", "bathroom counter"] if question.thing == "apple" else []


def look(problem: Path, sensors: Path | None = None) -> InitialBelief:
    task = read_task(HOUSEHOLD / "domain.pddl", problem)
    seen = read_sensors(sensors, task.problem) if sensors else task.sensors
    model = ScriptedModel(fridge_twice_in_three)
    return initial_belief(task.problem, seen, task.contingent, task.lexicon, lambda scene: model, 3)


def test_what_is_in_sight_is_settled_and_what_is_not_there_ruled_out() -> None:
    seen = look(SMALL)
    assert [thing.name for thing in seen.things] == ["apple", "plate"]
    assert (seen.known, seen.unplaced, seen.independent) == (1, 0, 0)  # the toothbrush is in the initial observation
    apple = seen.things[0]
    assert apple.objects == ("apple_1",)
    assert apple.places == ("inside fridge", "inside kitchen cabinet", "on kitchen table")
    assert apple.facts[apple.truth] == "(inside apple_1 fridge)"
    # The bathroom counter is in sight and empty: its third of the answers is gone.
    total = 2 / 3 + 2 * FLOOR
    assert apple.believed == pytest.approx([2 / 3 / total, FLOOR / total, FLOOR / total])
    assert any("where the plate may be" in note for note in seen.notes)


def test_a_thing_in_no_place_is_left_out(tmp_path: Path) -> None:
    problem = tmp_path / "problem.pddl"
    problem.write_text(SMALL.read_text().replace("(inside plate_1 kitchencabinet)", ""))
    seen = look(problem)
    assert [thing.name for thing in seen.things] == ["apple"]
    assert (seen.known, seen.unplaced) == (1, 1)


def test_hidden_facts_outside_of_groups_are_counted(tmp_path: Path) -> None:
    sensors = tmp_path / "sensors.pddl"
    text = (HOUSEHOLD / "sensors.pddl").read_text()
    start, end = text.index("(:exactly-one"), text.index("(:sense")
    sensors.write_text(text[:start] + text[end:])
    seen = look(SMALL, sensors)
    assert (seen.things, seen.known, seen.unplaced, seen.independent) == ((), 0, 0, 12)


shares = st.lists(st.floats(0.01, 1), min_size=2, max_size=6).map(lambda parts: np.array(parts) / sum(parts))


def score(weights: list[float], truth: int) -> Score:
    return judge([np.array(weights)], [truth]).each[0]


def expected(truth: Floats, told: Floats) -> Score:
    """The scores of ``told``, in expectation over the true member."""
    rows = np.array(judge([told] * len(told), range(len(told))).each)
    return Score(*(truth @ rows).tolist())


def test_by_hand() -> None:
    found = score([0.5, 0.25, 0.25], 0)
    assert found == pytest.approx(Score(math.log(2), 0.25 + 2 * 0.0625, 1, 1))
    found = score([0.5, 0.25, 0.25], 2)
    assert found == pytest.approx(Score(math.log(4), 0.25 + 0.0625 + 0.5625, 2.5, 0))
    assert score([6, 2, 2], 1) == score([0.6, 0.2, 0.2], 1), "weights are normalised"


def test_ties_share_rank_and_first_guess() -> None:
    found = score([0.4, 0.4, 0.2], 1)
    assert (found.rank, found.first_guess) == (1.5, 0.5)
    assert score([0.4, 0.4, 0.2], 2)[2:] == (3, 0)


def test_certainty() -> None:
    assert score([0, 1], 1) == (0, 0, 1, 1)
    assert math.copysign(1, score([0, 1], 1).log_loss) == 1
    assert score([0, 1], 0) == (math.inf, 2, 2, 0)


def test_means_weigh_groups_equally() -> None:
    scores = judge([np.array([0.5, 0.5]), np.array([0.7, 0.1, 0.1, 0.1])], [0, 1])
    assert scores.mean == pytest.approx(
        Score((math.log(2) + math.log(10)) / 2, (0.5 + 0.49 + 0.81 + 0.02) / 2, (1.5 + 3) / 2, 0.25)
    )


@given(shares, st.data())
def test_uniform(told: Floats, data: st.DataObject) -> None:
    n = len(told)
    uniform = compare([told], [data.draw(st.integers(0, n - 1))]).uniform.each[0]
    assert uniform == pytest.approx(Score(math.log(n), 1 - 1 / n, (n + 1) / 2, 1 / n))


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(*[st.lists(st.floats(0.01, 1), min_size=n, max_size=n)] * 2)))
def test_nothing_beats_the_true_distribution(pair: tuple[list[float], list[float]]) -> None:
    truth, other = (np.array(parts) / sum(parts) for parts in pair)
    honest, told = expected(truth, truth), expected(truth, other)
    assert honest.log_loss <= told.log_loss + 1e-9
    assert honest.brier <= told.brier + 1e-9
    if abs(truth - other).max() > 0.01:
        assert honest.log_loss < told.log_loss
        assert honest.brier < told.brier


@given(shares)
def test_ranks_are_shared_out(told: Floats) -> None:
    each = judge([told] * len(told), range(len(told))).each
    assert sum(s.rank for s in each) == len(told) * (len(told) + 1) / 2
    assert sum(s.first_guess for s in each) == pytest.approx(1)


def test_reliability_is_the_share_of_true_places_by_what_is_believed() -> None:
    prior = [np.array([0.9, 0.1]), np.array([0.9, 0.1]), np.array([0.6, 0.4])]
    low, middle, high = reliability(prior, [0, 1, 0])
    assert (low.members, low.believed, low.true) == (2, pytest.approx(0.1), 0.5)
    assert (middle.members, middle.true) == (1, 0)
    assert (high.members, high.believed, high.true) == (3, pytest.approx(0.8), pytest.approx(2 / 3))


def test_too_sure_a_belief_wants_a_temperature_above_one() -> None:
    sure = [np.array([0.99, 0.01])] * 4
    temperature, loss = fitted_temperature(sure, [0, 0, 0, 1])
    assert temperature > 2
    assert loss < judge(sure, [0, 0, 0, 1]).mean.log_loss
    assert fitted_temperature([np.array([0.6, 0.4])] * 4, [0, 0, 0, 0])[0] == 0.5
