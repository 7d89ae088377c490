"""LLM-MCTS among sensing macros: Algorithm 1 of Zhao, Lee and Hsu (2023) with three changes, so that it searches for
things at unknown places.

- **Macros instead of steps.** A branch of the tree is a plan up to the next relevant observation (a room is entered, a
  fridge is opened), or to a part of the goal, not one step (options, in the terms of Sutton, Precup and Singh 1999).
  Planning with what is known is left to a planner.
- **Roll-outs that do not know the world.** From a new node on, the agent looks in the order of probability per cost, in
  every sampled world that is still possible there, until all that is relevant is found; then comes a plan. A roll-out
  that knows its world sees no value in looking.
- **Values are expectations.** The worlds are drawn once per decision and shared by all nodes (as in DESPOT, Ye, Somani,
  Hsu and Lee 2017); if they are few, they are enumerated. Q(h,a) is the mean over the observations after a, and V(h)
  the least of the Q of what was tried and the value of the roll-out. So a tree's value is never worse than its
  roll-outs'.

If sensors err, a look may show nothing (``kernels.sensing_rollout``), and is repeated if that is the best option left.
In addition, a branch may assume that a thing is at its most likely place: it ends at the next look on the way, or
finally at the operator that wants the thing there, which reveals whether it is.

Values are expected costs, in operators: less is better. The rest is the algorithm: s ~ b(s), select by PUCT, step,
expand and roll out, back up.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import PolicyAs
from commonsense_planning.elicitation.policies import Probabilities
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.sensing_rollout import Worlds, class_values, residual_after, sense_in_order
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.pomdp.advice import AdviceAsEvidence
from commonsense_planning.search.pomdp.goal_parts import GoalParts
from commonsense_planning.search.pomdp.macro_mcts import (
    HOPELESS,
    Branch,
    MacroMcts,
    MacroMctsOptions,
    MacroNode,
    systematic_draws,
)
from commonsense_planning.search.pomdp.mcts import Floats
from commonsense_planning.search.pomdp.sensing_macros import Macro, SensingMacros, TravelCostMatrix
from commonsense_planning.state import State, StateView, with_facts

MOST_BRANCHES = 32  # macros of a node, those of the highest gain per cost
MOST_SIMULATIONS, MOST_WORLDS = 20, 40  # of a decision if the goal has many parts
LEAST_SAVED = 1.0  # steps that an answer has to save to be worth its call
MOST_PURSUED = 4  # facts that a node's branches assume if sensors err: the likeliest
FEW_BRANCHES = 2  # macros, and parts of the goal, of a node if the goal has many parts: more only add noise


@dataclass(kw_only=True)
class SensingNode(MacroNode):
    """A history h in the tree, whose observations are the facts found on a branch.

    ``state``: what is known; unknown facts are false. ``found``: the settled relevant groups, as bits. ``residual``:
    float64 (classes,), the share of the belief in each class that is left after the looks since the root. ``travel``,
    ``place``: the node's place in the matrix of travel costs, for roll-outs.
    """

    state: State
    residual: Floats
    found: int
    travel: TravelCostMatrix
    place: int


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
        self._parts = GoalParts(sensing, HOPELESS) if GoalParts.suit(sensing) else None
        if self._parts is not None:
            few = min(config.simulations, MOST_SIMULATIONS), min(config.worlds, MOST_WORLDS)
            config = replace(config, simulations=few[0], worlds=few[1])
        super().__init__(belief, config, rng, mixing)
        self.sensing = sensing
        self._most = FEW_BRANCHES if self._parts is not None else MOST_BRANCHES
        self._plans: dict[bytes, float] = {}
        self.worlds: Worlds  # of the decision
        self._evidence = AdviceAsEvidence(sensing, mixing) if policy_as is PolicyAs.EVIDENCE else None

    @property
    def by_parts(self) -> bool:
        """Whether the remaining cost is estimated part by part."""
        return self._parts is not None

    def replanning_trigger(self) -> Hashable:
        return self.sensing.replanning_trigger()

    def unreachable_reason(self) -> str:
        return self.sensing.unreachable_reason()

    def seen(self, world: int, node: SensingNode, choice: int) -> tuple[int, ...]:
        return self._finds(world, self.open(node)[choice], node)

    def found(self, node: SensingNode, choice: int, observation: Hashable) -> tuple[int, ...]:
        return cast(tuple[int, ...], observation)

    def make_root(self) -> SensingNode:
        sensing, state = self.sensing, self.sensing.here()
        travel, members = sensing.travel_costs(state), np.arange(len(self.worlds.weight), dtype=np.int32)
        weight, found = float(self.worlds.weight.sum()), sensing.settled(state)
        residual = np.ones(sensing.classes)
        at = sensing.count
        root = SensingNode(members, weight, state=state, residual=residual, found=found, travel=travel, place=at)
        macros = sensing.macros(state)
        travel.write(sensing.count, macros, state)
        root.rollout = self.roll_out(root)
        plan = sensing.plan(state) if self.by_parts else sensing.shorter_plan(state)
        self._branch_out(root, macros, plan, self._evidence is not None)
        return root

    def is_worth_asking(self, root: SensingNode) -> bool:
        """Whether an answer is expected to save ``LEAST_SAVED`` steps: the reliability of advice times what knowing the
        world would save."""
        if self._evidence is None or self.by_parts:
            return True
        costs = [self._finish(root, root.place, world) for world in root.members.tolist()]
        saved = root.rollout - float(self.worlds.weight @ np.array(costs)) / root.weight
        return self._evidence.reliability * saved >= LEAST_SAVED

    def condition_on_advice(
        self, weight: Floats, root: SensingNode, policy: Probabilities
    ) -> tuple[Floats, SensingNode]:
        """If the model's policy is evidence, π̂ is the search's own, from the updated belief. Values improve with
        visits, so a model that errs should not distribute them."""
        if self._evidence is None:
            return super().condition_on_advice(weight, root, policy)
        condition, branches = self._evidence.condition_on_advice, root.open_branches
        self.worlds = condition(self.worlds, root.found, branches, root.policy, policy)
        return self.worlds.weight, self.make_root()

    def node(self, above: SensingNode, choice: int, observation: Hashable, members: Int32) -> SensingNode:
        """The history extended by a macro and the facts found."""
        branch, facts, sensing = self.open(above)[choice], cast(tuple[int, ...], observation), self.sensing
        travel, place, residual = above.travel, branch.rule, above.residual
        if branch.wants is not None and not facts:
            state, place = sensing.settle(above.state, branch.wants, False), above.place
        else:
            state, residual = self._after(above, branch, facts)
        weight, found = float(self.worlds.weight[members].sum()), sensing.settled(state)
        if place is None or place == sensing.count or travel.ends[place] is None:
            place = sensing.count
            if not sensing.errs or sensing.unfinished(found):  # a matrix depends on which of equal states came first
                travel = sensing.travel_costs(state)
                travel.write(place, sensing.macros(state), state)
        node = SensingNode(members, weight, state=state, residual=residual, found=found, travel=travel, place=place)
        node.rollout = self.roll_out(node)
        return node

    def _after(self, above: SensingNode, branch: Branch, facts: tuple[int, ...]) -> tuple[State, Floats]:
        """What is known after a branch, given the facts found, and the share of the belief left in each class."""
        sensing = self.sensing
        if branch.wants is not None:
            return branch.end, above.residual
        if not sensing.errs:
            state = with_facts(branch.end, facts)
            self.belief.transition.conclude(state)
            return state, above.residual
        state, residual = sensing.still_in_doubt(branch.end, above.state), above.residual.copy()
        for c in sensing.looked_at(above.state, branch.end):
            residual[c] = residual_after(residual[c], sensing.blur[c])
        for fact in facts:
            state = sensing.settle(state, fact, True)
        return state, residual

    def roll_out(self, node: SensingNode) -> float:
        """ROLLOUT: sense in the order of probability per cost, in all worlds of the node, then carry out a plan.
        Returns the mean cost."""
        sensing, worlds = self.sensing, self.worlds
        residual = self._residual(node)
        last, cost = np.zeros(len(worlds.weight), np.int32), np.zeros(len(worlds.weight))
        sense_in_order(
            node.travel.table, sensing.rule_of, worlds, node.members, node.place, node.found, residual, last, cost
        )
        if self._parts is not None:
            parts = self._parts.remaining_cost(self._part_costs, node.state)
            return float(worlds.weight[node.members] @ (cost + parts)[node.members]) / node.weight
        total = 0.0
        for world in node.members.tolist():
            total += worlds.weight[world] * (cost[world] + self._finish(node, int(last[world]), world))
        return total / node.weight

    def _finish(self, node: SensingNode, place: int, world: int) -> float:
        """The cost of a plan from a place of the matrix, in a world of which all that is relevant is known."""
        sensing = self.sensing
        start = None if place == node.place else node.travel.ends[place]
        known = node.state if start is None else sensing.moved_to(start, node.travel.start, node.state)
        knows, facts = StateView(sensing.compiled, known).knows, self.facts[world].tolist()
        state = with_facts(sensing.with_relevant_known(known), [f for f in facts if f >= 0 and not knows(f)])
        key = sensing.abstract_key(state)
        if key not in self._plans:
            plan = sensing.plan(state)
            self._plans[key] = HOPELESS if plan is None else float(len(plan))
        return self._plans[key]

    def find_branches(self, node: SensingNode) -> None:
        plan, macros = self.sensing.plan(node.state), list[Macro | None]()
        if plan is None and node.place < self.sensing.count:
            residual, value = self._values(node)
            rows = node.travel
            macros = rows.macros(node.state, node.place, lambda row: self._telling(_rates(row, residual, value)))
        elif plan is None:
            macros = self.sensing.macros(node.state)
        self._branch_out(node, macros, plan)

    def _branch_out(
        self, node: SensingNode, macros: list[Macro | None], plan: tuple[int, ...] | None, shorter: bool = False
    ) -> None:
        sensing = self.sensing
        branches: dict[tuple[int, ...], Branch] = {}
        gains: dict[tuple[int, ...], float] = {}
        if plan is not None:
            if plan:
                branches[plan] = Branch(plan, None, node.state, ends=True)
                gains[plan] = 1.0
        else:
            residual, value = self._values(node)
            rates = _rates(macros, residual, value)
            for rule in sorted(self._telling(rates)):
                macro, gain = macros[rule], rates[rule]
                if macro is None or gain <= 0:
                    continue
                first, shown = next((after, c) for after, c in macro.observations if residual[c])
                operators = macro.operators[:first]
                toward = frozenset(c for _, c in macro.observations if residual[c])
                if operators in branches:
                    branches[operators] = replace(there := branches[operators], toward=there.toward | toward)
                else:
                    short = macro if first == len(macro.operators) else sensing.follow(node.state, operators)
                    assert short is not None
                    at = rule if short is macro else int(sensing.rule_of[shown])
                    branches[operators] = Branch(operators, at, short.end, toward=toward)
                gains[operators] = max(gains.get(operators, 0.0), gain)
            parts = sensing.parts(node.state, shorter)
            of_use = {operator for part in parts for operator in part}  # whatever the world
            for operators, branch in branches.items():
                if operators[-1] in of_use:
                    branches[operators] = replace(branch, toward=frozenset())
            if self._parts is not None:
                parts = sorted(parts, key=len)[:FEW_BRANCHES]
            for part in parts:
                cut = sensing.until_observation(node.state, part)
                if cut is not None and cut.operators not in branches:
                    branches[cut.operators] = Branch(cut.operators, None, cut.end)
                    gains[cut.operators] = 1 / len(part) / max(1, len(sensing.goal_facts))
            if sensing.errs:
                self._pursue(node, branches, gains)
        node.branch_out(tuple(branches.values()), list(gains.values()), self.mixing)

    def _pursue(
        self, node: SensingNode, branches: dict[tuple[int, ...], Branch], gains: dict[tuple[int, ...], float]
    ) -> None:
        """Adds branches that assume things at their most likely places."""
        sensing, likely = self.sensing, []
        for g in range(len(sensing.relevant)):
            facts = self.facts[node.members, g]
            if not node.found >> g & 1 and (facts >= 0).any():
                chances = np.bincount(facts[facts >= 0], self.worlds.weight[node.members][facts >= 0]) / node.weight
                likely += [(-float(chances[fact]), int(fact)) for fact in np.argsort(-chances)[:MOST_PURSUED]]
        for less, fact in sorted(likely)[:MOST_PURSUED]:
            operators = sensing.plan_to_hypothesis(node.state, fact) if less else None
            if operators is None:
                continue
            if len(operators) == 1:
                state = sensing.settle(node.state, fact, True)
                end = sensing.still_in_doubt(self.belief.transition.successor(state, operators[0]), state)
                branch = Branch(operators, None, end, wants=fact)
            else:
                cut = sensing.until_observation(node.state, operators[:-1])
                if cut is None:
                    continue
                rule = int(sensing.rule_of[cut.observations[0][1]]) if cut.observations else None
                branch = Branch(cut.operators, rule, cut.end)
            branches.setdefault(branch.operators, branch)
            gains[branch.operators] = max(gains.get(branch.operators, 0.0), -less / len(operators))

    def _telling(self, rates: list[float]) -> set[int]:
        """The sensing macros with the highest gains."""
        return set(np.argsort(-np.array(rates), kind="stable")[: self._most].tolist())

    def _residual(self, node: SensingNode) -> Floats:
        """float64 (classes,): the share of the belief left in each class, 0 if all of it is known."""
        residual, unseen = np.zeros(self.sensing.classes), list(self.sensing.unseen(node.state))
        residual[unseen] = node.residual[unseen]
        return residual

    def _values(self, node: SensingNode) -> tuple[Floats, Floats]:
        """float64 (classes,), twice: the share of the belief left in each class, and each one's value."""
        residual, value = self._residual(node), np.zeros(self.sensing.classes)
        class_values(self.worlds, node.found, residual, value)
        return residual, value

    def _finds(self, world: int, branch: Branch, node: SensingNode) -> tuple[int, ...]:
        """The facts found true on a branch in a world: those that are looked at, if the look shows them."""
        facts = self.facts[world].tolist()
        if branch.wants is not None:
            return (branch.wants,) if branch.wants in facts else ()
        before, after = (StateView(self.sensing.compiled, state).knows for state in (node.state, branch.end))
        shown = tuple(fact for fact in facts if fact >= 0 and after(fact) and not before(fact))
        if not self.sensing.errs:
            return shown
        luck, classes = self.worlds.luck[world], self.sensing.class_of
        residual, blur = node.residual, self.sensing.blur
        return tuple(f for f in shown if luck[facts.index(f)] >= residual_after(residual[c := classes[f]], blur[c]))

    def draw_worlds(self) -> Floats:
        """The worlds of a decision: all of them if they are few, otherwise ``config.worlds``, by systematic sampling of
        each group, so that each place's share is close to the belief."""
        if self._evidence is not None:
            self._evidence.review()
        sensing, belief = self.sensing, self.belief
        chances = belief.distributions()
        rows = [sensing.compiled.sensors.groups.row(g) for g in sensing.relevant]
        shares = [chances[g, : len(row)] for g, row in zip(sensing.relevant, rows, strict=True)]
        mass = np.zeros((len(rows), sensing.classes))
        for g, (row, share) in enumerate(zip(rows, shares, strict=True)):
            seen = sensing.class_of[row] >= 0
            np.add.at(mass[g], sensing.class_of[row[seen]], share[seen])
        self.facts, weight = worlds_of(rows, shares, self.config.worlds, self.rng, sensing.errs)
        observed = np.where(self.facts >= 0, sensing.class_of[self.facts], -1).astype(np.int32, order="C")
        luck: Floats = np.zeros(observed.shape)
        if sensing.errs:
            ranks = np.tile(np.arange(len(weight))[:, None], self.facts.shape[1])
            luck = np.ascontiguousarray((self.rng.permuted(ranks, axis=0) + 0.5) / len(weight))
        self.worlds = Worlds(observed, weight, mass, sensing.needed, sensing.blur, luck)
        if self._parts is not None:
            self._part_costs = self._parts.of_worlds(self.facts)
        return weight


def _rates(macros: list[Macro | None], residual: Floats, value: Floats) -> list[float]:
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
