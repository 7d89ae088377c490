"""The formal goals that a model writes: ``(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table, 1)`` (LLM-MCTS paper,
section 2.2 "Goal", and Listing 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from commonsense_planning.errors import FormalGoalError, Place
from commonsense_planning.instructions.translated_goal import cut
from commonsense_planning.matching.answers import text_of

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = r"""
start: LEAD? term (DASH term)*
term: OPEN NAME COMMA NAME COMMA NAME [COMMA COUNT] CLOSE
LEAD: /formal\s+goal\s*:/i
NAME: /[^\s(),]+(\s+[^\s(),]+)*/
COUNT.2: /0*[1-9][0-9]{0,5}(?![^\s(),])/
OPEN: "("
CLOSE: ")"
COMMA: ","
DASH: "-"
%ignore /\s+/
"""
FORM = "(RELATION, thing, place, count)"
SOURCE = Path("formal goal")  # what located errors call the text
_WORDS = {"OPEN": "'('", "CLOSE": "')'", "COMMA": "','", "DASH": "'-'", "NAME": "a name"}
_WORDS |= {"COUNT": "a count from 1", "$END": "the end"}
_LEAD = re.compile(r"formal\s+goal\s*:", re.IGNORECASE)
_NEXT_QUESTION = re.compile(r"^\s*(?:goal|question)\s*:", re.IGNORECASE | re.MULTILINE)
_TUPLE = re.compile(r"\([^()]*,[^()]*\)")


@dataclass(frozen=True)
class GoalTerm:
    """``count`` things that are called ``thing`` shall stand in ``relation``, in upper case, to a ``place``."""

    relation: str
    thing: str
    place: str
    count: int = 1

    def __str__(self) -> str:
        return f"({self.relation}, {self.thing}, {self.place}, {self.count})"


def render_formal_goal(terms: Iterable[GoalTerm]) -> str:
    """The terms as text; parsing it gives them back."""
    return "-".join(map(str, terms))


def parse_formal_goal(text: str) -> tuple[GoalTerm, ...]:
    """Read a formal goal. Relations are read in any case, a count that is left out is 1, "Formal goal:" may stand
    before it. Raises FormalGoalError, with its place in the text, for anything else."""
    from lark import Token, UnexpectedCharacters, UnexpectedToken

    try:
        tree = _parser().parse(text)
    except UnexpectedToken as error:
        at = len(text.rstrip()) if error.token.type == "$END" else error.token.start_pos or 0
        found = "the end" if error.token.type == "$END" else f"'{cut(str(error.token), 30)}'"
        raise _error(text, at, f"unexpected {found}", error.accepts or error.expected) from error
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise _error(text, at, f"unexpected '{cut(text[at:], 30)}'", error.allowed or ()) from error
    terms = []
    for term in tree.find_data("term"):
        named = [" ".join(t.split()) for t in term.children if isinstance(t, Token) and t.type == "NAME"]
        counts = [int(t) for t in term.children if isinstance(t, Token) and t.type == "COUNT"]
        terms.append((term.meta.start_pos, GoalTerm(named[0].upper(), named[1], named[2], *counts)))
    return tuple(term for _, term in sorted(terms, key=lambda t: t[0]))


def terms_of_answer(answer: str) -> tuple[GoalTerm, ...]:
    """The formal goal in a model's answer, around which there may be other words, or which may be a list. Raises
    FormalGoalError if there is none, or if some of it cannot be read: no part of a goal is passed over."""
    text = text_of(answer)
    lead = _LEAD.search(text)
    rest = text[lead.end() :] if lead else text
    following = _NEXT_QUESTION.search(rest)  # models that continue a text go on with the next question
    if lead and following:
        rest = rest[: following.start()]
    tuples = _TUPLE.findall(rest)
    if not tuples or "(" in _TUPLE.sub("", rest):
        return parse_formal_goal(rest)
    return parse_formal_goal("-".join(tuples))


def _error(text: str, at: int, problem: str, expected: Iterable[str]) -> FormalGoalError:
    before = text[:at].split("\n")
    source = text.split("\n")[len(before) - 1]
    place = Place(SOURCE, len(before), len(before[-1]) + 1, re.sub(r"[\x00-\x1f\x7f-\x9f]", "\ufffd", source))
    words = [word for kind, word in _WORDS.items() if kind in set(expected)]
    return FormalGoalError(place, problem, f"{' or '.join(words)} in {FORM}")


@cache
def _parser() -> Lark:
    """Made once, and only when a goal is read, since Lark takes a while to import."""
    from lark import Lark

    return Lark(GRAMMAR, parser="lalr", propagate_positions=True)
