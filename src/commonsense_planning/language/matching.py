"""From free text to admissible names and actions, by similarity."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Similarities = npt.NDArray[np.float64]


class Matcher(Protocol):
    """Compares texts: the paper's CosineSim over sentence embeddings, or something cheaper in its place."""

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        """The cosine between ``text`` and each option, float64 (options,), in [-1, 1]."""

    def best(self, text: str, options: Sequence[str]) -> int | None:
        """The index of the most similar option (the first of equals); None if none is similar enough."""


class LexicalMatcher:
    """Cosine over hashed words and letter trigrams; needs no weights. Equal texts have similarity 1."""

    SIZE = 2048
    LEAST = 0.4  # below this, a text names none of the options

    def __init__(self) -> None:
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        self._matrices: dict[tuple[str, ...], npt.NDArray[np.float32]] = {}

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        key = tuple(options)
        if key not in self._matrices:
            rows = [self.vector(option) for option in key]
            self._matrices[key] = np.stack(rows) if rows else np.zeros((0, self.SIZE), np.float32)
        return (self._matrices[key] @ self.vector(text)).astype(np.float64)

    def best(self, text: str, options: Sequence[str]) -> int | None:
        """The index of the most similar option (the first of equals); None if none is similar at all."""
        similarity = self.similarities(text, options)
        if not len(similarity) or similarity.max() < self.LEAST:
            return None
        return int(np.argmax(similarity))

    def vector(self, text: str) -> npt.NDArray[np.float32]:
        """The text's unit vector, float32 (SIZE,)."""
        if text not in self._vectors:
            vector = np.zeros(self.SIZE, np.float32)
            words = re.findall(r"[^\W\d_]+|\d+", text.lower())
            words = [w for w in words if w not in _FILLERS] or words  # an object may be called "a"
            for word in words:
                vector[zlib.crc32(word.encode()) % self.SIZE] += 2.0
            letters = f" {' '.join(words)} "
            for i in range(len(letters) - 2):
                vector[zlib.crc32(b"#" + letters[i : i + 3].encode()) % self.SIZE] += 0.5
            norm = float(np.linalg.norm(vector))
            self._vectors[text] = vector / norm if norm else vector
        return self._vectors[text]


_FILLERS = frozenset({"the", "a", "an", "to", "of", "please", "then"})
