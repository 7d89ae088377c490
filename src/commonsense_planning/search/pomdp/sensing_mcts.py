"""LLM-MCTS among sensing macros: Algorithm 1 of Zhao, Lee and Hsu (2023) with three changes, so that it searches for
things at unknown places.

- **Macros instead of steps.** A branch of the tree is a plan up to the next relevant observation (a room is entered, a
  fridge is opened), or to a part of the goal, not one step (options, in the terms of Sutton, Precup and Singh 1999).
  A planner plans with the facts that are known.
- **Roll-outs that do not know the world.** From a new node on, the agent takes the branch of the highest gain per cost,
  until the knowledge suffices for a plan: it looks, brings what it found, or takes it along, in every world that is
  still possible. A roll-out that knows its world sees no value in looking. What it passes through are nodes.
- **Values are expectations.** The worlds are drawn once per decision and shared by all nodes (as in DESPOT, Ye, Somani,
  Hsu and Lee 2017); if they are few, they are enumerated. Q(h,a) is the mean over the observations after a, and V(h)
  the least of the Q of the branches tried and the value of the roll-out. So a tree's value is never worse than its
  roll-outs'. Histories that end in the same knowledge are one node, and nodes last while the belief is not revised.

Values are expected costs, in operators: less is better. The rest is the algorithm: s ~ b(s), select by PUCT, step,
expand and roll out, back up.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import PolicyAs
from commonsense_planning.elicitation.policies import Probabilities
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.sensing_rollout import Worlds, class_values
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.advice import AdviceAsEvidence
from commonsense_planning.search.pomdp.lower_bound import PossibleWorlds
from commonsense_planning.search.pomdp.macro_mcts import (
    HOPELESS,
    Branch,
    MacroMcts,
    MacroMctsOptions,
    MacroNode,
    systematic_draws,
)
from commonsense_planning.search.pomdp.sensing_macros import Macro, SensingMacros
from commonsense_planning.state import Bits, State, StateView, among, with_facts

LEAST_SAVED = 1.0  # steps that an answer has to save to be worth its call
MOST_PARTS, MOST_LISTED = 4, 256  # of a goal, and worlds, for which roll-outs take what they find along
MOST_BRANCHES = 32  # macros of a node, those of the highest gain per cost
FALLBACK = 1e-3  # the gain of a branch that prepares, where nothing is found out


@dataclass(kw_only=True, eq=False)
class SensingNode(MacroNode[Branch]):
    """A history h in the tree, whose observations are the facts found on a branch.

    ``members``: int32, the possible worlds; ``weight``: the sum of theirs. ``state``: the known facts; unknown facts
    are false. ``found``: the settled relevant groups, as bits. ``residual``: float64 (classes,), the share of the
    belief in each class that is left after the looks since the root. ``usual``: the branch that a roll-out takes.
    """

    members: Int32
    weight: float
    state: State
    residual: Floats
    found: int
    usual: int = 0


class SensingMcts(MacroMcts[SensingNode]):
    """The search. ``mixing``: λ, the share of the uniform policy in π̂ where the model is not asked. ``policy_as``: how
    the model's policy is used."""

    def __init__(
        self,
        sensing: SensingMacros,
        belief: Belief,
        config: MacroMctsOptions,
        rng: np.random.Generator,
        mixing: float = 0.5,
        policy_as: PolicyAs = PolicyAs.EVIDENCE,
    ) -> None:
        super().__init__(belief, config, rng, mixing)
        self.sensing = sensing
        self.most_branches, self.most_worlds = MOST_BRANCHES, max(MOST_LISTED, config.worlds)
        self.preparing = sensing.preparing
        self._plans: dict[bytes, float] = {}
        self._nodes: dict[bytes, SensingNode] = {}
        self._revisions: int | None = None  # of the belief that the nodes are for; None if they are for this decision
        self.worlds: Worlds  # of the decision
        self._evidence = AdviceAsEvidence(sensing, mixing) if policy_as is PolicyAs.EVIDENCE else None

    @staticmethod
    def suits(sensing: SensingMacros) -> bool:
        """Whether several things are wanted, in one way, in so few worlds that they can be listed, with sensors
        that do not err."""
        chances = sensing.belief.distributions()[sensing.relevant]
        worlds = math.prod(max(1, int(np.count_nonzero(row))) for row in chances)
        one_way = len(sensing.belief.task.goal.pos) == 1
        return one_way and not sensing.errs and 1 < sensing.most_parts <= MOST_PARTS and worlds <= MOST_LISTED

    def replanning_trigger(self) -> Hashable:
        return self.sensing.replanning_trigger()

    def unreachable_reason(self) -> str:
        return self.sensing.unreachable_reason()

    def seen(self, world: int, node: SensingNode, choice: int) -> tuple[int, ...]:
        return next(iter(self._parted(np.array([world]), node, choice)))

    def outcomes(self, node: SensingNode, choice: int) -> Iterator[tuple[tuple[int, ...], float, SensingNode]]:
        if not node.open_branches[choice].ends:
            for seen, members in self._parted(node.members, node, choice).items():
                yield seen, self.weight[members].sum(), self.node(node, choice, seen, np.array(members, np.int32))

    def _parted(self, members: Int32, node: SensingNode, choice: int) -> dict[tuple[int, ...], list[int]]:
        """Some worlds, by the facts that a branch shows to be true there."""
        facts = self.facts[members]
        shown = self.shown(members, facts, node, node.open_branches[choice])
        parted: dict[tuple[int, ...], list[int]] = {}
        for world, row, seen in zip(members.tolist(), facts.tolist(), shown.tolist(), strict=True):
            parted.setdefault(tuple(f for f, s in zip(row, seen, strict=True) if s), []).append(world)
        return parted

    def shown(self, members: Int32, facts: Int32, node: SensingNode, branch: Branch) -> Bits:
        """Whether a branch shows the true ``facts`` of some worlds, of the same shape (worlds, groups)."""
        before, after = (StateView(self.sensing.compiled, state).known for state in (node.state, branch.end))
        return np.asarray(among(after & ~before, facts) & (facts >= 0))

    def found(self, node: SensingNode, choice: int, observation: Hashable) -> tuple[int, ...]:
        return cast(tuple[int, ...], observation)

    def make_root(self) -> SensingNode:
        sensing, state = self.sensing, self.sensing.here()
        root = self.entered(self.at(state, np.arange(len(self.weight), dtype=np.int32), np.ones(sensing.classes)))
        plans = [branch for branch in root.open_branches if branch.ends]
        shorter = sensing.shorter_plan(state) if plans else None
        if shorter and len(shorter) < len(plans[0].operators):
            root.branches = tuple(replace(b, operators=shorter) if b.ends else b for b in root.open_branches)
            root.rollout = float(len(shorter))
        return root

    def possible(self, root: SensingNode) -> PossibleWorlds:
        facts, knowledge = self.facts[root.members], self.belief.knowledge
        may = ~knowledge.certain
        for group in np.compress(facts[0] >= 0, self.sensing.relevant).tolist():
            may[self.belief.groups.row(group)] = False
        truth = np.tile(knowledge.true & knowledge.certain | may, (len(facts), 1))
        world, group = np.nonzero((facts >= 0) & ~knowledge.certain[facts])
        truth[world, facts[world, group]] = True
        return PossibleWorlds(truth, self.weight[root.members], may, self._listed)

    def is_worth_asking(self, root: SensingNode) -> bool:
        """Whether an answer is expected to save ``LEAST_SAVED`` steps: the reliability of advice times what knowing the
        world would save."""
        if self._evidence is None:
            return not any(branch.ends for branch in root.open_branches)
        costs = np.array([self.cost_in_hindsight(root.state, world) for world in root.members.tolist()])
        known = min(root.cost, float(self.weight[root.members] @ costs) / root.weight)
        return self._evidence.reliability * (root.rollout - known) >= LEAST_SAVED

    def condition_on_advice(
        self, weight: Floats, root: SensingNode, policy: Probabilities
    ) -> tuple[Floats, SensingNode]:
        """If the model's policy is evidence, π̂ is the search's own, from the updated belief. Values improve with
        visits, so a model that errs should not distribute them."""
        if self._evidence is None:
            return super().condition_on_advice(weight, root, policy)
        condition, branches = self._evidence.condition_on_advice, root.open_branches
        self.worlds = condition(self.worlds, root.found, branches, root.policy, policy)
        self.weight = self.worlds.weight
        self._nodes, self._revisions = {}, None
        return self.weight, self.make_root()

    def node(self, above: SensingNode, choice: int, found: tuple[int, ...], members: Int32) -> SensingNode:
        """The history extended by a macro and the facts found."""
        state = with_facts(above.open_branches[choice].end, found)
        self.belief.transition.conclude(state)
        return self.at(state, members, above.residual)

    def at(self, state: State, members: Int32, residual: Floats) -> SensingNode:
        """The node for the knowledge in ``state``."""
        key = state.tobytes() if self._revisions is not None else state.tobytes() + members.tobytes()
        if key not in self._nodes:
            weight, found = float(self.weight[members].sum()), self.sensing.settled(state)
            self._nodes[key] = SensingNode(members=members, weight=weight, state=state, residual=residual, found=found)
        return self._nodes[key]

    def roll_out(self, node: SensingNode) -> float:
        """ROLLOUT: take the branch of the highest gain per cost, in all worlds of the node. Returns the mean cost."""
        self.open(node)
        if not node.branches:
            return 0.0 if self.belief.transition.reached(node.state) else HOPELESS
        self.grow(node, node.usual)
        return self.cost_after(node, node.usual)

    def cost_in_hindsight(self, state: State, world: int) -> float:
        """The cost of a plan from a state, in a world of which all that is relevant is known."""
        sensing = self.sensing
        knows, facts = StateView(sensing.compiled, state).knows, self.facts[world].tolist()
        known = with_facts(sensing.with_relevant_known(state), [f for f in facts if f >= 0 and not knows(f)])
        key = sensing.abstract_key(known)
        if key not in self._plans:
            plan = sensing.plan(known)
            self._plans[key] = HOPELESS if plan is None else float(len(plan))
        return self._plans[key]

    def find_branches(self, node: SensingNode) -> None:
        sensing, state = self.sensing, node.state
        branches: dict[tuple[int, ...], Branch] = {}
        gains: dict[tuple[int, ...], float] = {}
        plan = None if sensing.unfinished(node.found) else sensing.plan(state)
        if plan:
            branches[plan], gains[plan] = Branch(plan, None, state, ends=True), 1.0
        if plan != ():
            self.add_looks(node, self.macros(node, plan is not None), branches, gains)
            self.add_parts([(1 / whole, macro) for whole, macro in sensing.toward_parts(state)], branches, gains)
        self.branch_out(node, branches, gains)

    def branch_out(
        self, node: SensingNode, branches: dict[tuple[int, ...], Branch], gains: dict[tuple[int, ...], float]
    ) -> None:
        """Adds branches with these gains per cost."""
        node.branch_out(tuple(branches.values()), list(gains.values()), self.mixing)
        ends = [branch.ends for branch in branches.values()]
        node.usual = ends.index(True) if any(ends) else int(np.argmax([*gains.values(), 0.0]))

    def macros(self, node: SensingNode, finishes: bool) -> list[Macro | None]:
        """The sensing macros of a node; only those that prepare if it has a plan that finishes."""
        sensing = self.sensing
        rules = set(sensing.telling(node.state))
        if finishes:
            rules &= sensing.preparing
        return [sensing.macro(node.state, rule) if rule in rules else None for rule in range(sensing.count)]

    def add_looks(
        self,
        node: SensingNode,
        macros: list[Macro | None],
        branches: dict[tuple[int, ...], Branch],
        gains: dict[tuple[int, ...], float],
    ) -> None:
        """Adds the sensing macros of the highest gains, each up to the first observation that may show something, and
        those that prepare a part of the goal."""
        sensing = self.sensing
        residual, value = self.values(node)
        rates = rates_of(macros, residual, value)
        for rule in sorted(self.highest(rates)):
            macro, gain = macros[rule], rates[rule]
            if macro is None or gain <= 0 and rule not in self.preparing:
                continue
            first, shown = next(((after, c) for after, c in macro.observations if value[c] > 0), (0, 0))
            if not first:
                first, shown = len(macro.operators), macro.observations[-1][1] if macro.observations else -1
            operators = macro.operators[:first]
            toward = frozenset(c for _, c in macro.observations if residual[c])
            if operators in branches:
                branches[operators] = replace(there := branches[operators], toward=there.toward | toward)
            else:
                short = macro if first == len(macro.operators) else sensing.follow(node.state, operators)
                assert short is not None
                at = rule if short is macro else int(sensing.rule_of[shown])
                branches[operators] = Branch(operators, at, short.end, toward=toward)
            gains[operators] = max(gains.get(operators, 0.0), gain or FALLBACK / len(operators))

    def highest(self, rates: list[float]) -> set[int]:
        """The sensing macros with the highest gains."""
        return set(np.argsort(-np.array(rates), kind="stable")[: self.most_branches].tolist())

    def add_parts(
        self,
        parts: list[tuple[float, Macro]],
        branches: dict[tuple[int, ...], Branch],
        gains: dict[tuple[int, ...], float],
    ) -> None:
        """Adds macros toward parts of the goal, with their gains per cost. What such a part needs is of use in every
        world, and so says nothing about which one is true."""
        of_use = {operator for _, macro in parts for operator in macro.operators}
        for operators, branch in branches.items():
            if operators[-1] in of_use:
                branches[operators] = replace(branch, toward=frozenset())
        for gain, macro in parts:
            branches.setdefault(macro.operators, Branch(macro.operators, None, macro.end))
            gains[macro.operators] = max(gains.get(macro.operators, 0.0), gain)

    def residual(self, node: SensingNode) -> Floats:
        """float64 (classes,): the share of the belief left in each class, 0 if all of it is known."""
        residual, unseen = np.zeros(self.sensing.classes), list(self.sensing.unseen(node.state))
        residual[unseen] = node.residual[unseen]
        return residual

    def values(self, node: SensingNode) -> tuple[Floats, Floats]:
        """float64 (classes,), twice: the share of the belief left in each class, and each one's value."""
        residual, value = self.residual(node), np.zeros(self.sensing.classes)
        class_values(self.worlds, node.found, residual, value)
        return residual, value

    def draw_worlds(self) -> Floats:
        """The worlds of a decision: all of them if they are few, otherwise ``config.worlds``, by systematic sampling of
        each group, so that each place's share is close to the belief. Where all were listed before, and the belief was
        only updated since, those that are left of them are the worlds."""
        if self._evidence is not None:
            self._evidence.review()
        sensing, belief = self.sensing, self.belief
        root = self._nodes.get(sensing.here().tobytes())
        if root is not None and self._revisions == belief.revisions:
            left = np.zeros_like(self.weight)
            left[root.members] = self.weight[root.members]
            return left
        self._nodes = {}
        chances = belief.distributions()
        rows = [sensing.compiled.sensors.groups.row(g) for g in sensing.relevant]
        shares = [chances[g, : len(row)] for g, row in zip(sensing.relevant, rows, strict=True)]
        mass = np.zeros((len(rows), sensing.classes))
        for g, (row, share) in enumerate(zip(rows, shares, strict=True)):
            seen = sensing.class_of[row] >= 0
            np.add.at(mass[g], sensing.class_of[row[seen]], share[seen])
        self.facts, weight = worlds_of(rows, shares, self.most_worlds, self.rng, sensing.errs)
        listed = math.prod(max(1, int(np.count_nonzero(share))) for share in shares) <= self.most_worlds
        self._listed = listed and not sensing.errs
        self._revisions = belief.revisions if self._listed else None
        observed = np.where(self.facts >= 0, sensing.class_of[self.facts], -1).astype(np.int32, order="C")
        luck: Floats = np.zeros(observed.shape)
        self.weight = weight
        self.worlds = Worlds(observed, weight, mass, sensing.needed, sensing.blur, luck)
        return weight


