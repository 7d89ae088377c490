"""The exact log-probabilities that a trained model gives to actions, in one pass over their trie."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_lab.learning.weights import encoder, libraries, read_policy

START = -1


class Trie:
    """The inner tokens of sequences: all but the last of each, and shared prefixes once.

    ``tokens`` and ``depths`` (0 for first tokens) of the nodes, parents before children. ``above``: bool (nodes,
    nodes), whether the column's node is the row's or above it. ``paths``: for each sequence its tokens, each with the
    node that it follows, ``START`` for the first.
    """

    def __init__(self, sequences: Sequence[Sequence[int]]) -> None:
        self.tokens: list[int] = []
        self.depths: list[int] = []
        self.paths: list[list[tuple[int, int]]] = []
        parents: list[int] = []
        children: dict[tuple[int, int], int] = {}
        for sequence in sequences:
            node, path = START, []
            for depth, token in enumerate(sequence):
                path.append((node, token))
                if depth == len(sequence) - 1:
                    break
                if (node, token) not in children:
                    children[node, token] = len(self.tokens)
                    self.tokens.append(token)
                    self.depths.append(depth)
                    parents.append(node)
                node = children[node, token]
            self.paths.append(path)
        self.above = np.eye(len(self.tokens), dtype=np.bool_)
        for node, parent in enumerate(parents):
            if parent != START:
                self.above[node] |= self.above[parent]

    def __len__(self) -> int:
        return len(self.tokens)


LogProbabilities = npt.NDArray[np.float64]


class TrainedPolicy:
    """A model that acts. It runs on one core: a pass takes milliseconds, an experiment has a process on every core, and
    the numbers do not depend on their count. Raises InputError for a ``folder`` that ``cplan train-policy`` did not
    write, MissingError without the extra ``train``."""

    def __init__(self, folder: Path) -> None:
        self._torch, self._transformers = libraries()
        weights = read_policy(folder)
        self._torch.set_num_threads(1)
        self._model = weights.model.eval()
        self.encode = encoder(weights.tokenizer)
        self.positions = weights.positions

    def reading(self) -> GrowingTranscript:
        """Begins to read a transcript."""
        return GrowingTranscript(self._torch, self._transformers, self._model)


class GrowingTranscript:
    """The passes over one growing transcript, which read only its new tokens."""

    def __init__(self, torch: Any, transformers: Any, model: Any) -> None:
        self._torch = torch
        self._model = model
        self._cache = transformers.DynamicCache(config=model.config)
        self._tokens: list[int] = []  # what the cache holds

    def log_probabilities(self, tokens: Sequence[int], options: Sequence[Sequence[int]]) -> LogProbabilities:
        """Returns the natural logarithm of the probability of each option after ``tokens``: float64 (options,).

        The options follow the transcript as a trie, in which each token attends to the transcript and to the tokens
        above it: shared prefixes are read once, in one pass.
        """
        torch, trie = self._torch, Trie(options)
        same = (old == new for old, new in zip(self._tokens, tokens[:-1], strict=False))
        known = sum(takewhile(bool, same))  # not the last token, whose output is needed
        self._forget(len(self._tokens) - known)
        new = len(tokens) - known
        ahead = torch.zeros(new + len(trie), known + new + len(trie), dtype=torch.bool)
        ahead[:new, : known + new] = torch.ones(new, known + new, dtype=torch.bool).tril(known)
        ahead[new:, : known + new] = True
        ahead[new:, known + new :] = torch.from_numpy(trie.above)
        places = [*range(known, len(tokens)), *(len(tokens) + depth for depth in trie.depths)]
        with torch.inference_mode():
            hidden = self._model.transformer(
                input_ids=torch.tensor([[*tokens[known:], *trie.tokens]]),
                position_ids=torch.tensor([places]),
                attention_mask=ahead[None, None],
                past_key_values=self._cache,
                use_cache=True,
            ).last_hidden_state
            spread = self._model.lm_head(hidden[0, new - 1 :]).double().log_softmax(-1).numpy()
        self._forget(len(trie))
        self._tokens = list(tokens)
        # row 0 follows the transcript, row 1 + i the trie's token i
        return np.array([sum(spread[1 + at, token] for at, token in steps) for steps in trie.paths])

    def _forget(self, last: int) -> None:
        """Takes the last tokens out of the cache."""
        if last:
            self._cache.crop(-last)


@lru_cache(maxsize=4)
def policy_in(folder: Path) -> TrainedPolicy:
    """Returns the policy of a folder, which is read once in a process."""
    return TrainedPolicy(folder)
