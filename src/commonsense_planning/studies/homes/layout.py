"""How problem files are laid out: lines of at most ``LINE_WIDTH`` characters, broken between atoms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

LINE_WIDTH = 110


def comment_lines(comment: str) -> list[str]:
    """``comment`` as PDDL comment lines."""
    return [f"; {line}" for line in wrap(comment, LINE_WIDTH - 2)]


def typed(names: Iterable[str], type_name: str) -> list[str]:
    """Lines that declare ``names`` as objects of the type; none if there are no names."""
    names = list(names)
    return fill([*names, f"- {type_name}"]) if names else []


def block(groups: Iterable[list[str]]) -> list[str]:
    """Each group of atoms as a paragraph."""
    return [line for group in groups for line in fill(group)]


def goal_lines(formula: str) -> list[str]:
    """A formula, broken only between its parts."""
    return fill(re.split(r"(?<=\)) (?=\()", " ".join(formula.split())))


def fill(words: Iterable[str]) -> list[str]:
    """Indented lines of at most ``LINE_WIDTH`` characters; a word is never broken."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= LINE_WIDTH:
            lines[-1] += " " + word
        else:
            lines.append("    " + word)
    return lines
