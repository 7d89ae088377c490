"""LLM-MCTS among sensing macros for correlated hidden facts (``observing``): the search of contingent problems.

It is the search among macros (``macro_mcts``) with histories as nodes. The worlds of a decision are enumerated if they
are few, otherwise drawn from the belief. The roll-out takes the sensing macro that distinguishes most worlds per cost,
in all possible worlds, until there is a plan to the goal with the knowledge. Worlds differ only in what can change the
plan; all else has its most likely value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Bits, Floats
from commonsense_planning.pomdp.relevance import Relevance, Relevant
from commonsense_planning.search.pomdp.lower_bound import PossibleWorlds
from commonsense_planning.search.pomdp.macro_mcts import (
    HOPELESS,
    MacroMcts,
    MacroMctsOptions,
    MacroNode,
    systematic_draws,
)
from commonsense_planning.search.pomdp.observing import ContingentPolicyBranch, History, Observing, differences
from commonsense_planning.state import States, StateView, fact_set, facts_in, make_state


@dataclass(kw_only=True, eq=False)
class WorldNode(MacroNode[ContingentPolicyBranch]):
    """A history in the tree, whose observations are the indices of the histories after a branch."""

    history: History


class WorldMcts(MacroMcts[WorldNode]):
    """The search. ``mixing``: λ, the share of the uniform policy in π̂ where the model is not asked. ``weight``:
    float64 (worlds,), of the worlds drawn last."""

    def __init__(
        self,
        task: GroundTask,
        compiled: Compiled,
        belief: Belief,
        config: MacroMctsOptions,
        rng: np.random.Generator,
        mixing: float = 0.5,
    ) -> None:
        super().__init__(belief, config, rng, mixing)
        self.compiled = compiled
        self.observing = Observing(task, compiled)
        self._relevance = Relevance(task, compiled)

    def unreachable_reason(self) -> str:
        return "" if self.belief.sampler().open else "there is nothing left to find out"

    def seen(self, world: int, node: WorldNode, choice: int) -> int:
        after = node.open_branches[choice].after
        return next(i for i, history in enumerate(after) if world in history.members)

    def outcomes(self, node: WorldNode, choice: int) -> Iterator[tuple[int, float, WorldNode]]:
        branch = node.open_branches[choice]
        for i, history in enumerate(() if branch.ends else branch.after):
            yield i, self.weight[history.members].sum(), WorldNode(history=history)

    def found(self, node: WorldNode, choice: int, observation: Hashable) -> tuple[int, ...]:
        now = StateView(self.compiled, node.history.known)
        then = StateView(self.compiled, node.children[choice][observation].history.known)
        hidden = fact_set(self.compiled, self.compiled.sensors.hidden)
        return tuple(facts_in(then.true & ~now.known & hidden).tolist())

    def draw_worlds(self) -> Floats:
        """The worlds of a decision and their weights: all of them if they are at most ``config.worlds``."""
        belief, count = self.belief, self.config.worlds
        choices = open_choices(belief, self._relevance.of(belief.truth, belief.known))
        self._listed = math.prod(len(values) for _, values, _ in choices) <= count
        if self._listed:
            states, weight = all_worlds(belief, choices)
        else:
            drawn = [systematic_draws(share, count, self.rng) for _, _, share in choices]
            indices = [tuple(int(column[i]) for column in drawn) for i in range(count)]
            states, weight = _states(belief, choices, indices), np.full(count, 1 / count)
        self.weight, self._states = weight, states
        self._settle_what_may_differ([facts for facts, _, _ in choices])
        self._courses: dict[bytes, tuple[ContingentPolicyBranch, ...]] = {}
        self._rollouts: dict[bytes, float] = {}
        return weight

    def _settle_what_may_differ(self, drawn: list[Int32]) -> None:
        """Limits ``doubtful`` to the facts that the worlds represent completely: only then does their agreement settle
        a fact."""
        doubtful = self.observing.changing.copy()
        for facts in drawn:
            doubtful[facts] = True
        if not self._listed:
            differ = np.zeros_like(doubtful)
            differ[facts_in(differences(StateView(self.compiled, self._states).true))] = True
            doubtful &= differ | self.observing.changing
        self.observing.doubtful = fact_set(self.compiled, doubtful)

    def possible(self, root: WorldNode) -> PossibleWorlds:
        members, nothing = root.history.members, np.zeros_like(self.belief.known)
        truth = StateView(self.compiled, self._states[members]).truth
        return PossibleWorlds(truth, self.weight[members], nothing, self._listed)

    def make_root(self) -> WorldNode:
        return self.entered(WorldNode(history=self.root_history()))

    def root_history(self) -> History:
        """The current knowledge, in the worlds drawn last."""
        return self.observing.history(np.arange(len(self.weight), dtype=np.int32), self._states)

    def find_branches(self, node: WorldNode) -> None:
        courses = self.courses(node.history)
        node.branch_out(courses, [max(c.gain, 1e-3) / len(c.operators) for c in courses], self.mixing)

    def courses(self, history: History) -> tuple[ContingentPolicyBranch, ...]:
        """The options at a history: a plan to the goal if there is one; otherwise sensing macros, and plans to parts of
        the goal."""
        if history.key not in self._courses:
            plan = self.observing.plan(history, self.weight)
            finding, weight = self.observing, self.weight
            found = [plan] if plan else finding.sensing_macros(history, weight) + finding.steps(history, weight)
            self._courses[history.key] = tuple({course.operators: course for course in found}.values())
        return self._courses[history.key]

    def roll_out(self, node: WorldNode) -> float:
        return self._expected(node.history)

    def _expected(self, history: History) -> float:
        """The expected cost of taking the macro that distinguishes most worlds per cost, until there is a plan to the
        goal."""
        if history.key in self._rollouts:
            return self._rollouts[history.key]
        self._rollouts[history.key] = HOPELESS  # to return to a history leads nowhere
        course = self.greedy(history)
        cost = HOPELESS
        if course is not None:
            below = 0.0
            if not course.ends:
                total = self.weight[history.members].sum()
                below = sum(self.weight[h.members].sum() * self._expected(h) for h in course.after) / total
            cost = len(course.operators) + below
        self._rollouts[history.key] = min(cost, HOPELESS)
        return self._rollouts[history.key]

    def greedy(self, history: History) -> ContingentPolicyBranch | None:
        """The plan to the goal, else the macro that distinguishes most worlds per cost, else a plan to a part of the
        goal."""
        courses = self.courses(history)
        return max(courses, key=lambda c: (c.ends, c.gain / len(c.operators)), default=None)


Choice = tuple[Int32, list[Bits], Floats]
"""Facts, the ways in which they may be together, and how probable each is."""


def open_choices(belief: Belief, relevant: Relevant | None = None) -> list[Choice]:
    """What may differ in the possible worlds, each choice independent of the others; only what is ``relevant``, if that
    is given."""
    chances = belief.distributions()
    groups = chances.any(axis=1) if relevant is None else relevant.groups & chances.any(axis=1)
    facts = np.ones_like(belief.known) if relevant is None else relevant.facts
    choices: list[Choice] = []
    for group in np.flatnonzero(groups).tolist():
        members = belief.groups.row(group)
        share = chances[group, : len(members)]
        possible = np.flatnonzero(share > 0)
        choices.append((members, [np.eye(len(members), dtype=np.bool_)[i] for i in possible], share[possible]))
    for number, part in enumerate(belief.correlated):
        if relevant is None or relevant.correlated[number]:
            rows, first = np.unique(part.values, axis=0, return_inverse=True)
            choices.append((part.facts, list(rows), np.bincount(first.ravel(), part.shares).astype(np.float64)))
    for fact in belief.knowledge.open_independent(facts).tolist():
        chance = float(belief.probabilities()[fact])
        both = [np.array([value]) for value in (True, False)]
        choices.append((np.array([fact], np.int32), both, np.array([chance, 1 - chance])))
    return choices


def all_worlds(belief: Belief, choices: Sequence[Choice]) -> tuple[States, Floats]:
    """The states of all worlds, uint64 (worlds, words), with the knowledge, and their probabilities, float64 (worlds,).
    What is no choice is as it most likely is."""
    indices = list(itertools.product(*(range(len(values)) for _, values, _ in choices)))
    weight = np.array([np.prod([c[2][i] for c, i in zip(choices, row, strict=True)]) for row in indices])
    return _states(belief, choices, indices), weight


def _states(belief: Belief, choices: Sequence[Choice], indices: Sequence[tuple[int, ...]]) -> States:
    """The states of worlds that are given by the numbers of their ways."""
    likely, states = StateView(belief.task, belief.most_likely()).truth, []
    for row in indices:
        world = likely.copy()
        for (facts, values, _), i in zip(choices, row, strict=True):
            world[facts] = values[i]
        states.append(make_state(belief.task, world, belief.known))
    return np.array(states)
