"""How a file is spoilt: by its tokens and bracketed parts, by its JSON values, and last by its bytes. All draws come
from a ``random.Random``, which is Hypothesis's in the tests, so that it shrinks what it finds."""

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

Mutator = Callable[[Random, Sequence[str]], bytes]
"""Makes a spoilt input of seeds."""

LONG = 60_000  # characters that a part may be repeated to
ODD_WORDS = (
    *("", "-", "0", "-1", "007", "1.5", "1e400", "-1e99", "NaN", "inf", "9" * 30, "9" * 400, "9" * 5000, "x" * 3000),
    *("é", "水", "ß", "İ", "ﬁ", "e\u0301", "\u202e", "\u200b", "\ufeff", "\u2028", "\x85", "\u00a0", "\ud800", "😀"),
    *("\x00", "\x1b[31m", "\x7f", "\t", "\r", "\r\n", "\n", "\x0c", "\\", "'", '"', "`", "{", "}", "[", "]", "<", "&"),
    *("%s", "{x}", "{{", "{%", "../..", "/dev/null", "__class__", "None", "null", "true", ";", "#", ",", ".", "=", ":"),
)
ODD_BYTES = (b"\xff", b"\x00", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc3", b"\xf4\x90\x80\x80", b"\xfe\xff", b"\r\n")
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 10**400, 0.5, -0.0, 1e99, 1e308, float("nan"), float("inf")),
    *("", " ", "0", "x" * 3000, "\ud800", "\x00", "\x1b[31m", "水", "\u202e", "<script>", "| a |", "../..", "\n"),
    *([], [[]], [None], {}, {"": None}, [0] * 3, ["a"] * 2000),
)


def few(rng: Random) -> int:
    """How many changes: mostly one or two, now and then many."""
    return rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 6, 20))


def encoded(rng: Random, text: str) -> bytes:
    """The text as bytes; one time in ten some are put in, left out, doubled or changed, at one place."""
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() >= 0.1:
        return data
    at = rng.randrange(len(data) + 1)
    part = data[at : at + rng.choice((1, 1, 4, 40))]
    others = rng.choice(ODD_BYTES) + part, b"", part * 2, part * 50, bytes(rng.getrandbits(8) for _ in part)
    return data[:at] + rng.choice(others) + data[at + len(part) :]


