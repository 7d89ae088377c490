"""A policy's model and tokenizer, in a folder of transformers' format. torch and transformers are imported lazily."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from commonsense_lab.learning.settings import TrainConfig
from commonsense_planning.errors import InputError, MissingError
from commonsense_planning.support.reading import reading


def libraries() -> tuple[ModuleType, ModuleType]:
    """Returns torch and transformers. Raises MissingError without the extra ``train``."""
    # threads that wait by spinning take cores from other processes; OpenMP reads this once, when it is loaded
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
        import transformers
    except ImportError as error:
        told = f"a learned policy needs torch and transformers ({error}): pip install 'commonsense-planning[train]'"
        raise MissingError(told) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


UNKNOWN = "[unk]"


def encoder(tokenizer: Any) -> Callable[[str], Sequence[int]]:
    """Returns a function from a text to its tokens by a ``tokenizers.Tokenizer``; it caches them, since texts recur."""
    return cache(lambda text: tokenizer.encode(text, add_special_tokens=False).ids)


def word_tokenizer(texts: Iterable[str]) -> Any:
    """Returns a ``tokenizers.Tokenizer`` of the words, signs and line ends of the texts, in lower case; any other word
    is ``UNKNOWN``. The numbers of the words do not depend on the order of the texts."""
    from tokenizers import Regex, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Split

    lower, split = Lowercase(), Split(Regex(r"\w+|[^\w\s]|\n"), behavior="removed", invert=True)
    words = {word for text in set(texts) for word, _ in split.pre_tokenize_str(lower.normalize_str(text))}
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate([UNKNOWN, *sorted(words)])}, unk_token=UNKNOWN))
    tokenizer.normalizer = lower
    tokenizer.pre_tokenizer = split
    return tokenizer


_FORM, _OURS = "cplan_transcript", 1  # in config.json: the kind of text that the model was trained on


@dataclass(frozen=True)
class PolicyWeights:
    """``model``: transformers' GPT2LMHeadModel. ``tokenizer``: a ``tokenizers.Tokenizer``."""

    model: Any
    tokenizer: Any

    @property
    def positions(self) -> int:
        """The number of tokens that the model can read."""
        return int(self.model.config.n_positions)


def fresh(settings: TrainConfig, tokenizer: Any) -> PolicyWeights:
    """Returns a small GPT-2 with random weights, drawn from torch's global generator."""
    _, transformers = libraries()
    config = transformers.GPT2Config(
        vocab_size=tokenizer.get_vocab_size(),
        n_positions=settings.positions,
        n_embd=settings.width,
        n_layer=settings.layers,
        n_head=settings.heads,
        attn_pdrop=0.0,  # on a CPU, dropout in the attention costs a third of the time
        bos_token_id=None,
        eos_token_id=None,
    )
    return PolicyWeights(transformers.GPT2LMHeadModel(config), tokenizer)


def read_pretrained(folder: Path) -> PolicyWeights:
    """Reads a GPT-2 with its tokenizer from a local folder. Raises InputError if there is none."""
    _, transformers = libraries()
    with _readable(folder, "a GPT-2 that transformers can load: config.json, weights and tokenizer"):
        kind = transformers.AutoConfig.from_pretrained(folder, local_files_only=True).model_type
        if kind != "gpt2":
            raise ValueError(f"it holds a model of the kind {kind}, not gpt2")
        model, found = transformers.GPT2LMHeadModel.from_pretrained(
            folder, local_files_only=True, dtype="float32", output_loading_info=True
        )
        missing = sorted(found["missing_keys"])
        if missing:
            raise ValueError(f"the weights lack {missing[0]}")
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
        if tokenizer.vocab_size > model.config.vocab_size:
            raise ValueError(f"its tokenizer has {tokenizer.vocab_size} tokens, its model {model.config.vocab_size}")
        return PolicyWeights(model, tokenizer.backend_tokenizer)


def read_policy(folder: Path) -> PolicyWeights:
    """Reads what ``save`` wrote. Raises InputError if the folder has anything else."""
    _, transformers = libraries()
    with _readable(folder, "a folder that cplan train-policy wrote"):
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        if getattr(config, _FORM, None) != _OURS:
            raise ValueError("its model was trained by something else")
    return read_pretrained(folder)


def save(weights: PolicyWeights, folder: Path) -> None:
    """Writes the folder's files, each replaced at once: a reader finds the old weights or the new ones."""
    _, transformers = libraries()
    setattr(weights.model.config, _FORM, _OURS)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".writing-") as made:
        weights.model.save_pretrained(made)
        transformers.PreTrainedTokenizerFast(tokenizer_object=weights.tokenizer).save_pretrained(made)
        for file in sorted(Path(made).iterdir()):
            file.replace(folder / file.name)


@contextmanager
def _readable(folder: Path, what: str) -> Iterator[None]:
    """Turns errors of reading a folder into InputError, with ``what`` it should be."""
    from safetensors import SafetensorError

    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; expected {what}")
    with reading(folder, what, also=(RuntimeError, ImportError, SafetensorError)):
        yield
