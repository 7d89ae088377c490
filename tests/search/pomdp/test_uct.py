"""UCB1, and that the compiled search gives the very tree that UCT, written out, gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, lists_of
from commonsense_planning.kernels.compiled import Compiled, compile_task
from commonsense_planning.kernels.tree import NONE, Tree
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.pomdp.mcts import Choose, MctsOptions, Node, UniformRollout
from commonsense_planning.search.pomdp.uct import CompiledUct, Uct, ucb1
from tests.random_tasks import observed_tasks, task_of, tasks
from tests.scripted import HOUSEHOLD, World

Shape = tuple[Any, ...]


class Twins:
    """Both searches over the same belief, with equal random numbers."""

    def __init__(self, task: Compiled, belief: Belief, config: MctsOptions, seed: int, **limits: int) -> None:
        self.belief = belief
        rngs = np.random.default_rng(seed), np.random.default_rng(seed)
        rollouts = [UniformRollout(task, rng) for rng in rngs]
        self.slow = Uct(task, belief, rollouts[0], config, rngs[0])
        self.fast = CompiledUct(task, belief, rollouts[1], config, rngs[1], **limits)

    def search(self) -> tuple[Node, Node]:
        return self.slow.search(()), self.fast.search(())

    def advance(self, choice: int) -> None:
        self.slow.advance(choice)
        self.fast.advance(choice)


def slow_shape(node: Node) -> Shape:
    """Operators, N, Q and children by action and by what is seen; nodes that no simulation came back to are leaves."""
    if not node.counts.any():
        return ()
    children = {key: slow_shape(child) for key, child in node.children.items()}
    return int(node.counts.sum()), node.operators.tolist(), node.counts.tolist(), node.values.tolist(), children


def fast_shape(tree: Tree) -> Shape:
    below: dict[int, list[int]] = {}
    for node in range(1, tree.used[0]):
        below.setdefault(int(tree.parent[node]), []).append(node)

    def shape(node: int) -> Shape:
        row = tree.row[node]
        if row == NONE or not tree.visits[row]:
            return ()
        edges = slice(tree.first[row], tree.last[row])
        operators, counts, values = (a[edges].tolist() for a in (tree.operators, tree.counts, tree.values))
        children = {(int(tree.choice[n]), int(tree.seen[n])): shape(n) for n in below.get(node, ())}
        return int(tree.visits[row]), operators, counts, values, children

    return shape(0)


def decide(twins: Twins) -> tuple[Node, int]:
    """A decision of both, which is the same: the root, and the index of the operator that was chosen."""
    slow, fast = twins.search()
    assert fast_shape(twins.fast.tree) == slow_shape(slow)
    assert np.array_equal(fast.operators, slow.operators)
    assert np.array_equal(fast.counts, slow.counts)
    assert np.array_equal(fast.values, slow.values)
    if not len(slow.operators):
        return slow, 0
    choice = twins.slow.best(slow)
    assert twins.fast.best(fast) == choice
    return slow, choice


def household(name: str) -> World:
    return World(HOUSEHOLD / "problems" / f"{name}.pddl")


@pytest.mark.parametrize("name", ["small-apple", "two-apples", "unlikely-remote"])
def test_households_give_equal_trees_from_decision_to_decision(name: str) -> None:
    world = household(name)
    twins = Twins(world.compiled, world.belief, MctsOptions(simulations=400, choose=Choose.VALUE), 3)
    kept = 0
    for _ in range(5):
        node, choice = decide(twins)
        operator = int(node.operators[choice])
        world.belief.update(operator, world.environment.step(operator))
        twins.advance(choice)
        kept += twins.slow.root is not None
    assert kept > 2


configs = st.builds(
    MctsOptions,
    simulations=st.integers(1, 60),
    depth=st.integers(1, 6),
    discount=st.sampled_from([0.5, 0.95, 1.0]),
    exploration=st.sampled_from([0.0, 0.3, 2.0]),
    choose=st.sampled_from(list(Choose)),
)


def episode(task: GroundTask, sensors: GroundSensors | None, config: MctsOptions, seed: int) -> None:
    """Both search and act until nothing is applicable, the goal is reached or three actions are done."""
    compiled = compile_task(task, sensors)
    environment = Environment(compiled, task.init)
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, environment.look())
    twins = Twins(compiled, belief, config, seed)
    for _ in range(3):
        node, choice = decide(twins)
        if not len(node.operators):
            return
        operator = int(node.operators[choice])
        seen = environment.step(operator)
        belief.update(operator, seen)
        twins.advance(choice)
        if seen.goal_reached or seen.failed:
            return


@given(tasks(), configs, st.integers(0, 9))
def test_what_is_seen_whole_gives_equal_trees(task: GroundTask, config: MctsOptions, seed: int) -> None:
    episode(task, None, config, seed)


@given(observed_tasks(), configs, st.integers(0, 9))
def test_what_is_seen_in_part_gives_equal_trees(
    case: tuple[GroundTask, GroundSensors], config: MctsOptions, seed: int
) -> None:
    episode(*case, config, seed)


def test_a_group_that_an_action_breaks_gives_equal_trees() -> None:
    """Operator 0 makes a second member of the group true; what is inferred of it must not depend on the world."""
    task = task_of(
        4,
        [([], [], [0], [], 1), ([0], [], [3], [], 1), ([1], [], [], [0], 1), ([], [2], [3], [], 1)],
        [3],
        [1],
    )
    hidden = np.array([True, True, True, False])
    sensors = GroundSensors(hidden, lists_of([[0, 1, 2]]), lists_of([[0]]), lists_of([[]]), lists_of([[1]]))
    episode(task, sensors, MctsOptions(simulations=200, depth=5), 0)


def test_a_full_tree_is_searched_on_but_does_not_grow() -> None:
    world = household("two-apples")
    config = MctsOptions(simulations=3000)
    free = Twins(world.compiled, world.belief, config, 0).fast
    bound = Twins(world.compiled, world.belief, config, 0, most_bytes=2 * free.tree.size).fast
    free.search(())
    node = bound.search(())
    assert bound.tree.size <= bound.most_bytes < free.tree.size
    assert bound.tree.used[0] < free.tree.used[0]
    assert node.counts.sum() == config.simulations
    assert len(free.tree.parent) >= free.tree.used[0] > 1024  # it grew


def test_what_is_not_reached_any_more_is_dropped() -> None:
    world = household("two-apples")
    fast = Twins(world.compiled, world.belief, MctsOptions(simulations=2000), 0).fast
    node = fast.search(())
    before = fast.tree.used.copy()
    choice = fast.best(node)
    operator = int(node.operators[choice])
    world.belief.update(operator, world.environment.step(operator))
    fast.advance(choice)
    assert (fast.tree.used > 0).all()
    assert (fast.tree.used < before).all()
    assert (fast.tree.node[: fast.tree.used[1]] < fast.tree.used[0]).all()


@pytest.fixture
def reports() -> tuple[list[int], Callable[[int], None]]:
    counted: list[int] = []
    return counted, counted.append


def test_progress_is_told_now_and_then(reports: tuple[list[int], Callable[[int], None]]) -> None:
    counted, report = reports
    world = household("small-apple")
    Twins(world.compiled, world.belief, MctsOptions(simulations=600), 0).fast.search((), report)
    assert counted == [256, 512, 600]


def test_ucb1_is_what_the_paper_of_ucb1_has() -> None:
    values, counts = np.array([0.5, 0.2, 0.0, 0.0]), np.array([9, 3, 0, 0])
    bonus = np.sqrt(np.log(12) / counts[:2])
    assert ucb1(values, counts, 2.0).tolist() == [0.5 + 2 * bonus[0], 0.2 + 2 * bonus[1], np.inf, np.inf]
    assert np.isinf(ucb1(values, np.zeros(4, np.int64), 2.0)).all()


def root_after(simulations: int, seed: int) -> Node:
    world = household("two-apples")
    return Twins(world.compiled, world.belief, MctsOptions(simulations=simulations), seed).fast.search(())


def test_every_action_is_tried_before_one_is_tried_again() -> None:
    few, many = root_after(3, 0), root_after(60, 0)
    assert sorted(set(few.counts.tolist())) == [0, 1]
    assert many.counts.min() >= 1


def test_what_is_equally_good_is_chosen_among_at_random() -> None:
    first = {tuple(np.flatnonzero(root_after(3, seed).counts)) for seed in range(8)}
    assert len(first) > 4
    world = household("two-apples")
    search = Twins(world.compiled, world.belief, MctsOptions(choose=Choose.VALUE), 0).fast
    node = root_after(60, 0)
    node.values[:], node.counts[:] = 0.0, 1
    node.counts[0] = 0
    node.values[2] = node.values[5] = 0.5
    assert {search.best(node) for _ in range(40)} == {2, 5}
