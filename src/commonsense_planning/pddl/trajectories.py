"""PDDL3's constraints on the states along a plan (Gerevini, Haslum, Long, Saetti and Dimopoulos 2009).

A plan of n steps passes through n + 1 states, including the initial and the last one. Each operator has two
definitions, which tests compare:

- its *meaning*: ``holds`` evaluates the truth values of its conditions in all states, in order;
- its *monitor*: a few bits of memory, updated in every state, including the initial one. With them, a condition on the
  present state alone is forbidden, and another one must hold in the last state. Grounding and the compilation to PDDL
  without constraints use monitors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

Truths = Sequence[bool]
"""Whether a condition is true in each state along a plan, in order."""

P, Q = "p", "q"
"""An operator's first and second condition, in its monitor."""


class MonitorPart(NamedTuple):
    """A condition (``P``, ``Q``) or a bit of memory that must be true or (not ``positive``) false."""

    name: str
    positive: bool = True


class Update(NamedTuple):
    """Where all of ``when`` hold, the bit becomes ``value``. ``harms``: whether this can make a plan invalid, so that
    it must not be missed; any other update can only help."""

    when: tuple[MonitorPart, ...]
    bit: str
    value: bool = True
    harms: bool = False


@dataclass(frozen=True)
class Monitor:
    """The monitor of an operator.

    ``memory``: its bits, and their values before the initial state. ``updates``: made in this order in every state.
    Then not all of ``forbidden`` may hold (if it is empty, nothing is forbidden), and all of ``wanted`` must hold in
    the last state. ``behind``: bit → another bit, whose value in the previous state it has. A reader of the state
    before the updates does not need the first one, and reads the other.
    """

    memory: Mapping[str, bool] = field(default_factory=dict)
    updates: tuple[Update, ...] = ()
    forbidden: tuple[MonitorPart, ...] = ()
    wanted: tuple[MonitorPart, ...] = ()
    behind: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Operator:
    """One of PDDL3's operators: its ``words``, its number of conditions, its meaning and its monitor.

    ``in_vain``: the truth value of the first condition for which nothing is required: the value for objects outside the
    type of a surrounding ``forall``.
    """

    words: tuple[str, ...]
    operands: int
    holds: Callable[..., bool]
    monitor: Monitor
    in_vain: bool

    @property
    def lasting(self) -> bool:
        """Whether a violation is permanent; otherwise the constraint is judged at the end."""
        return bool(self.monitor.forbidden)

    def __str__(self) -> str:
        return " ".join(self.words)


def _at_most_once(p: Truths) -> bool:
    """In one contiguous sequence of states, or never."""
    return sum(now and not before for now, before in zip(p, (False, *p), strict=False)) <= 1


def _sometime_after(p: Truths, q: Truths) -> bool:
    """In the same state or later."""
    return all(any(q[i:]) for i in range(len(p)) if p[i])


def _sometime_before(p: Truths, q: Truths) -> bool:
    """Strictly before: in the same state is too late."""
    return all(any(q[:i]) for i in range(len(p)) if p[i])


_IS_P, _NOT_P, _IS_Q = MonitorPart(P), MonitorPart(P, False), MonitorPart(Q)

ALWAYS = Operator(("always",), 1, all, Monitor(forbidden=(_NOT_P,)), in_vain=True)
AT_END = Operator(("at", "end"), 1, itemgetter(-1), Monitor(wanted=(_IS_P,)), in_vain=True)
SOMETIME = Operator(
    ("sometime",),
    1,
    any,
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
"""First word → operator."""


class Constraint(NamedTuple):
    """An operator with its conditions, Tarski formulas, for each value of ``variables``, the Tarski variables of the
    surrounding ``forall``."""

    operator: Operator
    variables: tuple[Any, ...]
    conditions: tuple[Any, ...]
