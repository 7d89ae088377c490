"""The kernel that draws a world from a belief."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.task.ground_task import Int32
from commonsense_planning.task.kernels import kernel

Floats = npt.NDArray[np.float64]


class Draws(NamedTuple):
    """What a world is drawn with; a world takes ``size`` numbers in [0, 1).

    Number ``number[i]`` says which of the facts ``members[i]``, int32 (open groups, widest group) padded with -1, is
    true: the first whose cumulative weight ``cumulative[i]`` is above that share of the row's last. The numbers from
    ``coins`` on say whether the facts ``loose`` are true, which are in no group: with one half.
    """

    size: int
    number: Int32
    members: Int32
    cumulative: Floats
    coins: int
    loose: Int32


@kernel
def draw_facts(draws: Draws, numbers: Floats, drawn: Int32) -> int:
    """Write the facts that are true in the world of these ``numbers``, float64 (size,), into ``drawn``, beside those
    that are known to be; give how many."""
    count = 0
    width = draws.members.shape[1]
    for i in range(len(draws.number)):
        share = numbers[draws.number[i]] * draws.cumulative[i, width - 1]
        low, high = 0, width - 1  # rounding must not lead past the last
        while low < high:
            middle = (low + high) >> 1
            if draws.cumulative[i, middle] <= share:
                low = middle + 1
            else:
                high = middle
        if draws.members[i, low] >= 0:
            drawn[count] = draws.members[i, low]
            count += 1
    for i in range(len(draws.loose)):
        if numbers[draws.coins + i] < 0.5:
            drawn[count] = draws.loose[i]
            count += 1
    return count
