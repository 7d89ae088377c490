"""The kernel that draws a world from a belief."""

from __future__ import annotations

from typing import NamedTuple

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import set_bit
from commonsense_planning.kernels.kernel import FloatRows, Floats, Int32Rows, kernel


class Draws(NamedTuple):
    """The tables for drawing a world, which takes ``size`` numbers in [0, 1).

    Number ``number[i]`` determines which of the facts ``members[i]``, int32 (open groups, widest group) padded with -1,
    is true: the first whose cumulative weight in ``cumulative[i]`` is above that share of the row's last. The numbers
    from ``coins`` on determine the truth of the facts ``independent``, which are in no group: ``independent[i]`` is
    true with probability ``chances[i]``.
    """

    size: int
    number: Int32
    members: Int32Rows
    cumulative: FloatRows
    coins: int
    independent: Int32
    chances: Floats


@kernel
def draw_world(draws: Draws, numbers: Floats, state: State) -> None:
    """Adds the facts drawn by these ``numbers``, float64 (size,), to ``state``, in place, which makes it a world."""
    last = draws.members.shape[1] - 1
    for i in range(len(draws.number)):
        share = numbers[draws.number[i]] * draws.cumulative[i, last]
        low, high = 0, last  # never past the last, whatever the rounding
        while low < high:
            middle = (low + high) >> 1
            if draws.cumulative[i, middle] <= share:
                low = middle + 1
            else:
                high = middle
        if draws.members[i, low] >= 0:
            set_bit(state, draws.members[i, low])
    for i in range(len(draws.independent)):
        if numbers[draws.coins + i] < draws.chances[i]:
            set_bit(state, draws.independent[i])
