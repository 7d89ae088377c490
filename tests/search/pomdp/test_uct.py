"""UCB1, and what the search does with it."""

from __future__ import annotations

import numpy as np

from commonsense_planning.search.pomdp.mcts import Choose, MctsOptions, Node, UniformRollout
from commonsense_planning.search.pomdp.uct import Uct, ucb1
from tests.scripted import HOUSEHOLD, World


def uct(world: World, config: MctsOptions, seed: int) -> Uct:
    rng = np.random.default_rng(seed)
    return Uct(world.compiled, world.belief, UniformRollout(world.compiled, rng), config, rng)


def test_ucb1_is_what_the_paper_of_ucb1_has() -> None:
    values, counts = np.array([0.5, 0.2, 0.0, 0.0]), np.array([9, 3, 0, 0])
    bonus = np.sqrt(np.log(12) / counts[:2])
    assert ucb1(values, counts, 2.0).tolist() == [0.5 + 2 * bonus[0], 0.2 + 2 * bonus[1], np.inf, np.inf]
    assert np.isinf(ucb1(values, np.zeros(4, np.int64), 2.0)).all()


def root_after(simulations: int, seed: int) -> Node:
    world = World(HOUSEHOLD / "problems" / "two-apples.pddl")
    return uct(world, MctsOptions(simulations=simulations), seed).search(())


def test_every_action_is_tried_before_one_is_tried_again() -> None:
    few, many = root_after(3, 0), root_after(60, 0)
    assert sorted(set(few.counts.tolist())) == [0, 1]
    assert many.counts.min() >= 1


def test_what_is_equally_good_is_chosen_among_at_random() -> None:
    first = {tuple(np.flatnonzero(root_after(3, seed).counts)) for seed in range(8)}
    assert len(first) > 4
    world = World(HOUSEHOLD / "problems" / "two-apples.pddl")
    search = uct(world, MctsOptions(choose=Choose.VALUE), 0)
    node = root_after(60, 0)
    node.values[:], node.counts[:] = 0.0, 1
    node.counts[0] = 0
    node.values[2] = node.values[5] = 0.5
    assert {search.best(node) for _ in range(40)} == {2, 5}
