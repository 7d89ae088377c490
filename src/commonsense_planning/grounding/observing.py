"""What an agent can see of a grounded task: hidden facts, exactly-one groups, sensing rules.

Knowledge is compiled into the state. A state has two halves of equal length: bit ``f`` of the first half says
whether fact ``f`` is true, bit ``f`` of the second whether the agent knows its value. A fact that is not
hidden is always known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Lists, lists_of


@dataclass(frozen=True)
class Observing:
    """``hidden`` bool (facts,). ``groups``: rows of facts of which exactly one is true (or none, once the
    agent has moved it). Sensing rule ``i``: where the facts of ``when.row(i)`` are true and those of
    ``when_not.row(i)`` false, the agent learns the values of the facts ``seen.row(i)``."""

    hidden: npt.NDArray[np.bool_]
    groups: Lists
    when: Lists
    when_not: Lists
    seen: Lists

    @property
    def partial(self) -> bool:
        """True if anything is hidden."""
        return bool(self.hidden.any())


def everything_seen(fact_count: int) -> Observing:
    """Nothing hidden: a fully observable task."""
    empty: Any = lists_of([])
    return Observing(np.zeros(fact_count, np.bool_), empty, empty, empty, empty)
