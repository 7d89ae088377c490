"""Algorithm 1: what a simulation does to the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.policies import Probabilities, UniformPolicy
from commonsense_planning.errors import LateError
from commonsense_planning.search.pomdp.mcts import Choose, Mcts, MctsOptions, Node, UniformRollout, puct
from tests.scripted import World, small_apple


def algorithm(world: World, simulations: int = 300, choose: Choose = Choose.VISITS) -> Mcts:
    rng = np.random.default_rng(0)
    rollout, config = UniformRollout(world.compiled, rng), MctsOptions(simulations=simulations, choose=choose)
    return Mcts(world.compiled, world.belief, UniformPolicy(), rollout, config, rng)


def nodes(root: Node) -> Iterator[Node]:
    yield root
    for child in root.children.values():
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
    assert [child.counts.sum() for child in root.children.values()] == [0]
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
    assert mcts.root is not None
    choice = mcts.root.operators.tolist().index(world.operators["open-container fridge"])
    world.do("open-container fridge")
    mcts.advance(choice)
    assert mcts.root is not None
    kept = mcts.root.counts.sum()
    root = mcts.search(())
    assert root.counts.sum() == kept + 300 > 300
    for node in nodes(root):
        shown = [(action, c.state.tobytes()) for (action, _), c in node.children.items()]
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
    assert root.policy is not None
    assert root.policy.tolist() == [1 / len(root.operators)] * len(root.operators)
