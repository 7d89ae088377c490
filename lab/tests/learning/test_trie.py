"""Common beginnings."""

from __future__ import annotations

from commonsense_lab.learning.policy import START, Trie


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


def test_branches_do_not_see_each_other() -> None:
    trie = Trie([(1, 2, 9), (3, 2, 9)])
    assert trie.above.astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
