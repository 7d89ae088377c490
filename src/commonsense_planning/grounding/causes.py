"""Chains of reasons why there is no plan: from the goal, through conditions that never hold, to the cause."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.lifted import Schema
from commonsense_planning.pddl.repair import Repair
from commonsense_planning.support.english import listed

MOST_TOLD = 3  # parts of the goal, and as many causes


@dataclass(frozen=True)
class Link:
    """A condition that never holds, for no objects of ``types`` in place of its free variables, (variable, type): a
    literal, or a conjunction. ``text``: as PDDL, with the user's names; ``actions``: the only ones that achieve it."""

    condition: logic.Formula
    types: tuple[tuple[int, int], ...]
    text: str
    actions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cause:
    """The start of a chain of reasons: what is wrong there; ``chain``: the conditions; ``lines``:
    the chain in words, one condition per line, at most ``MOST_LINES`` of them."""

    text: str
    chain: tuple[Link, ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Why:
    """Why there is no plan: ``said`` in short, and the causes, the one with the shortest chain first. ``links``: every
    condition on the way that never holds. ``repairs``: changes that may make a plan possible, those near the causes
    first. Empty, and false, if no reason is known."""

    said: str = ""
    causes: tuple[Cause, ...] = ()
    links: tuple[Link, ...] = ()
    repairs: Callable[[], Iterator[Repair]] = field(default=lambda: iter(()), repr=False, compare=False)

    @property
    def chains(self) -> tuple[tuple[str, ...], ...]:
        """For each cause, the lines from the goal to it."""
        return tuple(cause.lines for cause in self.causes[:MOST_TOLD])

    def __bool__(self) -> bool:
        return bool(self.said)

    def __str__(self) -> str:
        told = [cause.text for cause in self.causes[:MOST_TOLD]]
        if len(told) > 1:
            more = [f"and {len(self.causes) - MOST_TOLD} more"] * (len(self.causes) > MOST_TOLD)
            told = [*(f"({number}) {text}" for number, text in enumerate(told, start=1)), *more]
        return f"{self.said}: {'; '.join(told)}" if told else self.said


Needs = tuple["Condition", ...]
"""Conditions that are needed together; if one of them never holds, all that they are needed for never does."""


@dataclass(frozen=True, eq=False)
class Way:
    """An achiever of a condition, with the types of its variables, and the objects that they are bound to; ``reasons``:
    the alternative reasons why its ``precondition`` never holds then."""

    schema: Schema
    precondition: logic.Formula
    types: Mapping[int, int]
    binding: Mapping[int, int]
    name: str = ""
    reasons: Sequence[Needs] = ()


@dataclass(eq=False)
class Condition:
    """A condition that never holds. ``ways``: its achievers;
    ``chosen``: the names of the achievers by the reason that is told. ``fault``: what is wrong where nothing achieves
    it; ``order``: when it was found; ``is_kind``: whether it only says of what kind an object is."""

    link: Link
    fault: str = ""
    order: int = 0
    is_kind: bool = False
    ways: list[Way] = field(default_factory=list)
    chosen: dict[Needs, list[str]] = field(default_factory=dict)
    depth: float = math.inf

    @property
    def atom(self) -> str:
        """The text of the literal without its negation."""
        text = self.link.text
        return text if self.truth == "true" else text.removeprefix("(not ").removesuffix(")")

    @property
    def truth(self) -> str:
        """The value that an achiever gives to the literal."""
        condition = self.link.condition
        return "true" if not isinstance(condition, logic.Literal) or condition.positive else "false"

    @property
    def breadth(self) -> int:
        """The number of terms, which is small for what there is little of."""
        return sum(len(literal.terms) for literal in logic.literals(self.link.condition))


def measure(conditions: Sequence[Condition]) -> None:
    """Gives each condition the length of its longest chain to a fault; conditions that only a circle explains keep an
    infinite one."""
    for condition in conditions:
        if condition.fault:
            condition.depth = 0
    changed = True
    while changed:
        changed = False
        for condition in (c for c in conditions if c.ways):
            depth = 1 + max(min(max(c.depth for c in needs) for needs in way.reasons) for way in condition.ways)
            changed = changed or depth < condition.depth
            condition.depth = min(depth, condition.depth)


def simplest(reasons: Sequence[Needs]) -> Needs:
    """The reason with the shortest chain; of circles, the one about the fewest terms."""
    return min(reasons, key=lambda needs: (max(c.depth for c in needs), sum(c.breadth for c in needs)))


def behind(condition: Condition) -> set[Condition]:
    """The conditions that a condition needs, directly or not."""
    found: set[Condition] = set()
    waiting = [condition]
    while waiting:
        for needed in itertools.chain.from_iterable(waiting.pop().chosen):
            if needed not in found:
                found.add(needed)
                waiting.append(needed)
    return found


def achieved(condition: Condition, named: bool = False) -> str:
    """What alone achieves a condition, and what that needs; ``named``: with the condition's text."""
    actions, what = condition.link.actions, condition.link.text if named else "it"
    makes = f"only {listed(actions)} {'makes' if len(actions) == 1 else 'make'} {what} {condition.truth}"
    needs = [
        (listed(["it" if c is condition and not named else c.link.text for c in needed]), names)
        for needed, names in condition.chosen.items()
    ]
    if len(needs) > 1:
        each = (f"{listed(names)} {'needs' if len(names) == 1 else 'need'} {text}" for text, names in needs)
        return f"{makes}: {', '.join(each)}"
    who = {1: "that needs", 2: "both need"}.get(len(actions), "all need")
    return f"{makes}, and {who} {needs[0][0]} first"


def needing(condition: Condition, needed: Condition) -> str:
    """The line that a condition needs another one."""
    names = [name for needs, names in condition.chosen.items() if needed in needs for name in names]
    others = len(condition.link.actions) - len(names)
    actions = f"{'' if others else 'only '}{listed(names)} {'makes' if len(names) == 1 else 'make'}"
    need = "needs" if len(names) == 1 else "need"
    return f"{condition.link.text}: {actions} it {condition.truth}, and {need} {needed.link.text}"