@dataclass(frozen=True)
class Tokens:
    """Spoils texts by their tokens, which are what ``pattern`` finds, blanks too. A part is a token, or all from an
    opening bracket to the one that closes it. ``odd``: words of the language, which may come where they do not
    belong."""

    pattern: str
    odd: Sequence[str] = ()
    brackets: str = "()"

    def __call__(self, rng: Random, seeds: Sequence[str]) -> bytes:
        return encoded(rng, self.spoilt(rng, rng.choice(seeds), seeds))

    def spoilt(self, rng: Random, text: str, seeds: Sequence[str] = ()) -> str:
        """The text after a few changes; parts may come from any of the seeds."""
        tokens = self._cut(text)
        for _ in range(few(rng)):
            tokens = tokens or [self._word(rng)]
            at = self._place(rng, tokens)
            self._change(rng, tokens, at, self._end(tokens, at), self._cut(rng.choice(seeds)) if seeds else tokens)
        return "".join(tokens)

    def _change(self, rng: Random, tokens: list[str], at: int, end: int, others: list[str]) -> None:
        """One change of the part from ``at`` to ``end``, perhaps to one of ``others``."""
        part, word = tokens[at:end], tokens[at]
        match rng.choice(CHANGES):
            case "drop":
                del tokens[at:end]
            case "double":
                tokens[at:at] = [*part, " "] * rng.choice((1, 1, 1, 1, 1, 1, 2, 5, 40))
            case "swap":
                first, last = sorted((at, self._place(rng, tokens)))
                middle, after = min(self._end(tokens, first), last), self._end(tokens, last)
                tokens[first:after] = [*tokens[last:after], *tokens[middle:last], *tokens[first:middle]]
            case "take" if others:
                start = self._place(rng, others)
                tokens[at : rng.choice((at, end))] = [*others[start : self._end(others, start)], " "]
            case "exchange":  # for a part of the same kind, as far as its first character tells
                alike = [i for i, token in enumerate(others) if _kind(token) == _kind(word)]
                if alike:
                    start = rng.choice(alike)
                    tokens[at:end] = others[start : self._end(others, start)]
            case "put":
                tokens[at : rng.choice((at, end))] = [self._word(rng), rng.choice(("", " "))]
            case "nest":  # some of them as often as no reader takes them
                kind = 2 * rng.randrange(len(self.brackets) // 2)
                times = rng.choice((1, 1, 1, 1, 2, 2, 3, 20, 97, 1100)) if rng.random() < 0.99 else LONG // 2
                head = self._word(rng) if times < 100 and rng.random() < 0.5 else ""
                tokens[at:end] = [f"{self.brackets[kind]}{head} " * times, *part, self.brackets[kind + 1] * times]
            case "unbalance":
                places = [i for i, token in enumerate(tokens) if token and token in self.brackets]
                if places and rng.random() < 0.5:
                    del tokens[rng.choice(places)]
                else:
                    tokens.insert(at, rng.choice(self.brackets))
            case "spell":
                i = rng.randrange(len(word) + 1)
                more = word[:i] + rng.choice("aZ?-_:0 \t") + word[i:]
                tokens[at] = rng.choice((word[:i] + word[i + 1 :], more, word.swapcase(), ""))
            case "repeat":
                said = "".join(part) + " "
                tokens[at:at] = [said * max(1, (LONG if rng.random() < 0.01 else 2000) // len(said))]

    def _cut(self, text: str) -> list[str]:
        return re.findall(self.pattern, text, re.DOTALL)

    def _place(self, rng: Random, tokens: Sequence[str]) -> int:
        at = rng.randrange(len(tokens))
        return at + 1 if tokens[at].isspace() and at + 1 < len(tokens) else at

    def _end(self, tokens: Sequence[str], at: int) -> int:
        """Where the part ends that begins there."""
        opening = self.brackets.find(tokens[at]) if len(tokens[at]) == 1 else -1
        if opening < 0 or opening % 2:
            return at + 1
        depth = 0
        for i in range(at, len(tokens)):
            depth += (tokens[i] == tokens[at]) - (tokens[i] == self.brackets[opening + 1])
            if not depth:
                return i + 1
        return len(tokens)

    def _word(self, rng: Random) -> str:
        return rng.choice(self.odd if self.odd and rng.random() < 0.6 else ODD_WORDS)


CHANGES = (
    *("exchange",) * 6,
    *("drop", "double", "swap", "take", "put", "spell") * 2,
    *("put", "nest", "unbalance", "repeat"),
)


def _kind(token: str) -> str:
    return "a" if token[:1].isalnum() else token[:1]


@dataclass(frozen=True)
class Json:
    """Spoils JSON by its values: left out, doubled, swapped, of another type, taken from another file. ``lines``: a
    seed holds a value a line. One time in four the text is spoilt, too."""

    lines: bool = False

    def __call__(self, rng: Random, seeds: Sequence[str]) -> bytes:
        value = [self._read(rng.choice(seeds))]
        for _ in range(few(rng)):
            self._change(rng, value, seeds)
        lines = value[0] if self.lines and isinstance(value[0], list) else value
        text = "".join(f"{json.dumps(line, ensure_ascii=rng.random() < 0.5)}\n" for line in lines)
        return encoded(rng, TEXT.spoilt(rng, text, seeds) if rng.random() < 0.25 else text)

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
                name = rng.choice((f"{key}x", "", key.upper(), *at))
                at[name] = at.pop(key)
            case 6:
                for _ in range(rng.choice((1, 1, 2, 3, 20))):
                    at[key] = [at[key]] if rng.random() < 0.7 else {"a": at[key]}
            case _:
                at[key] = TEXT.spoilt(rng, at[key]) if isinstance(at[key], str) else rng.choice((-1, 10**20, None))

    def _place(self, rng: Random, root: list[Any]) -> tuple[Any, Any]:
        """Somewhere in a value: a list or an object, and an index or a key of it."""
        at, key = root, 0
        while isinstance(at[key], dict | list) and at[key] and rng.random() < 0.8:
            at = at[key]
            key = rng.choice(list(at)) if isinstance(at, dict) else rng.randrange(len(at))
        return at, key


TEXT = Tokens(r"\s+|\w+|\\.|.", ("null", "true", "1e400", "NaN", "\\ud800", "\\u0000", '"', ":", ","), "[]{}")
