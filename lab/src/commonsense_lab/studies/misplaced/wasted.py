"""Wasted steps: those that an episode could have left out and still have learnt and changed the same.

What counts are the wanted facts: those of the goal, and where the things may be that it is about (the exactly-one
groups that a fact of the goal is in). Steps are wasted if without them the rest can still be carried out by what the
agent then knows, and at the end as much is known of the wanted facts, they are the same, and so is whether the goal is
reached. Walking to a room and back without a look is wasted; walking there to look is not, whatever is seen.

This is action elimination (Nakhost and Müller 2010): each step in its turn is left out, with all later ones that cannot
be carried out without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import sense_all
from commonsense_planning.pddl.plan import Step
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, fact_set, make_state


def wasted_steps(task: GroundTask, compiled: Compiled, steps: Sequence[Step]) -> int:
    """How many of the steps, which were carried out from the initial state of ``task`` by one who meets it as
    ``compiled``."""
    episode = _Episode(task, compiled)
    operators = episode.operators(steps)
    kept, end = operators, episode.end(operators)
    i = 0
    while i < len(kept):
        rest, after = episode.without(kept, i)
        if episode.as_good(after, end):
            kept = rest
        else:
            i += 1
    return len(operators) - len(kept)


class _Episode:
    def __init__(self, task: GroundTask, compiled: Compiled) -> None:
        self._task, self._compiled = task, compiled
        self._transition = TransitionModel(compiled)
        wanted = np.zeros_like(compiled.sensors.hidden)
        wanted[task.goal.pos.items] = wanted[task.goal.neg.items] = True
        groups = compiled.sensors.groups
        for g in range(len(groups)):
            if wanted[groups.row(g)].any():
                wanted[groups.row(g)] = True
        self._wanted = fact_set(compiled, wanted)
        self._start = make_state(compiled, task.init)
        sense_all(compiled.table, self._start)
        self._transition.conclude(self._start)

    def operators(self, steps: Sequence[Step]) -> list[int]:
        """The operators that the steps were: of several with one name, the one that could be carried out."""
        names = {str(step): list[int]() for step in steps}
        for o in range(self._task.operator_count):
            name = str(self._task.step(o))
            if name in names:
                names[name].append(o)
        state, found = self._start, []
        for step in steps:
            possible = names[str(step)]
            found.append(next((o for o in possible if self._transition.is_applicable(state, o)), possible[0]))
            state = self._after(state, found[-1])
        return found

    def end(self, operators: Sequence[int]) -> State:
        """The state after all of them."""
        state = self._start
        for o in operators:
            state = self._after(state, o)
        return state

    def without(self, operators: Sequence[int], i: int) -> tuple[list[int], State]:
        """What can be carried out without operator ``i``, and the state at the end."""
        state, rest = self.end(operators[:i]), list(operators[:i])
        for o in operators[i + 1 :]:
            if self._transition.is_applicable(state, o):
                state = self._after(state, o)
                rest.append(o)
        return rest, state

    def as_good(self, state: State, end: State) -> bool:
        """Whether in ``state`` as much is known of what is wanted as at the ``end``, and the same has come of it."""
        now, then = StateView(self._compiled, state), StateView(self._compiled, end)
        same = not ((now.true ^ then.true) & self._wanted).any()
        known = not (then.known & ~now.known & self._wanted).any()
        return same and known and self._transition.reached(state) >= self._transition.reached(end)

    def _after(self, state: State, operator: int) -> State:
        """The state after an operator, the same where it could not be carried out."""
        if not self._transition.is_applicable(state, operator):
            return state
        after = self._transition.successor(state, operator)
        self._transition.conclude(after)
        return after
