"""Looking in the order of probability by cost, against the slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.kernels.sensing_rollout import MOST_OBSERVATIONS, TravelCosts, Worlds, sense_in_order
from tests.kernels.reference import sensed_in_order


@st.composite
def searches(draw: st.DrawFn) -> tuple[TravelCosts, np.ndarray, Worlds, int, frozenset[int]]:
    """Up to six looks, each of which shows a separate cell, some on the way to others, some again from where it is
    shown; up to three groups. Masses, and how often a look shows nothing, are powers of two, so that sums have no
    rounding that could decide ties."""
    looks, groups = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    macros = TravelCosts.empty(looks)
    for place in range(looks + 1):
        for look in range(looks):
            if draw(st.integers(0, 5)) == 0:
                continue
            cost = draw(st.integers(1, 5))
            pairs = st.tuples(st.integers(1, cost), st.integers(0, looks - 1))
            via = draw(st.lists(pairs, max_size=MOST_OBSERVATIONS - 1))
            observations = [(after, cell) for after, cell in sorted(set(via)) if cell != look] + [(cost, look)]
            cells = [cell for _, cell in observations]
            observations = [s for i, s in enumerate(observations) if cells.index(s[1]) == i]
            macros.cost[place, look] = cost
            for i, (after, cell) in enumerate(observations):
                macros.after[place, look, i], macros.shown[place, look, i] = after, cell
    count = draw(st.integers(1, 12))
    where = st.integers(-1, looks - 1)
    cell = np.array([[draw(where) for _ in range(groups)] for _ in range(count)], np.int32)
    mass = np.array([[draw(st.sampled_from([0.0, 0.25, 0.5, 1.0, 4.0])) for _ in range(looks)] for _ in range(groups)])
    needed = np.array(draw(st.lists(st.integers(1, 2**groups - 1), min_size=1, max_size=2)), np.int64)
    found = draw(st.integers(0, 2**groups - 1))
    unseen = draw(st.frozensets(st.integers(0, looks - 1)))
    blur = np.array([draw(st.sampled_from([0.0, 0.25, 0.5])) for _ in range(looks)])
    luck = np.array([[draw(st.integers(0, 15)) / 16 for _ in range(groups)] for _ in range(count)])
    worlds = Worlds(cell, np.ones(count), mass, needed, blur, luck)
    return macros, np.arange(looks, dtype=np.int32), worlds, found, unseen


@given(searches())
def test_taking_worlds_together_changes_nothing(
    search: tuple[TravelCosts, np.ndarray, Worlds, int, frozenset[int]],
) -> None:
    macros, rule_of, worlds, found, unseen = search
    looks, count = len(rule_of), len(worlds.weight)
    left = np.zeros(looks)
    left[list(unseen)] = 1.0
    last, cost = np.zeros(count, np.int32), np.zeros(count)
    members = np.arange(0, count, 2 if count > 6 else 1, dtype=np.int32)
    sense_in_order(macros, rule_of, worlds, members, looks, found, left, last, cost)
    for world in members.tolist():
        slow = sensed_in_order(macros, rule_of.tolist(), worlds, world, looks, found, unseen)
        assert (last[world], cost[world]) == slow
