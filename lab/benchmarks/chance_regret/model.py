"""Small decision problems under chance, written down twice: as PDDL for cplan, and as outcomes and readings for here.

What the agent sees for certain is the *visible* state, any hashable value. What it does not see is which of the
``truths`` holds, all equally probable at first. The belief over them makes an MDP of every problem (of a problem with
one truth, the problem itself); its states are found from the start on, and its values are exact but for rounding:
probabilities of a truth below ``NEGLIGIBLE`` of the likeliest one's are taken for that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
Visible = Any
REFUSED = "refused"
NEGLIGIBLE = 1e-4
MOST_BELIEFS = 4_000


class TooLarge(Exception):
    """The problem has more than MOST_BELIEFS states and beliefs."""


@dataclass(frozen=True)
class Outcome:
    """One of what may come of an action: ``tag`` is the number that the outcome's operator has in cplan, or
    REFUSED."""

    chance: float
    visible: Visible
    tag: str


class Problem(ABC):
    """A problem in which every step costs 1 until the goal is reached."""

    truths: int
    start: Visible

    @abstractmethod
    def actions(self, visible: Visible) -> list[str]:
        """What can be tried, as PDDL steps."""

    @abstractmethod
    def outcomes(self, visible: Visible, truth: int, action: str) -> list[Outcome]:
        """T: what may come of it."""

    @abstractmethod
    def reached(self, visible: Visible) -> bool:
        """Whether the goal holds."""

    def shown(self, visible: Visible) -> tuple[int, ...]:
        """The truths that sensors read there, each as so or not so."""
        return ()

    def reads(self, truth: int, about: int) -> float:
        """O: how probable it is that truth ``about`` is read as so, where ``truth`` is."""
        return float(truth == about)

    @abstractmethod
    def files(self, truth: int) -> tuple[str, str, str | None]:
        """The domain, the problem and the sensors, as PDDL."""


Belief = tuple[float, ...]
State = tuple[Hashable, Belief]
Label = tuple[Visible, str, tuple[bool, ...]]
"""What is observed of a step: the visible state, the tag, and the readings, in the order of ``shown``."""


class BeliefMdp:
    """The MDP of a problem's beliefs. ``values[i]``: the least expected steps from state i; ``regret(s, a)``: how many
    steps a is worse than the best action, in expectation."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.numbers: dict[State, int] = {}
        self.choices: list[dict[str, dict[int, float]]] = []
        self._readings: dict[tuple[int, ...], Floats] = {}
        self.initial = self._after({(problem.start, ""): np.full(problem.truths, 1.0 / problem.truths)})
        states = iter(self.numbers)
        queue = [*states]
        while queue:
            state = queue.pop()
            known = len(self.numbers)
            self.choices[self.numbers[state]] = self._expand(state)
            queue += [*self.numbers][known:]
            if len(self.numbers) > MOST_BELIEFS:
                raise TooLarge
        self.values = value_iteration(self.choices)
        self.least = sum(chance * self.values[number] for number, chance in self.initial.items())

    def _expand(self, state: State) -> dict[str, dict[int, float]]:
        visible, belief = state
        if self.problem.reached(visible):
            return {}
        return {
            action: self._after(self._branches(visible, np.array(belief), action))
            for action in self.problem.actions(visible)
        }

    def _branches(self, visible: Visible, belief: Floats, action: str) -> dict[tuple[Visible, str], Floats]:
        """Visible state and tag that may come → weights of the truths."""
        branches: dict[tuple[Visible, str], Floats] = {}
        for truth in np.flatnonzero(belief).tolist():
            for outcome in self.problem.outcomes(visible, truth, action):
                key = outcome.visible, outcome.tag
                branches.setdefault(key, np.zeros(len(belief)))[truth] += outcome.chance * belief[truth]
        return branches

    def _after(self, branches: dict[tuple[Visible, str], Floats]) -> dict[int, float]:
        """Numbers of the states after the readings, with their probabilities."""
        found: dict[int, float] = {}
        for (visible, _), weights in branches.items():
            joint = self._likelihoods(self.problem.shown(visible)) * weights
            for row, chance in zip(joint, joint.sum(axis=1).tolist(), strict=True):
                if chance > 0:
                    number = self._number((visible, rounded(row)))
                    found[number] = found.get(number, 0.0) + chance
        return found

    def _likelihoods(self, shown: tuple[int, ...]) -> Floats:
        """How probable each combination of readings is under each truth, float64 (2 ** shown, truths)."""
        if shown not in self._readings:
            rows = np.ones((1, self.problem.truths))
            for about in shown:
                so = np.array([self.problem.reads(truth, about) for truth in range(self.problem.truths)])
                rows = np.concatenate((rows * (1 - so), rows * so))
            self._readings[shown] = rows
        return self._readings[shown]

    def _number(self, state: State) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.numbers)
            self.choices.append({})
        return self.numbers[state]

    def begin(self, readings: Sequence[bool]) -> State:
        """Where one is after the first look."""
        weights = np.full(self.problem.truths, 1.0 / self.problem.truths)
        return self._observed(self.problem.start, weights, readings)

    def follow(self, state: State, action: str, label: Label) -> State:
        """Where one is after a step."""
        visible, tag, readings = label
        return self._observed(visible, self._branches(state[0], np.array(state[1]), action)[visible, tag], readings)

    def _observed(self, visible: Visible, weights: Floats, readings: Sequence[bool]) -> State:
        for about, value in zip(self.problem.shown(visible), readings, strict=True):
            so = np.array([self.problem.reads(truth, about) for truth in range(len(weights))])
            weights = weights * (so if value else 1 - so)
        return visible, rounded(weights)

    def regret(self, state: State, action: str) -> float:
        """Q(s, a) - V(s), at least 0; an action that is sure to be refused costs its step."""
        number = self.numbers[state]
        after = self.choices[number].get(action)
        if after is None:
            return 1.0
        q = 1.0 + sum(chance * self.values[n] for n, chance in after.items())
        return max(0.0, float(q - self.values[number]))


