"""The whole number that an answer ends with."""

from __future__ import annotations

import re

from commonsense_planning.llm.answers import LONGEST, text_of

_SPACES = " \u00a0\u2009\u202f"
# groups of three digits behind a separator, always the same one; between commas, groups of two as in India
_GROUPED = rf"\d{{1,3}}(?:(?P<mark>[{_SPACES}.'’_])\d{{3}}(?:(?P=mark)\d{{3}})*|(?:,\d{{2,3}})*,\d{{3}})"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-−])?(?P<whole>(?:{_GROUPED})(?!\d)|\d+)(?P<fraction>[.,]\d+)?(?!\w)", re.ASCII
)
_LATEX = re.compile(r"\{,\}|\\[,;!]")  # separators in formulas: 1{,}234 and 1\,234


def last_number(answer: str) -> int | None:
    """The last number of an answer, whatever separates its thousands; None if there is none, or if it is no whole
    number. What a reasoning model thinks first does not count."""
    text = _LATEX.sub("", text_of(answer, 50 * LONGEST)[-LONGEST:])
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    sign, whole, fraction = found[-1].group("sign", "whole", "fraction")
    if fraction is not None and fraction[1:].strip("0"):
        return None
    number = int(re.sub(r"\D", "", whole))
    return -number if sign else number
