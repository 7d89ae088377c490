"""PDDL3's constraints on the states that a plan passes through (Gerevini, Haslum, Long, Saetti and Dimopoulos 2009).

A plan of n steps passes through n + 1 states, the initial one and the last one among them. Each operator says two
things about itself, which tests hold together:

- what it *means*: ``holds`` judges the truth values of its conditions in all states, one after the other;
- how it is *watched*: a monitor, a few bits of memory that are brought up to date in every state, the initial one
  included. With them it can be told from the present state alone what is forbidden there, and what must hold in the
  last one. Grounding and the compilation to PDDL without constraints are made of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Truths = Sequence[bool]
"""Whether a condition is true in each state that is passed, in their order."""

P, Q = "p", "q"
"""The first and the second condition of an operator, as its monitor calls them."""


class MonitorPart(NamedTuple):
    """A condition (``P``, ``Q``) or a bit of the memory that must be true or (not ``positive``) false."""

    name: str
    positive: bool = True


class Update(NamedTuple):
    """Where all of ``when`` hold, the bit becomes ``value``. ``harms``: that it does can make a plan invalid, so it
    must not be overlooked; any other can only help."""

    when: tuple[MonitorPart, ...]
    bit: str
    value: bool = True
    harms: bool = False


@dataclass(frozen=True)
class Monitor:
    """How an operator is watched.

    ``memory``: its bits, and whether each is true before anything is looked at. ``updates`` are made in this order in
    every state. Then no state may be passed in which all of ``forbidden`` hold (nothing is, where that is empty), and
    all of ``wanted`` must hold in the last one. ``behind``: a bit that says what another one said one state before. Who
    looks at a state before the updates needs it not, and reads the other one.
    """

    memory: Mapping[str, bool] = field(default_factory=dict)
    updates: tuple[Update, ...] = ()
    forbidden: tuple[MonitorPart, ...] = ()
    wanted: tuple[MonitorPart, ...] = ()
    behind: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Operator:
    """One of PDDL3's operators: its ``words``, how many conditions it has, what it means and how it is watched.

    ``in_vain``: the truth value of the first condition that leaves nothing to be kept to, as for what is no member of
    the type that a ``forall`` around it ranges over.
    """

    words: tuple[str, ...]
    operands: int
    holds: Callable[..., bool]
    monitor: Monitor
    in_vain: bool

    @property
    def lasting(self) -> bool:
        """Whether a violation is permanent; else it is judged at the end."""
        return bool(self.monitor.forbidden)

    def __str__(self) -> str:
        return " ".join(self.words)


def _always(p: Truths) -> bool:
    return all(p)


def _at_end(p: Truths) -> bool:
    return p[-1]


def _sometime(p: Truths) -> bool:
    return any(p)


def _at_most_once(p: Truths) -> bool:
    """In one stretch of states without a gap, or never."""
    return sum(now and not before for now, before in zip(p, (False, *p), strict=False)) <= 1


def _sometime_after(p: Truths, q: Truths) -> bool:
    """Then or later."""
    return all(any(q[i:]) for i in range(len(p)) if p[i])


def _sometime_before(p: Truths, q: Truths) -> bool:
    """Strictly before: where both become true at once it is too late."""
    return all(any(q[:i]) for i in range(len(p)) if p[i])


_IS_P, _NOT_P, _IS_Q = MonitorPart(P), MonitorPart(P, False), MonitorPart(Q)

ALWAYS = Operator(("always",), 1, _always, Monitor(forbidden=(_NOT_P,)), in_vain=True)
AT_END = Operator(("at", "end"), 1, _at_end, Monitor(wanted=(_IS_P,)), in_vain=True)
SOMETIME = Operator(
    ("sometime",),
    1,
    _sometime,
    Monitor({"met": False}, (Update((_IS_P,), "met"),), wanted=(MonitorPart("met"),)),
    in_vain=True,
)
AT_MOST_ONCE = Operator(
    ("at-most-once",),
    1,
    _at_most_once,
    Monitor(
        {"seen": False, "over": False},
        (Update((MonitorPart("seen"), _NOT_P), "over", harms=True), Update((_IS_P,), "seen", harms=True)),
        forbidden=(MonitorPart("over"), _IS_P),
    ),
    in_vain=False,
)
SOMETIME_AFTER = Operator(
    ("sometime-after",),
    2,
    _sometime_after,
    Monitor(
        {"settled": True},
        (Update((_IS_P,), "settled", False, harms=True), Update((_IS_Q,), "settled")),
        wanted=(MonitorPart("settled"),),
    ),
    in_vain=False,
)
SOMETIME_BEFORE = Operator(
    ("sometime-before",),
    2,
    _sometime_before,
    Monitor(
        {"held": False, "before": False},
        (Update((MonitorPart("held"),), "before"), Update((_IS_Q,), "held")),
        forbidden=(_IS_P, MonitorPart("before", False)),
        behind={"before": "held"},
    ),
    in_vain=False,
)

OPERATORS = {
    operator.words[0]: operator
    for operator in (ALWAYS, AT_END, SOMETIME, AT_MOST_ONCE, SOMETIME_AFTER, SOMETIME_BEFORE)
}
"""By the first word."""


class Constraint(NamedTuple):
    """An operator with its conditions, Tarski formulas, for each value of ``variables``, Tarski variables: those of the
    ``forall`` around it."""

    operator: Operator
    variables: tuple[Any, ...]
    conditions: tuple[Any, ...]
