"""A model's answer as plain text, without the marks that servers and models put around the words, so that every reader
finds the same. The readers (``answers``) recognise labels, numbers and phrases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_HYPHEN = re.compile("[\u2010\u2011]|(?<=\\w)[\u2012\u2013\u2212](?=\\w)")
_QUOTES = str.maketrans({**dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟«»", '"')})
# what a server should have kept to itself: <|im_end|>, </s>, <end_of_turn>, [/INST]
_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:[eb]os|pad|unk|(?:end|start)_of_turn)>|\[/?INST\]")
_TAG = re.compile(r"</?(?:answer|response|output|result|action|choice|plan|goal|solution|final_?answer|steps?)>", re.I)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[\w+-]*[ \t]*$\n?", re.MULTILINE)
_FENCED = re.compile(r"```(?:[\w+-]+\n)?|~~~")
_BOXED = re.compile(r"\$*\\(?:boxed|text|textbf|mathrm)\{((?:[^{}]|\{[^{}]*\})*)\}\$*")
_ESCAPED = re.compile(r"\\([_*#&%$-])")
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_JSON = re.compile(r"[{\[].*[}\]]", re.DOTALL)
_STEPS = {"plan", "steps", "actions"}  # lists under these names have one line per item


@lru_cache(maxsize=5000)  # many of a prior's answers are equal
def plain(answer: str) -> str:
    """The answer without special tokens, code fences, tags around it, LaTeX, tables and JSON, and with common spaces,
    hyphens and quotation marks."""
    text = _HYPHEN.sub("-", _SPACE.sub(" ", _INVISIBLE.sub("", answer))).translate(_QUOTES)
    text = _FENCED.sub("", _FENCE.sub("", _TAG.sub("", _TOKEN.sub("", text))))
    while (shorter := _BOXED.sub(r"\1", text)) != text:
        text = shorter
    text = _ROW.sub(_of_row, _ESCAPED.sub(r"\1", text))
    found = _JSON.search(text)
    if found and (lines := _lines_of(found[0])):
        text = "\n".join((text[: found.start()], *lines, text[found.end() :]))
    return text.strip()


def _of_row(row: re.Match[str]) -> str:
    """A row of a table as an item of a list; nothing of the rule below its head."""
    cells = [cell for cell in map(str.strip, row[1].split("|")) if cell.strip(":- ")]
    number, *rest = cells or [""]
    return f"{number}. {' '.join(rest)}" if rest and number.isdecimal() else " ".join(cells)


def _lines_of(text: str) -> list[str]:
    """The content of JSON, one item per line: "name: value", or the value alone in a list; nothing if it is not JSON,
    or is a list of numbers."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(value, list) and not all(isinstance(item, str | dict) for item in value):
        return []
    return list(_items(value))


def _items(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            if not isinstance(item, dict | list):
                yield f"{name}: {item}"
            elif isinstance(item, list) and name.lower() not in _STEPS and all(isinstance(i, str) for i in item):
                yield f"{name}: {', '.join(item)}"
            else:
                yield f"{name}:"
                yield from _items(item)
    elif isinstance(value, list):
        for item in value:
            yield from _items(item)
    else:
        yield str(value)
