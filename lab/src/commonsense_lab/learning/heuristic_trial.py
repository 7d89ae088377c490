"""How good a heuristic is that a model wrote: greedy search and hill climbing with it, and where it leads astray.

A *direct* heuristic (Corrêa, Pereira and Seipp 2026) is one with which hill climbing alone reaches the goal: in every
state on the way some successor looks better, and the best-looking is no dead end. A state where that is not so is a
*counterexample*. All of this is the child process's work (``heuristic_worker``), since the program is not trusted.
"""

from __future__ import annotations

import math
import time
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


@dataclass(frozen=True)
class Look:
    """A step that is possible in a state: the action, the heuristic's value behind it, what it makes true and false."""

    action: str
    value: float
    makes_true: tuple[str, ...]
    makes_false: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The value in words."""
        return _in_words(self.value)


@dataclass(frozen=True)
class Counterexample:
    """A state from which the goal can be reached, and in which the heuristic shows no way, or a wrong one.

    ``state``: the facts that are true, of the predicates that change. ``value``: the heuristic's. ``steps``: what is
    possible there, the lowest value first. ``progress``: the first step of a plan of ``length`` steps from there.
    ``dead_end``: whether the step with the lowest value leads where the goal is out of reach. ``after``: how many steps
    led there from the problem's initial state, those of hill climbing or, if ``on_plan``, of a plan. Of many steps,
    ``left_out`` are not among them.
    """

    problem: str
    after: int
    on_plan: bool
    state: tuple[str, ...]
    value: float
    steps: tuple[Look, ...]
    left_out: int
    progress: Look
    length: int
    dead_end: bool

    @property
    def shown(self) -> str:
        """The value in words."""
        return _in_words(self.value)


@dataclass(frozen=True)
class Climb:
    """Where hill climbing led: the ``operators``, the ``states`` with the first one, whether the goal was reached."""

    operators: tuple[int, ...]
    states: tuple[State, ...]
    reached: bool


class Trial:
    """A heuristic on a task, for at most ``seconds`` for each of the questions below."""

    def __init__(self, task: GroundTask, compiled: Compiled, heuristic: GroundedHeuristic, seconds: float) -> None:
        self.task = task
        self.compiled = compiled
        self.heuristic = heuristic
        self.seconds = seconds
        self._transition = TransitionModel(compiled)
        self._start = make_state(compiled, task.init)

    def climb(self) -> Climb:
        """Strict hill climbing: the successor with the lowest value, the first of several, as long as that is lower."""
        end = time.monotonic() + self.seconds
        operators: list[int] = []
        states, value = [self._start], self.heuristic(self._start)
        while not self._transition.reached(states[-1]):
            ranked = self._ranked(states[-1])
            if not ranked or ranked[0][0] >= value or time.monotonic() > end:
                return Climb(tuple(operators), tuple(states), False)
            value, operator, after = ranked[0]
            operators.append(operator)
            states.append(after)
        return Climb(tuple(operators), tuple(states), True)

    def counterexample(self, climb: Climb) -> Counterexample | None:
        """What is wrong where a climb got stuck; if that is a dead end, at the last state before it from which there is
        a plan. None if no plan was found from any of the states that were tried."""
        planner, limits = BestFirst(self.compiled), Limits(self.seconds / 2)
        last = len(climb.states) - 1
        for index in range(last, max(-1, last - BACK), -1):
            found = planner.gbfs(climb.states[index], limits)
            if found.operators:
                return self._told(climb.states[index], found.operators, index, dead_end=index < last)
            if found.status is not Status.UNSOLVABLE:
                return None
        return None

    def counterexample_on(self, plan: tuple[int, ...]) -> Counterexample | None:
        """The first state on a plan of the task in which no successor looks better; None if there is none, or the time
        is up before."""
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
            str(self.task.step(operator)),
            value,
            tuple(sorted(map(text_of, behind - before))),
            tuple(sorted(map(text_of, before - behind))),
        )

    def _ranked(self, state: State) -> list[tuple[float, int, State]]:
        """(value, operator, successor) of the successors, the lowest value first; those of equal value in the order of
        the task."""
        valued = [
            (self.heuristic(after), operator, after)
            for operator, after in self._transition.successors(state)
            if self._transition.failure(after) is None
        ]
        return sorted((entry for entry in valued if entry[0] < math.inf), key=lambda entry: entry[:2])


def _in_words(value: float) -> str:
    return "infinity" if value == math.inf else f"{value:g}"
