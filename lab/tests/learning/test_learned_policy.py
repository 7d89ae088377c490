"""An agent with a policy that always wants the same gets out of circles; the tree of its options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from commonsense_lab.learning.learned_policy import LearnedAgent
from commonsense_lab.learning.policy import START, Trie
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.task import read_task
from commonsense_planning.wording.verbalise import Verbaliser

PACK = Path(__file__).parents[3] / "pddl" / "household"
WANTED = ("walk to the kitchen cabinet", "walk to the kitchen")


class Stubborn:
    """A policy that wants the first of ``WANTED`` that is possible; its tokens are the letters."""

    positions = 100_000

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def reading(self) -> Stubborn:
        return self

    def log_probabilities(self, tokens: Sequence[int], options: Sequence[Sequence[int]]) -> Any:
        texts = ["".join(map(chr, option)).strip() for option in options]
        return np.array([-float(WANTED.index(text)) if text in WANTED else -9.0 for text in texts])


def test_things_of_one_name_are_visited_in_turn_and_no_step_is_repeated() -> None:
    task = read_task(PACK / "domain.pddl", PACK / "problems" / "any-mug.pddl")
    grounded, compiled = task.seen_in_part
    environment, belief = Environment(compiled, grounded.init), Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, environment.look())
    say = Verbaliser(grounded, task.lexicon)
    agent = LearnedAgent(cast(Any, Stubborn()), "Put one mug on the coffee table", say, belief)
    done, steps = set(), []
    for _ in range(12):
        state = belief.state().tobytes()
        decision = agent.decide()
        assert decision.operator is not None
        assert (state, decision.operator) not in done
        done.add((state, decision.operator))
        steps.append(str(grounded.step(decision.operator)))
        agent.observe(decision.operator, environment.step(decision.operator))
    assert steps[:3] == [
        "(walk-to-room kitchen)",
        "(walk-to-place kitchencabinet_1 kitchen)",
        "(walk-to-place kitchencabinet_2 kitchen)",
    ]


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
