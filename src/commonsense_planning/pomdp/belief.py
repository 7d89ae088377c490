"""The belief over what is hidden: a categorical distribution per exactly-one group (appendix C.2 of the
LLM-MCTS paper).

Seen there: one. Looked and not there: zero, and the rest is normalised again. If all that had any weight is
ruled out, the places not looked at share the mass evenly, and a note says so; if there is none of these
either, the object is nowhere to be found, and a note says that. Hidden facts outside of all groups are true
with one half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import State, make_state
from commonsense_planning.kernels.sampling import Draws, draw_world
from commonsense_planning.pomdp.knowledge import Knowledge

FLOOR = 1e-3  # probability of a place that was never sampled, before normalising (appendix C.2)

Weights = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]


class Belief:
    """What the agent believes, on top of what it knows.

    ``prior[g]``: float64 (members of group g,), not negative. ``name(g)`` says in words what group g is
    about. ``notes`` collects what an honest trace should say.
    """

    def __init__(self, knowledge: Knowledge, prior: Sequence[Weights], name: Callable[[int], str]) -> None:
        self.knowledge = knowledge
        self.groups = knowledge.task.observing.groups
        self.notes: list[str] = []
        self._name = name
        self._noted: set[tuple[int, str]] = set()
        self._found = np.zeros(
            len(self.groups), np.bool_
        )  # groups of which a member was ever seen to be true
        count = len(self.groups)
        widest = max((len(p) for p in prior), default=0)
        self._members = np.full((count, widest), -1, np.int32)  # padded with -1
        self._prior = np.zeros((count, widest))
        for g in range(count):
            members = self.groups.row(g)
            self._members[g, : len(members)] = members
            self._prior[g, : len(members)] = prior[g]
        grouped = np.zeros(len(knowledge.truth), np.bool_)
        grouped[self.groups.items] = True
        self._loose = np.flatnonzero(knowledge.task.hidden[: len(grouped)] & ~grouped).astype(np.int32)

    def distributions(self, known: Bits | None = None) -> Weights:
        """Probabilities, float64 (groups, widest group): zero for padding and where the value is known; a row
        is all zero if nothing in it is open. ``known`` bool (facts,) stands in for the agent's knowledge in a
        simulation."""
        known = self.knowledge.known if known is None else known
        still_open = (self._members >= 0) & ~known[self._members]
        weights = np.where(still_open, self._prior, 0.0)
        total = weights.sum(axis=1, keepdims=True)
        spent = (total[:, 0] <= 0) & still_open.any(axis=1)
        if spent.any():
            weights[spent] = still_open[spent]
            total = weights.sum(axis=1, keepdims=True)
        np.divide(weights, total, out=weights, where=total > 0)
        return weights

    def distribution(self, group: int) -> Weights:
        """The agent's probabilities of one group's members, float64 (members,)."""
        return np.asarray(self.distributions()[group, : len(self.groups.row(group))])

    def sampler(self, truth: Bits, known: Bits, distributions: Weights) -> Sampler:
        """Draws worlds from the belief. ``truth`` and ``known``: what is known, in reality or at a node of a search;
        ``distributions`` as given for that ``known``."""
        state = make_state(self.knowledge.task, truth, known)
        return Sampler(state, known, self._members, distributions, self._loose)

    def most_likely(self, truth: Bits, distributions: Weights) -> Bits:
        """The likeliest world: bool (facts,); ties go to the first member."""
        world = truth.copy()
        rows = np.flatnonzero(distributions.any(axis=1))
        if len(rows):
            world[self._members[rows, np.argmax(distributions[rows], axis=1)]] = True
        return world

    def take_notes(self) -> list[str]:
        """Notes on what the last observation did to the belief; each is given once."""
        known, truth = self.knowledge.known, self.knowledge.truth
        still_open = (self._members >= 0) & ~known[self._members]
        self._found |= ((self._members >= 0) & truth[self._members]).any(axis=1)
        likely = np.where(still_open, self._prior, 0.0).sum(axis=1) > 0
        touched = ((self._members >= 0) & known[self._members]).any(axis=1)
        notes = []
        for group in np.flatnonzero(touched & ~self._found & ~likely).tolist():
            what = "all likely places are ruled out; those not looked at share the belief"
            if not still_open[group].any():
                what = "is in none of the places where it could be"
            if (group, what) not in self._noted:
                self._noted.add((group, what))
                notes.append(f"{self._name(group)}: {what}")
        self.notes += notes
        return notes


class Sampler:
    """Draws worlds from one belief: what stays the same from world to world is computed once.

    ``state``: what is known, as a state. ``known`` bool (facts,). ``members`` int32 (groups, widest group), padded with
    -1, and ``distributions`` of that shape: how probable each is, all zero where nothing is open. ``loose``: the hidden
    facts outside of all groups.
    """

    def __init__(self, state: State, known: Bits, members: Int32, distributions: Weights, loose: Int32) -> None:
        rows = np.flatnonzero(distributions.any(axis=1))
        unknown = loose[~known[loose]]
        groups = len(distributions)
        self.state = state
        self.draws = Draws(
            groups + len(unknown),
            rows.astype(np.int32),
            members[rows],
            np.cumsum(distributions[rows], axis=1),
            groups,
            unknown,
        )

    def draw(self, rng: np.random.Generator) -> State:
        """What is known, as a state in a world."""
        state = self.state.copy()
        draw_world(self.draws, rng.random(self.draws.size), state)
        return state
