"""Simulations that wait for the model together, and what is foreseen meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.hindsight import HindsightPlanner
from commonsense_planning.search.mcts import Mcts, MctsOptions, Node
from commonsense_planning.search.parallel_mcts import ParallelMcts
from commonsense_planning.search.policies import Probabilities, Situation, UniformPolicy
from commonsense_planning.search.rollouts import RelaxedPlanRollout, UniformRollout
from tests.scripted import World, small_apple


class Asked:
    """A uniform policy that remembers how many nodes it was asked about at a time."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        self.batches.append(len(situations))
        return UniformPolicy().probabilities(situations)


def searched(parallel: int, simulations: int = 60, seed: int = 0) -> tuple[Node, Asked, World]:
    world = small_apple()
    rng = np.random.default_rng(seed)
    hindsight = HindsightPlanner(world.task, BestFirst(world.compiled), world.belief, rng)
    policy, rollout = Asked(), RelaxedPlanRollout(hindsight)
    config = MctsOptions(simulations=simulations)
    mcts = ParallelMcts(world.compiled, world.belief, policy, rollout, config, rng, parallel)
    return mcts.search(()), policy, world


def nodes(root: Node, foreseen: bool = False) -> Iterator[Node]:
    yield root
    for child in (*root.children.values(), *(root.foreseen.values() if foreseen else ())):
        yield from nodes(child, foreseen)


@pytest.mark.parametrize("parallel", [1, 4, 16])
def test_every_simulation_is_backed_up_and_none_is_left_on_its_way(parallel: int) -> None:
    root, _, _ = searched(parallel)
    assert root.counts.sum() == 60
    for node in nodes(root):
        assert not node.pending.any()
        assert np.abs(node.values).max() <= 1.0


def test_one_at_a_time_asks_one_question_at_a_time() -> None:
    root, policy, _ = searched(1)
    assert set(policy.batches) == {1}
    assert len(policy.batches) == sum(node.policy is not None for node in nodes(root))


def test_several_at_a_time_ask_together_but_no_node_twice() -> None:
    root, policy, _ = searched(8)
    assert 1 < max(policy.batches) <= 8
    assert sum(policy.batches) == sum(node.policy is not None for node in nodes(root, True))
    assert len(policy.batches) < len(searched(1)[1].batches)


def test_what_is_foreseen_is_used_when_a_simulation_gets_there() -> None:
    root, _, _ = searched(16)
    assert any(node.foreseen for node in nodes(root))
    for node in nodes(root):
        assert not set(node.foreseen) & set(node.children)
    assert not any(node.foreseen for node in nodes(searched(1)[0]))


def shape(node: Node) -> object:
    return [node.counts.tolist(), node.values.tolist(), [(k, shape(c)) for k, c in node.children.items()]]


@pytest.mark.parametrize("parallel", [1, 16])
def test_equal_seeds_give_equal_trees(parallel: int) -> None:
    assert shape(searched(parallel)[0]) == shape(searched(parallel)[0])
    assert shape(searched(parallel)[0]) != shape(searched(parallel, seed=1)[0])


def test_one_at_a_time_without_paired_returns_is_algorithm_1() -> None:
    def searched(kind: type[Mcts]) -> Node:
        world, rng = small_apple(), np.random.default_rng(0)
        rollout, config = UniformRollout(world.compiled, rng), MctsOptions(simulations=200)
        return kind(world.compiled, world.belief, UniformPolicy(), rollout, config, rng).search(())

    assert shape(searched(ParallelMcts)) == shape(searched(Mcts))


def test_a_simulation_on_its_way_turns_others_elsewhere() -> None:
    root, _, world = searched(1, simulations=1)
    hindsight = HindsightPlanner(world.task, BestFirst(world.compiled), world.belief, np.random.default_rng(0))
    rollout = RelaxedPlanRollout(hindsight)
    rng = np.random.default_rng(0)
    mcts = ParallelMcts(world.compiled, world.belief, UniformPolicy(), rollout, MctsOptions(), rng)
    root.values[:] = 0
    chosen = {mcts.select(root) for _ in range(len(root.operators))}
    assert len(chosen) == len(root.operators)


@pytest.fixture
def reports() -> tuple[list[int], Callable[[int], None]]:
    counted: list[int] = []
    return counted, counted.append


def test_progress_counts_the_simulations(reports: tuple[list[int], Callable[[int], None]]) -> None:
    counted, report = reports
    world = small_apple()
    rng = np.random.default_rng(0)
    hindsight = HindsightPlanner(world.task, BestFirst(world.compiled), world.belief, rng)
    rollout = RelaxedPlanRollout(hindsight)
    config = MctsOptions(simulations=7)
    ParallelMcts(world.compiled, world.belief, Asked(), rollout, config, rng, 3).search((), report)
    assert counted == [1, 2, 3, 4, 5, 6, 7]
