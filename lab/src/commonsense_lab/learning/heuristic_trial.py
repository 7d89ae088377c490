"""Tests a heuristic that a model wrote by hill climbing, and finds states in which it misleads.

With a *direct* heuristic (Corrêa, Pereira and Seipp 2026) hill climbing alone reaches the goal: in every state on the
way some successor looks better, and the best-looking one is no dead end. A state where this fails is a
*counterexample*. All of this runs in the child process (``heuristic_worker``), since the program is not trusted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from commonsense_lab.learning.written_heuristic import GroundedHeuristic, text_of
from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.state import State, make_state

SHOWN_FACTS, SHOWN_STEPS = 80, 12  # of a counterexample, at most
BACK = 8  # states of a climb, from its end, that are tried for one from which there is a plan


@dataclass(frozen=True, kw_only=True)
class Valued:
    """What has a ``value`` of the heuristic."""

    value: float

    @property
    def shown(self) -> str:
        """The value as text."""
        return "infinity" if self.value == math.inf else f"{self.value:g}"


@dataclass(frozen=True, kw_only=True)
class Look(Valued):
    """An applicable action in a state, with the value after it, and the facts that it makes true and false."""

    action: str
    makes_true: tuple[str, ...]
    makes_false: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Counterexample(Valued):
    """A state from which the goal can be reached, but to which the heuristic shows no way, or a wrong one.

    ``state``: its true facts, of the predicates that change. ``steps``: the applicable actions, the lowest value first,
    without ``left_out`` of many. ``progress``: the first step of a plan of ``length`` steps from there. ``dead_end``:
    from the step with the lowest value the goal cannot be reached. ``after``: the number of steps from the problem's
    initial state, of hill climbing or, if ``on_plan``, of a plan.
    """

    problem: str
    after: int
    on_plan: bool
    state: tuple[str, ...]
    steps: tuple[Look, ...]
    left_out: int
    progress: Look
    length: int
    dead_end: bool


class Trial:
    """A heuristic on a task, with at most ``seconds`` for each method below."""

    def __init__(self, task: GroundTask, compiled: Compiled, heuristic: GroundedHeuristic, seconds: float) -> None:
        self.task = task
        self.compiled = compiled
        self.heuristic = heuristic
        self.seconds = seconds
        self._transition = TransitionModel(compiled)
        self._start = make_state(compiled, task.init)

    def climb(self) -> tuple[list[State], bool]:
        """Climbs strictly: to the first successor of the lowest value, as long as that is lower. Returns the states,
        with the first one, and whether the goal was reached."""
        end = time.monotonic() + self.seconds
        states, value = [self._start], self.heuristic(self._start)
        while not self._transition.reached(states[-1]):
            ranked = self._ranked(states[-1])
            if not ranked or ranked[0][0] >= value or time.monotonic() > end:
                return states, False
            value, _, after = ranked[0]
            states.append(after)
        return states, True

    def counterexample(self, states: Sequence[State]) -> Counterexample | None:
        """Returns a counterexample where a climb got stuck, or at the last state with a plan before a dead end. None if
        no plan was found from the states that were tried."""
        planner, limits = BestFirst(self.compiled), Limits(self.seconds / 2)
        last = len(states) - 1
        for index in range(last, max(-1, last - BACK), -1):
            found = planner.gbfs(states[index], limits)
            if found.operators:
                return self._told(states[index], found.operators, index, dead_end=index < last)
            if found.status is not Status.UNSOLVABLE:
                return None
        return None

    def counterexample_on(self, plan: tuple[int, ...]) -> Counterexample | None:
        """Returns the first state on a plan of the task in which no successor looks better; None if there is none, or
        the time is up before."""
        end, state = time.monotonic() + self.seconds, self._start
        for index, operator in enumerate(plan):
            ranked = self._ranked(state)
            if time.monotonic() > end:
                return None
            if not ranked or ranked[0][0] >= self.heuristic(state):
                return self._told(state, plan[index:], index, on_plan=True)
            state = self._transition.successor(state, operator)
        return None

    def _told(
        self, state: State, plan: tuple[int, ...], after: int, on_plan: bool = False, dead_end: bool = False
    ) -> Counterexample:
        here = self.heuristic.atoms(state)
        looks = {operator: self._look(state, operator, value, there) for value, operator, there in self._ranked(state)}
        if plan[0] not in looks:  # another operator of the same action, or one of infinite value
            there = self._transition.successor(state, plan[0])
            looks[plan[0]] = self._look(state, plan[0], self.heuristic(there), there)
        facts = sorted(map(text_of, here))
        more = [f"… and {len(facts) - SHOWN_FACTS} more"] * (len(facts) > SHOWN_FACTS)
        return Counterexample(
            problem=self.task.problem.problem_name,
            after=after,
            on_plan=on_plan,
            state=(*facts[:SHOWN_FACTS], *more),
            value=self.heuristic(state),
            steps=tuple(looks.values())[:SHOWN_STEPS],
            left_out=max(0, len(looks) - SHOWN_STEPS),
            progress=looks[plan[0]],
            length=len(plan),
            dead_end=dead_end,
        )

    def _look(self, state: State, operator: int, value: float, after: State) -> Look:
        before, behind = self.heuristic.atoms(state), self.heuristic.atoms(after)
        return Look(
            action=str(self.task.step(operator)),
            value=value,
            makes_true=tuple(sorted(map(text_of, behind - before))),
            makes_false=tuple(sorted(map(text_of, before - behind))),
        )

    def _ranked(self, state: State) -> list[tuple[float, int, State]]:
        """Returns (value, operator, successor) of the successors, the lowest value first, equal ones in the order of
        the task."""
        valued = [
            (self.heuristic(after), operator, after)
            for operator, after in self._transition.successors(state)
            if self._transition.failure(after) is None
        ]
        return sorted((entry for entry in valued if entry[0] < math.inf), key=lambda entry: entry[:2])
