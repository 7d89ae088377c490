"""The English of messages: numbers with their nouns, and suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def counted(number: int, noun: str) -> str:
    """``no arguments``, ``1 argument``, ``2 arguments``."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def near(word: str, known: Iterable[str]) -> str:
    """The known word most similar to ``word``, in quotes; empty if none is similar."""
    from difflib import get_close_matches  # only an error needs it

    spelling = {name.lower(): name for name in known}
    matches = get_close_matches(word.lower(), spelling, n=1, cutoff=0.6)
    return f"'{spelling[matches[0]]}'" if matches else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The suggestion of the known word most similar to ``word``, to be put after it; empty if none is similar."""
    hint = near(word, known)
    return f" (did you mean {hint}?)" if hint else ""


def listed(words: Sequence[str]) -> str:
    """``pick``, ``pick and drop``, ``pick, drop and move``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