def rounded(weights: Floats) -> Belief:
    """A belief as a key: what is reached by different ways is the same."""
    shares = weights / weights.max()
    shares = np.where(weights > 0, np.maximum(shares, NEGLIGIBLE), 0.0)
    return tuple(float(f"{share:.6g}") for share in shares / shares.sum())


def matrix(choices: list[dict[str, dict[int, float]]]) -> tuple[csr_array, npt.NDArray[np.int64]]:
    """All choices of all states that are no goals one below the other, and where each state's begin."""
    data: list[float] = []
    columns: list[int] = []
    ends, begins = [0], []
    for number, actions in enumerate(choices):
        begins.append(len(ends) - 1)
        for after in actions.values() if actions else ({number: 1.0},):
            data += after.values()
            columns += after
            ends.append(len(data))
    return csr_array((data, columns, ends), shape=(len(ends) - 1, len(choices))), np.array(begins)


def value_iteration(choices: list[dict[str, dict[int, float]]], close: float = 1e-9) -> Floats:
    """V(s) = min_a 1 + Σ P(s' | s, a) V(s'), 0 at goals; float64 (states,), up to ``close`` between two rounds."""
    transitions, begins = matrix(choices)
    cost = np.ones(transitions.shape[0])
    cost[begins[[not actions for actions in choices]]] = 0.0
    values = np.zeros(len(choices))
    while True:
        better = np.minimum.reduceat(cost + transitions @ values, begins)
        if np.abs(better - values).max() < close:
            return np.asarray(better)
        values = better


def storm_values(choices: list[dict[str, dict[int, float]]], folder: Path) -> Floats:
    """The same by Storm, which reads it from a file in a folder; raises ModuleNotFoundError where its package,
    ``stormpy`` 2, is not installed."""
    import stormpy

    lines = ["@type: MDP", "@parameters", "", "@reward_models", "steps", "@nr_states", str(len(choices))]
    lines += ["@nr_choices", str(sum(max(1, len(actions)) for actions in choices)), "@model"]
    for number, actions in enumerate(choices):
        lines.append(f"state {number}{'' if actions else ' goal'}{' init' if number == 0 else ''}")
        for name, after in enumerate(actions.values() or ({number: 1.0},)):
            total = math.fsum(after.values())
            lines.append(f"\taction {name} [{int(bool(actions))}]")
            lines += [f"\t\t{other} : {after[other] / total!r}" for other in sorted(after)]
    file = folder / "model.drn"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wanted = stormpy.parse_properties('R{"steps"}min=? [F "goal"]')[0]
    model, sound = stormpy.build_model_from_drn(str(file)), stormpy.environments.sound()
    return np.array(stormpy.model_checking(model, wanted, environment=sound).get_value_vector(), np.float64)
