"""What is new to an agent, in English: what it was not yet told, or what has changed since."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.wording.verbalise import Verbaliser


class News:
    """Tells everything at first, later only what was not so when it was asked before.

    ``hidden``: bool (facts,), the facts that an agent may not know.
    """

    def __init__(self, say: Verbaliser, hidden: npt.NDArray[np.bool_]) -> None:
        self._say = say
        self._hidden = hidden
        self._told: frozenset[tuple[str, tuple[str, ...], bool]] = frozenset()

    def take(self, truth: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]) -> list[str]:
        """The sentences that are new where ``known`` facts are as in ``truth``, both bool (facts,)."""
        current = self._say.statements(truth, known, self._hidden)
        statements = {(s.predicate, s.arguments, s.holds): s.text for s in current}
        told, self._told = self._told, frozenset(statements)
        return [text for statement, text in statements.items() if statement not in told]
