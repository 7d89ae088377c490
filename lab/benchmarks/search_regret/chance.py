"""MDPs whose best is known exactly: things to be gathered over ways that are safe, icy (one may not get on) or steep
(one may be thrown back). Each is written down twice: as PDDL for cplan, and as outcomes for here.

Every step is weighed by how much worse it is than the best. With V the least expected steps and Q those after an
action, the expected steps of any policy from the start are V(start) plus the expected sum of Q(s, a) - V(s) over its
steps (the performance difference lemma, Kakade and Langford 2002, Lemma 6.1): free of the luck of outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pomdp.observation_model import Floats, Observation
from commonsense_planning.task import Task, read_task
from lab.benchmarks.search_regret.harness import Paced

DOMAIN = Path(__file__).with_name("gathering.pddl").read_text(encoding="utf-8")
CHANCES = (0.3, 0.5, 0.7, 0.9)
MOST_STATES = 2000
LIMIT = 300  # steps of an episode
CLOSE = 1e-9  # of values between two rounds
State = tuple[int, int, bool]
"""The cell, the items had as bits, whether one has the hook."""
Outcomes = Sequence[tuple[float, State]]
"""Of an action: how probable each is, and the state, in the order in which cplan numbers them."""


@dataclass(frozen=True)
class Gathering:
    """``ways``, ``icy``: cell → cells; ``steep``: cell → (cell, cell thrown back to). ``lies``: the cell of each item.
    ``ice``, ``climb``, ``hand``, ``fish``: the chance of each to succeed."""

    ways: tuple[tuple[int, ...], ...]
    icy: tuple[tuple[int, ...], ...]
    steep: tuple[tuple[tuple[int, int], ...], ...]
    lies: tuple[int, ...]
    hook: int
    target: int
    ice: float
    climb: float
    hand: float
    fish: float

    def actions(self, state: State) -> dict[str, Outcomes]:
        """Returns what can be done, as PDDL steps, and what may result."""
        cell, had, hook = state
        if cell == self.target and had == (1 << len(self.lies)) - 1:
            return {}  # the goal

        def either(chance: float, one: State, other: State) -> Outcomes:
            return (chance, one), (1 - chance, other)

        found: dict[str, Outcomes] = {f"(walk c{cell} c{b})": ((1.0, (b, had, hook)),) for b in self.ways[cell]}
        found |= {f"(skate c{cell} c{b})": either(self.ice, (b, had, hook), state) for b in self.icy[cell]}
        for b, c in self.steep[cell]:
            found[f"(climb c{cell} c{b} c{c})"] = either(self.climb, (b, had, hook), (c, had, hook))
        if cell == self.hook and not hook:
            found[f"(take-hook c{cell})"] = ((1.0, (cell, had, True)),)
        for item, there in enumerate(self.lies):
            if there == cell and not had >> item & 1:
                after = cell, had | 1 << item, hook
                found[f"(grab i{item} c{cell})"] = either(self.hand, after, state)
                if hook:
                    found[f"(fish i{item} c{cell})"] = either(self.fish, after, state)
        return found

    def task(self, folder: Path) -> Task:
        """Returns the problem as cplan reads it."""
        cells, items = range(len(self.ways)), range(len(self.lies))
        facts = [f"(at c0) (hook-at c{self.hook})", *(f"(lies i{i} c{c})" for i, c in enumerate(self.lies))]
        facts += [f"(way c{a} c{b})" for a in cells for b in self.ways[a]]
        facts += [f"(icy c{a} c{b})" for a in cells for b in self.icy[a]]
        facts += [f"(steep c{a} c{b} c{c})" for a in cells for b, c in self.steep[a]]
        goal = " ".join(f"(have i{i})" for i in items)
        domain, problem = folder / "domain.pddl", folder / "problem.pddl"
        chances = {"ice": self.ice, "steep": self.climb, "hand": self.hand, "fish": self.fish}
        text = DOMAIN
        for name, chance in {**chances, "thrown": round(1 - self.climb, 9)}.items():
            text = text.replace(f"@{name}@", str(chance))
        domain.write_text(text, encoding="utf-8")
        problem.write_text(
            f"(define (problem gathering-0) (:domain gathering)\n"
            f"  (:objects {' '.join(f'c{c}' for c in cells)} - cell {' '.join(f'i{i}' for i in items)} - item)\n"
            f"  (:init {' '.join(facts)})\n  (:goal (and (at c{self.target}) {goal})))\n",
            encoding="utf-8",
        )
        return read_task(domain, problem)


def gathering(number: int) -> Gathering:
    """Returns the problem of that number: a tree of safe ways both ways, with icy and steep ways across."""
    rng = np.random.default_rng([34, number])
    items = int(rng.integers(1, 6))
    cells = int(rng.integers(6, min(40, MOST_STATES // 2 ** (items + 1)) + 1))
    ways: list[set[int]] = [set() for _ in range(cells)]
    for b in range(1, cells):
        a = int(rng.integers(max(0, b - 3), b))
        ways[a].add(b)
        ways[b].add(a)
    icy: list[set[int]] = [set() for _ in range(cells)]
    steep: list[set[tuple[int, int]]] = [set() for _ in range(cells)]
    for _ in range(cells // 2):
        a, b, c = (int(cell) for cell in rng.choice(cells, 3, replace=False))
        if rng.random() < 0.5 and b not in ways[a]:
            icy[a].add(b)
        else:
            steep[a].add((b, c))
    return Gathering(
        tuple(tuple(sorted(to)) for to in ways),
        tuple(tuple(sorted(to)) for to in icy),
        tuple(tuple(sorted(to)) for to in steep),
        tuple(int(c) for c in rng.integers(0, cells, items)),
        int(rng.integers(cells)),
        int(rng.integers(cells)),
        *(float(rng.choice(chances)) for chances in (CHANCES, CHANCES, CHANCES[:2], CHANCES[2:])),
    )


class Values:
    """Exact values of a problem. ``least``: expected steps from the start; ``regret(s, a)``: how many steps a is worse
    than the best action, in expectation."""

    def __init__(self, problem: Gathering) -> None:
        start = (0, 0, False)
        self.choices: dict[State, dict[str, Outcomes]] = {}
        queue = [start]
        while queue:
            if (state := queue.pop()) not in self.choices:
                self.choices[state] = problem.actions(state)
                queue += [after for outcomes in self.choices[state].values() for _, after in outcomes]
        values = self._iterated()
        self.values: dict[State, float] = dict(zip(self.choices, values.tolist(), strict=True))
        self.least = self.values[start]

    def _iterated(self) -> Floats:
        """V(s) = min_a 1 + Σ P(s' | s, a) V(s'), 0 at goals; float64 (states,)."""
        numbers = {state: number for number, state in enumerate(self.choices)}
        rows = [(s, outcomes) for s, actions in self.choices.items() for outcomes in actions.values() or [[(1.0, s)]]]
        counts = [max(1, len(actions)) for actions in self.choices.values()]
        begins, ends = np.cumsum([0, *counts[:-1]]), np.cumsum([0, *(len(outcomes) for _, outcomes in rows)])
        chances = [chance for _, outcomes in rows for chance, _ in outcomes]
        columns = [numbers[after] for _, outcomes in rows for _, after in outcomes]
        transitions = csr_array((chances, columns, ends), shape=(len(rows), len(numbers)))
        cost = np.array([float(bool(self.choices[s])) for s, _ in rows])
        values = np.zeros(len(numbers))
        while True:
            better = np.minimum.reduceat(cost + transitions @ values, begins)
            if np.abs(better - values).max() < CLOSE:
                return np.asarray(better)
            values = better

    def regret(self, state: State, action: str) -> float:
        """Q(s, a) - V(s), at least 0."""
        q = 1.0 + sum(chance * self.values[after] for chance, after in self.choices[state][action])
        return max(0.0, q - self.values[state])


@dataclass
class Watching(Paced):
    """Also adds up regret by its own reckoning."""

    values: Values = field(kw_only=True)
    state: State = (0, 0, False)
    regret: float = 0.0

    def watch(self, agent: Any, say: Any, belief: Any, relevance: Any) -> Any:
        self.task = say.task
        return super().watch(agent, say, belief, relevance)

    def observe(self, operator: int, observation: Observation) -> None:
        self.agent.observe(operator, observation)
        action, _ = untagged(str(self.task.step(operator)))
        _, outcome = untagged(str(self.task.step(operator if observation.outcome is None else observation.outcome)))
        self.regret += self.values.regret(self.state, action)
        self.state = self.values.choices[self.state][action][outcome][1]


def untagged(step: str) -> tuple[str, int]:
    """Returns an operator's action, and the number of its outcome, from 0."""
    name, blank, rest = step.strip("()").partition(" ")
    action, _, number = name.partition("--")
    return f"({action}{blank}{rest})", int(number or "1") - 1


def score(task: Task, values: Values, name: str, options: dict[str, Any], episodes: int) -> tuple[float, int, float]:
    """Of a registered method: expected steps over the least, episodes that did not get to the goal, milliseconds of
    processor time a decision; an episode's number is its seed."""
    method, ended, walks = method_named(name), [], [Watching(values=values) for _ in range(episodes)]
    for seed, walk in enumerate(walks):
        chosen = method.Options.of({"max_steps": LIMIT, **options})
        ended.append(solve(Request(task, method, chosen, seed=seed, observer=walk)).status)
    ms = 1000 * sum(walk.seconds for walk in walks) / max(1, sum(walk.decisions for walk in walks))
    ratio = 1 + fmean(walk.regret for walk in walks) / values.least
    return ratio, sum(status is not Status.SOLVED for status in ended), ms
