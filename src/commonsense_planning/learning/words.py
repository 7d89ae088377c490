"""From texts to tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

UNKNOWN = "[unk]"


class Encoder:
    """Gives the tokens of a text and keeps them: the same sentences come again and again."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer  # tokenizers.Tokenizer
        self._known: dict[str, list[int]] = {}

    def __call__(self, text: str) -> Sequence[int]:
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._known[text]


def word_tokenizer(texts: Iterable[str]) -> Any:
    """A ``tokenizers.Tokenizer`` of the words, signs and line ends of these texts, in lower case; any other word is
    ``UNKNOWN``. The numbers of the words do not depend on the order of the texts."""
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
