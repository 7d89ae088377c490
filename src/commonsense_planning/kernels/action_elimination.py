"""Action elimination: leave out the actions of a plan that it does not need (Nakhost and Müller 2010).

Greedy search with a delete relaxation likes to go to where it will have to be later: nothing says there that going
elsewhere takes one away again. Such detours make a plan long, and its first action wrong.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import failure_reached, goal_reached, is_applicable, progress


def without_redundant(table: Int32, state: State, operators: Int32) -> Int32:
    """The operators of a plan from ``state``, int32 (length,), without those that it reaches the goal without.

    One after the other is left out, with all later ones that then are not applicable; they stay out if the goal is
    still reached, and through no state in which a constraint is violated. What comes out is a plan, no longer and, as
    no cost is negative, no dearer. It takes a number of steps that is quadratic in the length.
    """
    kept = np.ones(len(operators), np.bool_)
    _strike_out(table, state, operators, kept)
    return operators[kept]


@njit(cache=True)
def _strike_out(table: Int32, state: State, operators: Int32, kept: npt.NDArray[np.bool_]) -> None:
    here = state.copy()
    for i in range(len(operators)):
        if not kept[i]:
            continue
        later = here.copy()
        without = kept.copy()
        without[i] = False
        violated = False
        for j in range(i + 1, len(operators)):
            if not without[j]:
                continue
            if not is_applicable(table, later, operators[j]):
                without[j] = False
                continue
            progress(table, later, operators[j])
            violated = violated or failure_reached(table, later)
        if goal_reached(table, later) and not violated:
            kept[:] = without
        else:
            progress(table, here, operators[i])
