"""Algorithm 1: what a simulation does to the tree, UCT's choices, and the part of a tree that a trace keeps."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.policies import PolicyOf, Probabilities
from commonsense_planning.errors import LateError
from commonsense_planning.search.pomdp.mcts import Choose, Mcts, MctsOptions, Node, UniformRollout, puct
from commonsense_planning.search.pomdp.tree_snapshot import (
    MOST_CHOICES,
    MOST_NODES,
    SnapshotEdge,
    SnapshotNode,
    TreeSnapshot,
    outline,
)
from commonsense_planning.search.pomdp.uct import Uct, ucb1
from tests.scripted import HOUSEHOLD, World, small_apple


def algorithm(world: World, simulations: int = 300, choose: Choose = Choose.VISITS) -> Mcts:
    rng = np.random.default_rng(0)
    rollout, config = UniformRollout(world.compiled, rng), MctsOptions(simulations=simulations, choose=choose)
    return Mcts(world.compiled, world.belief, rollout, config, rng)


def nodes(root: Node) -> Iterator[Node]:
    yield root
    for children in root.children.values():
        for child in children.values():
            yield from nodes(child)


def test_puct_is_the_papers_formula() -> None:
    values, counts, policy = np.array([0.5, 0.0, 0.2]), np.array([3, 0, 1]), np.array([0.2, 0.5, 0.3])
    expected = [0.5 + 0.7 * 0.2 * 2 / 4, 0.7 * 0.5 * 2 / 1, 0.2 + 0.7 * 0.3 * 2 / 2]
    assert np.allclose(puct(values, counts, policy, 0.7), expected)
    assert puct(np.zeros(3), np.zeros(3, np.int64), policy, 0.7).argmax() == 1


def test_every_simulation_is_backed_up_and_q_is_the_mean_of_the_returns() -> None:
    mcts = algorithm(small_apple())
    returns: dict[tuple[int, int], list[float]] = {}
    back_up = mcts.back_up

    def noting(node: Node, choice: int, value: float) -> None:
        returns.setdefault((id(node), choice), []).append(value)
        back_up(node, choice, value)

    mcts.back_up = noting  # type: ignore[method-assign]
    root = mcts.search(())
    assert root.counts.sum() == 300
    for node in nodes(root):
        for choice, (count, value) in enumerate(zip(node.counts, node.values, strict=True)):
            given = returns.get((id(node), choice), [])
            assert count == len(given)
            assert np.isclose(value, np.mean(given)) if given else value == 0


def test_a_new_node_is_rolled_out_once_and_only_then_searched() -> None:
    world = small_apple()
    mcts = algorithm(world, 1)
    root = mcts.search(())
    assert [child.visits for children in root.children.values() for child in children.values()] == [0]
    assert sum(1 for _ in nodes(root)) == 2


def test_the_best_action_is_that_of_the_best_q_or_of_the_most_visits() -> None:
    root = algorithm(small_apple(), 1).search(())
    root.counts[:], root.values[:] = 0, 0.0
    root.counts[:3], root.values[:3] = (5, 2, 2), (0.1, 0.4, 0.4)
    assert algorithm(small_apple(), choose=Choose.VISITS).best(root) == 0
    root.policy = np.linspace(0, 1, len(root.operators))
    assert algorithm(small_apple(), choose=Choose.VALUE).best(root) == 2  # ties by counts, then by the policy


def test_simulations_find_what_the_decision_before_left_in_the_tree() -> None:
    """Opening the fridge shows the apple, from which follows where it is not."""
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen")
    mcts = algorithm(world)
    mcts.search(())
    choice = mcts.root.operators.tolist().index(world.operators["open-container fridge"])
    world.do("open-container fridge")
    mcts.advance(choice)
    kept = mcts.root.counts.sum()
    root = mcts.search(())
    assert root.counts.sum() == kept + 300 > 300
    for node in nodes(root):
        shown = [(action, c.state.tobytes()) for action, below in node.children.items() for c in below.values()]
        assert len(shown) == len(set(shown))


class LatePolicy:
    """No answer comes in time."""

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        raise LateError("the time is up")


def test_where_answers_are_late_the_policy_is_uniform() -> None:
    mcts = algorithm(small_apple(), 10)
    mcts.policy = LatePolicy()
    root = mcts.search(())
    assert root.counts.sum() == 10
    assert root.policy.tolist() == [1 / len(root.operators)] * len(root.operators)


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


def tree(breadth: int, depth: int, visits: int) -> SnapshotNode:
    """A tree in which each choice is tried half as often as the one before it, the last ones never."""

    def choices() -> list[SnapshotEdge]:
        shares = [visits >> (i + 1) for i in range(breadth)] if depth else []
        return [choice(i, n) for i, n in enumerate(shares)]

    def choice(number: int, n: int) -> SnapshotEdge:
        below = [tree(breadth, depth - 1, n)] if n else []
        return SnapshotEdge((number,), n, 1.0 if n else None, 0.5, 1.0, 0.1 if n else math.inf, lambda: below)

    return SnapshotNode((depth,), visits, None, choices)


def drawn(root: SnapshotNode, taken: int = 0) -> dict[str, Any]:
    snapshot = TreeSnapshot(root, taken, "UCB1", 1.4, "rewards", PolicyOf.NOBODY)
    return outline(snapshot, lambda operators: {"action": f"(a{operators[-1]})"}, lambda fact: f"(f{fact})")


def opened(sight: dict[str, Any]) -> list[dict[str, Any]]:
    """All sights whose choices are listed."""
    below = [found for choice in sight.get("choices", ()) for after in choice["then"] for found in opened(after)]
    return [sight, *below] if "choices" in sight else below


def test_a_large_tree_is_cut() -> None:
    told = drawn(tree(breadth=40, depth=30, visits=1 << 30))
    assert len(told["choices"]) == MOST_CHOICES and told["left_out"] == 40 - MOST_CHOICES
    assert len(opened(told)) == MOST_NODES
    least = min(sight["n"] for sight in opened(told)[1:])
    shut = [
        after["n"]
        for sight in opened(told)
        for choice in sight["choices"]
        for after in choice["then"]
        if "choices" not in after
    ]
    assert max(shut) <= least, "the most visited are kept"


def test_what_was_taken_comes_first_even_if_hardly_visited() -> None:
    told = drawn(tree(breadth=40, depth=1, visits=8), taken=39)
    first, second, *_ = told["choices"]
    assert (first["action"], first.get("taken")) == ("(a39)", True)
    assert (second["action"], second["n"]) == ("(a0)", 4) and "taken" not in second


def test_what_was_never_tried_has_no_value_and_no_end() -> None:
    told = drawn(tree(breadth=3, depth=1, visits=2))
    assert [(choice["n"], choice["q"], choice["explore"]) for choice in told["choices"]] == [
        (1, 1.0, 0.1),
        (0, None, None),
        (0, None, None),
    ]


def test_below_the_root_only_tried_actions_are_listed() -> None:
    told = drawn(tree(breadth=3, depth=2, visits=4))
    below = told["choices"][0]["then"][0]
    assert below["seen"] == ["(f1)"]
    assert [choice["n"] for choice in below["choices"]] == [1] and below["left_out"] == 2
