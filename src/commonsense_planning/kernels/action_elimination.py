"""Action elimination: leave out the actions of a plan that it does not need (Nakhost and Müller 2010).

Greedy search with a delete relaxation likes to go to where it will have to be later: nothing says there that going
elsewhere takes one away again. Such detours make a plan long, and its first action wrong.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import WORK, State
from commonsense_planning.kernels.engine import carry_out, copy, failure_reached, goal_reached, is_applicable
from commonsense_planning.kernels.kernel import ConstState, Flags, Table, kernel


def without_redundant(table: Int32, state: State, operators: Int32) -> Int32:
    """The operators of a plan from ``state``, int32 (length,), without those that it reaches the goal without.

    One after the other is left out, with all later ones that then are not applicable; they stay out if the goal is
    still reached, and through no state in which a constraint is violated. What comes out is a plan, no longer and, as
    no cost is negative, no dearer. It takes a number of steps that is quadratic in the length.
    """
    kept = np.ones(len(operators), np.uint8)
    strike_out(table, state, operators, kept)
    return operators[kept.view(np.bool_)]


@kernel
def strike_out(table: Table, state: ConstState, operators: Table, kept: Flags) -> None:
    """Set those of ``kept`` to 0 that ``without_redundant`` leaves out; all are 1."""
    here: State = np.empty(len(state), np.uint64)
    later: State = np.empty(len(state), np.uint64)
    without: Flags = np.empty(len(kept), np.uint8)
    work: Int32 = np.empty(table[WORK], np.int32)
    copy(state, here)
    for i in range(len(operators)):
        if not kept[i]:
            continue
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
            violated = violated or failure_reached(table, later)
        if goal_reached(table, later) and not violated:
            kept[:] = without
        else:
            carry_out(table, here, operators[i], work)
