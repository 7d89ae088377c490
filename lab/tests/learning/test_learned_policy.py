"""An agent with a policy that always wants the same gets out of circles; the tree of its options."""

from collections.abc import Callable, Sequence
from typing import Any, Self, cast

import numpy as np

from commonsense_lab.learning.learned_policy import LearnedAgent
from commonsense_lab.learning.policy import START, Trie
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HOUSEHOLD, World

WANTED = ("walk to the kitchen cabinet", "walk to the kitchen")


class Letters:
    """A trained policy whose tokens are the letters, and that finds an option as probable as a function says."""

    positions = 1_000_000

    def __init__(self, log_probability: Callable[[Sequence[int], Sequence[int]], float]) -> None:
        self.log_probability = log_probability

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def reading(self) -> Self:
        return self

    def log_probabilities(self, tokens: Sequence[int], options: Sequence[Sequence[int]]) -> Floats:
        return np.array([self.log_probability(tokens, option) for option in options])


def stubborn(tokens: Sequence[int], option: Sequence[int]) -> float:
    """Wants the first of ``WANTED`` that is possible."""
    text = "".join(map(chr, option)).strip()
    return -float(WANTED.index(text)) if text in WANTED else -9.0


def test_things_of_one_name_are_visited_in_turn_and_no_step_is_repeated() -> None:
    world = World(HOUSEHOLD / "problems" / "any-cabinet.pddl")
    say = Verbaliser(world.task, world.pack.lexicon)
    agent = LearnedAgent(cast(Any, Letters(stubborn)), "Put one mug on the coffee table", say, world.belief)
    done, steps = set(), []
    for _ in range(12):
        state = world.belief.state().tobytes()
        decision = agent.decide()
        assert decision.operator is not None
        assert (state, decision.operator) not in done
        done.add((state, decision.operator))
        steps.append(str(world.task.step(decision.operator)))
        agent.observe(decision.operator, world.environment.step(decision.operator))
    cabinets = [f"(walk-to-place kitchencabinet_{number} kitchen)" for number in range(1, 6)]
    assert steps[:6] == ["(walk-to-room kitchen)", *cabinets]


def test_common_beginnings_are_there_once() -> None:
    trie = Trie([(1, 2, 3), (1, 2, 4, 5), (6,), (1, 7)])
    assert (trie.tokens, trie.depths) == ([1, 2, 4], [0, 1, 2])
    assert trie.above.tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert trie.paths == [
        [(START, 1), (0, 2), (1, 3)],
        [(START, 1), (0, 2), (1, 4), (2, 5)],
        [(START, 6)],
        [(START, 1), (0, 7)],
    ]


def test_branches_are_separate() -> None:
    trie = Trie([(1, 2, 9), (3, 2, 9)])
    assert trie.above.astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
