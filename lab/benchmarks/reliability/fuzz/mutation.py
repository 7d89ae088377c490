"""How a file is spoilt: by its tokens and bracketed parts, by its JSON values, and last by its bytes.

All draws come from a ``random.Random``, so that an input is known by its seed, and Hypothesis can draw in its place and
shrink what it finds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Protocol

LONG = 60_000  # characters that a part may be repeated to

ODD_WORDS = (
    *("", "-", "0", "-1", "007", "1.5", "1e400", "-1e99", "NaN", "inf", "9" * 30, "9" * 400, "9" * 5000, "x" * 3000),
    *("é", "水", "ß", "İ", "ﬁ", "e\u0301", "\u202e", "\u200b", "\ufeff", "\u2028", "\x85", "\u00a0", "\ud800", "😀"),
    *("\x00", "\x1b[31m", "\x7f", "\t", "\r", "\r\n", "\n", "\x0c", "\\", "'", '"', "`", "{", "}", "[", "]", "<", "&"),
    *("%s", "{x}", "{{", "{%", "../..", "/dev/null", "__class__", "None", "null", "true", ";", "#", ",", ".", "=", ":"),
)
ODD_BYTES = (b"\xff", b"\x00", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc3", b"\xf4\x90\x80\x80", b"\xfe\xff", b"\r\n")


class Mutator(Protocol):
    """Makes an input of seeds."""

    def __call__(self, rng: Random, seeds: Sequence[str]) -> bytes:
        """A spoilt input; now and then one that only seems to be."""


def few(rng: Random) -> int:
    """How many changes: mostly one or two, now and then many."""
    return rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 6, 20))


def spoil_bytes(rng: Random, data: bytes) -> bytes:
    """Bytes put in, left out, doubled or changed, at one place."""
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 1, 4, 40)))
    match rng.randrange(5):
        case 0:
            return data[:at] + rng.choice(ODD_BYTES) + data[at:]
        case 1:
            return data[:at] + data[end:]
        case 2:
            return data[:end] + data[at:end] * rng.choice((1, 2, 50)) + data[end:]
        case 3:
            return data[:at] + bytes(rng.getrandbits(8) for _ in range(end - at)) + data[end:]
    return data[:at]


def encoded(rng: Random, text: str) -> bytes:
    """The text as bytes, which are spoilt, too, one time in ten; a half of a surrogate pair is left as it is."""
    data = text.encode("utf-8", "surrogatepass")
    return spoil_bytes(rng, data) if rng.random() < 0.1 else data


@dataclass(frozen=True)
class Tokens:
    """Spoils texts by their tokens, which are what ``pattern`` finds, blanks too. A part is a token, or all from an
    opening bracket to the one that closes it. ``odd``: words of the language, which may come where they do not
    belong."""

    pattern: str
    odd: Sequence[str] = ()
    brackets: str = "()"
    _seen: dict[str, list[str]] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, rng: Random, seeds: Sequence[str]) -> bytes:
        return encoded(rng, self.spoilt(rng, self._cut(rng.choice(seeds)), seeds))

    def spoilt(self, rng: Random, text: str | Sequence[str], seeds: Sequence[str] = ()) -> str:
        """The text, or what has these tokens, after a few changes; parts may come from any of the seeds."""
        tokens = self._regex.findall(text) if isinstance(text, str) else list(text)
        for _ in range(few(rng)):
            if not tokens:
                tokens = [self._word(rng)]
            at = self._place(rng, tokens)
            end = self._end(tokens, at)
            rng.choice(_CHANGES)(self, rng, tokens, at, end, seeds)
        return "".join(tokens)

    def _cut(self, seed: str) -> list[str]:
        """A seed's tokens, found once."""
        if seed not in self._seen:
            self._seen[seed] = self._regex.findall(seed)
        return self._seen[seed]

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.DOTALL)

    def _place(self, rng: Random, tokens: Sequence[str]) -> int:
        at = rng.randrange(len(tokens))
        return at + 1 if tokens[at].isspace() and at + 1 < len(tokens) else at

    def _end(self, tokens: Sequence[str], at: int) -> int:
        """Where the part ends that begins there."""
        opening = self.brackets.find(tokens[at]) if tokens[at] else -1
        if opening < 0 or opening % 2 or len(tokens[at]) > 1:
            return at + 1
        close, depth = self.brackets[opening + 1], 0
        for i in range(at, len(tokens)):
            depth += (tokens[i] == tokens[at]) - (tokens[i] == close)
            if not depth:
                return i + 1
        return len(tokens)

    def _word(self, rng: Random) -> str:
        return rng.choice(self.odd) if self.odd and rng.random() < 0.6 else rng.choice(ODD_WORDS)

    def _drop(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        del tokens[at:end]

    def _double(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        tokens[at:at] = [*tokens[at:end], " "] * rng.choice((1, 1, 1, 1, 1, 1, 2, 5, 40))

    def _swap(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        other = self._place(rng, tokens)
        first, last = sorted((at, other))
        middle, after = min(self._end(tokens, first), last), self._end(tokens, last)
        tokens[first:after] = [*tokens[last:after], *tokens[middle:last], *tokens[first:middle]]

    def _take(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        """From the same place or another one, in the place of this part or before it."""
        others = self._cut(rng.choice(seeds)) if seeds else tokens
        if others:
            start = self._place(rng, others)
            tokens[at : rng.choice((at, end))] = [*others[start : self._end(others, start)], " "]

    def _exchange(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        """For a part of the same kind, as far as its first character tells."""
        others, kind = self._cut(rng.choice(seeds)) if seeds else tokens, _kind(tokens[at])
        for _ in range(8 if others else 0):
            start = rng.randrange(len(others))
            if _kind(others[start]) == kind:
                tokens[at:end] = others[start : self._end(others, start)]
                return

    def _replace(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        tokens[at:end] = [self._word(rng)]

    def _put(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        tokens[at:at] = [self._word(rng), rng.choice(("", " "))]

    def _nest(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        """Brackets around it, and a word before it, some of them as often as no reader takes them."""
        kind = 2 * rng.randrange(len(self.brackets) // 2)
        times = rng.choice((1, 1, 1, 1, 2, 2, 3, 20, 97, 1100)) if rng.random() < 0.99 else LONG // 2
        head = self._word(rng) if times < 100 and rng.random() < 0.5 else ""
        tokens[at:end] = [f"{self.brackets[kind]}{head} " * times, *tokens[at:end], self.brackets[kind + 1] * times]

    def _unbalance(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        """A bracket too many or too few."""
        places = [i for i, token in enumerate(tokens) if token and token in self.brackets]
        if places and rng.random() < 0.5:
            del tokens[rng.choice(places)]
        else:
            tokens.insert(at, rng.choice(self.brackets))

    def _spell(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        """Another letter, a letter less, another case, or two words in one."""
        word = tokens[at]
        i = rng.randrange(len(word) + 1)
        choices = (word[:i] + word[i + 1 :], word[:i] + rng.choice("aZ?-_:0 \t") + word[i:], word.swapcase(), "")
        tokens[at] = rng.choice(choices)

    def _repeat(self, rng: Random, tokens: list[str], at: int, end: int, seeds: Sequence[str]) -> None:
        """Very often, now and then."""
        part = "".join(tokens[at:end]) + " "
        most = LONG if rng.random() < 0.01 else 2000
        tokens[at:at] = [part * max(1, most // len(part))]


def _kind(token: str) -> str:
    return "a" if token[:1].isalnum() else token[:1]


_CHANGES: tuple[Callable[[Tokens, Random, list[str], int, int, Sequence[str]], None], ...] = (
    *(Tokens._exchange,) * 6,
    *(Tokens._drop, Tokens._double, Tokens._swap, Tokens._take, Tokens._replace, Tokens._spell) * 2,
    *(Tokens._put, Tokens._nest, Tokens._unbalance, Tokens._repeat),
)

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 10**400, 0.5, -0.0, 1e99, 1e308, float("nan"), float("inf")),
    *("", " ", "0", "x" * 3000, "\ud800", "\x00", "\x1b[31m", "水", "\u202e", "<script>", "| a |", "../..", "\n"),
    *([], [[]], [None], {}, {"": None}, [0] * 3, ["a"] * 2000),
)


@dataclass(frozen=True)
class Json:
    """Spoils JSON by its values: left out, doubled, swapped, of another type, taken from another file. ``lines``: a
    seed holds a value a line. One time in four the text is spoilt, too."""

    lines: bool = False

    def __call__(self, rng: Random, seeds: Sequence[str]) -> bytes:
        value = [self._read(rng.choice(seeds))]
        for _ in range(few(rng)):
            self._change(rng, value, seeds)
        if self.lines and isinstance(value[0], list):
            text = "".join(f"{_dumped(rng, line)}\n" for line in value[0])
        else:
            text = _dumped(rng, value[0])
        return encoded(rng, _TEXT.spoilt(rng, text, seeds) if rng.random() < 0.25 else text)

    def _read(self, text: str) -> Any:
        return [json.loads(line) for line in text.splitlines()] if self.lines else json.loads(text)

    def _change(self, rng: Random, root: list[Any], seeds: Sequence[str]) -> None:
        at, key = self._place(rng, root)
        match rng.randrange(7):
            case 0 if at is not root:
                del at[key]
            case 1 | 2:
                at[key] = deepcopy(rng.choice(ODD_VALUES))
            case 3:
                there, other = self._place(rng, [self._read(rng.choice(seeds))])
                at[key] = there[other]
            case 4 if isinstance(at, list) and at is not root:
                at[key:key] = at[key : key + 1] * rng.choice((1, 1, 3))
            case 5 if isinstance(at, dict):
                name = rng.choice((f"{key}x", "", key.upper(), rng.choice(list(at))))
                at[name] = at.pop(key)
            case 6:
                for _ in range(rng.choice((1, 1, 2, 3, 20))):  # deeper: as a text
                    at[key] = [at[key]] if rng.random() < 0.7 else {"a": at[key]}
            case _:
                at[key] = _other(rng, at[key])

    def _place(self, rng: Random, root: list[Any]) -> tuple[Any, Any]:
        """Somewhere in a value: a list or an object, and an index or a key of it."""
        at: Any = root
        key: Any = 0
        while isinstance(at[key], dict | list) and at[key] and rng.random() < 0.8:
            at = at[key]
            key = rng.choice(list(at)) if isinstance(at, dict) else rng.randrange(len(at))
        return at, key


def _other(rng: Random, value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, str):
        return _TEXT.spoilt(rng, value)
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return rng.choice((-value, value + 1, value * 10**6, 10**20, 0))
    return deepcopy(rng.choice(ODD_VALUES))


def _dumped(rng: Random, value: Any) -> str:
    """As JSON; letters that are not ASCII as they are, or as JSON's escapes."""
    return json.dumps(value, ensure_ascii=rng.random() < 0.5)


_TEXT = Tokens(r"\s+|\w+|\\.|.", ("null", "true", "1e400", "NaN", "\\ud800", "\\u0000", '"', ":", ","), "[]{}")
