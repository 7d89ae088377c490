"""Action elimination: leaves out the redundant actions of a plan (Nakhost and Müller 2010).

With a delete relaxation, greedy search likes to go where it will have to be later, since there to go elsewhere does not
mean to leave. Such detours make a plan long, and its first action wrong.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from commonsense_planning.errors import BudgetError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import WORK, State
from commonsense_planning.kernels.engine import carry_out, copy, failed, goal_reached, is_applicable
from commonsense_planning.kernels.kernel import ConstState, Flags, Table, check_signals, kernel

MOST = 20_000_000  # steps, which take about a second


def without_redundant(table: Int32, state: State, operators: Int32) -> Int32:
    """The operators of a plan from ``state``, int32 (length,), without redundant ones.

    Each operator in turn is left out, together with all later ones that are then inapplicable. They remain out if the
    goal is still reached, and no state violates a constraint. The result is a plan that is no longer and, as no cost is
    negative, no more expensive. The number of steps is quadratic in the length: after ``MOST`` of them, or when the
    time is up, the other operators stay.
    """
    kept = np.ones(len(operators), np.uint8)
    with suppress(BudgetError):
        strike_out(table, state, operators, kept, MOST)
    return operators[kept.view(np.bool_)]


@kernel
def strike_out(table: Table, state: ConstState, operators: Table, kept: Flags, most: int) -> None:
    """Sets ``kept`` to 0 for the operators that ``without_redundant`` leaves out; all are 1 before. It is a plan at any
    time. ``most``: the limit on the steps."""
    here: State = np.empty(len(state), np.uint64)
    later: State = np.empty(len(state), np.uint64)
    without: Flags = np.empty(len(kept), np.uint8)
    work: Int32 = np.empty(table[WORK], np.int32)
    copy(state, here)
    for i in range(len(operators)):
        if not kept[i]:
            continue
        most -= len(operators) - i
        if most < 0:
            return
        check_signals()
        copy(here, later)
        without[:] = kept
        without[i] = 0
        violated = False
        for j in range(i + 1, len(operators)):
            if not without[j]:
                continue
            if not is_applicable(table, later, operators[j]):
                without[j] = 0
                continue
            carry_out(table, later, operators[j], work)
            violated = violated or failed(table, later) >= 0
        if goal_reached(table, later) and not violated:
            kept[:] = without
        else:
            carry_out(table, here, operators[i], work)