def rates_of(macros: list[Macro | None], residual: Floats, value: Floats) -> list[float]:
    """The value of the unseen observation classes on each macro, over its cost."""
    rates = []
    for macro in macros:
        classes = () if macro is None else {c for _, c in macro.observations if residual[c]}
        rates.append(0.0 if macro is None else float(sum(value[c] for c in classes) / len(macro.operators)))
    return rates


def worlds_of(
    rows: list[Int32], shares: list[Floats], count: int, rng: np.random.Generator, drawn: bool = False
) -> tuple[npt.NDArray[np.int32], Floats]:
    """Worlds: int32 (worlds, groups), the true member of each group or -1 if it is settled, and their weights, float64
    (worlds,). All combinations, unless they are more than ``count``, or ``drawn``."""
    possible = [np.flatnonzero(share > 0) for share in shares]
    if not drawn and math.prod(max(1, len(members)) for members in possible) <= count:
        facts, weight = np.zeros((1, 0), np.int32), np.ones(1)
        for row, share, members in zip(rows, shares, possible, strict=True):
            column = row[members] if len(members) else np.array([-1], np.int32)
            chance = share[members] if len(members) else np.ones(1)
            facts = np.hstack([np.repeat(facts, len(column), axis=0), np.tile(column, len(facts))[:, None]])
            weight = np.repeat(weight, len(chance)) * np.tile(chance, len(weight))
        return facts.astype(np.int32), weight
    columns = []
    for row, share, members in zip(rows, shares, possible, strict=True):
        if len(members):
            columns.append(row[members[systematic_draws(share[members], count, rng)]])
        else:
            columns.append(np.full(count, -1, np.int32))
    return np.stack(columns, axis=1).astype(np.int32), np.full(count, 1 / count)
