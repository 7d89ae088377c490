"""LLM-MCTS among sensing macros where sensors err, or where goals and places are so many that the roll-outs of
``sensing_mcts`` would take too long.

A roll-out looks in the order of probability per cost, in all worlds at once and compiled (``kernels.sensing_rollout``),
with travel costs from a matrix, until all that is relevant is found; then comes a plan. Of a goal with many parts, each
part's cost is estimated by itself (``goal_parts``).

If sensors err, a look may show nothing, and is repeated if that is the best option left. In addition, a branch may
assume that a thing is at its most likely place: it ends at the next look on the way, or finally at the operator that
wants the thing there, which reveals whether it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from commonsense_planning.config import PolicyAs
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.sensing_rollout import residual_after, sense_in_order
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.goal_parts import GoalParts
from commonsense_planning.search.pomdp.macro_mcts import HOPELESS, Branch, MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import Macro, SensingMacros, TravelCostMatrix
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts, SensingNode, rates_of
from commonsense_planning.state import Bits, State, with_facts

MOST_SIMULATIONS, MOST_WORLDS = 20, 40  # of a decision if the goal has many parts
MOST_PURSUED = 4  # facts that a node's branches assume if sensors err: the likeliest
FEW_BRANCHES = 2  # macros, and parts of the goal, of a node if the goal has many parts: more only add noise


@dataclass(kw_only=True, eq=False)
class TravelNode(SensingNode):
    """``travel``, ``place``: the node's place in the matrix of travel costs."""

    travel: TravelCostMatrix
    place: int


class TravelCostMcts(SensingMcts):
    """The search. Its nodes are for one decision, and not shared between histories."""

    exact = False

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
        super().__init__(sensing, belief, config, rng, mixing, policy_as)
        self.preparing, self.most_worlds = set(), config.worlds
        self.most_branches = FEW_BRANCHES if self._parts is not None else self.most_branches
        self._first = True  # whether the root is the decision's first

    def draw_worlds(self) -> Floats:
        self._nodes, self._revisions = {}, None
        weight, self._first = super().draw_worlds(), True
        if self.sensing.errs:
            ranks = np.tile(np.arange(len(weight))[:, None], self.facts.shape[1])
            luck = np.ascontiguousarray((self.rng.permuted(ranks, axis=0) + 0.5) / len(weight))
            self.worlds = self.worlds._replace(luck=luck)
        if self._parts is not None:
            self._part_costs = self._parts.of_worlds(self.facts)
        return weight

    def make_root(self) -> SensingNode:
        sensing, state = self.sensing, self.sensing.here()
        members, residual = np.arange(len(self.weight), dtype=np.int32), np.ones(sensing.classes)
        travel, macros = sensing.travel_costs(state), sensing.macros(state)
        travel.write(sensing.count, macros, state)
        root = self._node(state, members, residual, travel, sensing.count)
        self.evaluate(0, root)
        plan = sensing.plan(state) if self._parts is not None else sensing.shorter_plan(state)
        self._branch(root, macros, plan, self._first and self._evidence is not None)
        self._first = False
        return root

    def is_worth_asking(self, root: SensingNode) -> bool:
        return self._parts is not None or super().is_worth_asking(root)

    def shown(self, members: Int32, facts: Int32, node: SensingNode, branch: Branch) -> Bits:
        if branch.wants is not None:
            return np.asarray(facts == branch.wants)
        shown = super().shown(members, facts, node, branch)
        if self.sensing.errs:
            blur = self.sensing.blur
            for i, g in zip(*np.nonzero(shown), strict=True):
                c = self.sensing.class_of[facts[i, g]]
                shown[i, g] = self.worlds.luck[members[i], g] >= residual_after(node.residual[c], blur[c])
        return shown

    def node(self, above: SensingNode, choice: int, found: tuple[int, ...], members: Int32) -> SensingNode:
        branch, sensing = above.open_branches[choice], self.sensing
        assert isinstance(above, TravelNode)
        travel, place, residual = above.travel, branch.rule, above.residual
        if branch.wants is not None and not found:
            state, place = sensing.settle(above.state, branch.wants, False), above.place
        else:
            state, residual = self._after(above, branch, found)
        if place is None or place == sensing.count or travel.ends[place] is None:
            place = sensing.count
            if not sensing.errs or sensing.unfinished(sensing.settled(state)):
                # a matrix depends on which of equal states came first
                travel = sensing.travel_costs(state)
                travel.write(place, sensing.macros(state), state)
        return self._node(state, members, residual, travel, place)

    def _node(self, state: State, members: Int32, residual: Floats, travel: TravelCostMatrix, place: int) -> TravelNode:
        weight, found = float(self.weight[members].sum()), self.sensing.settled(state)
        return TravelNode(
            members=members, weight=weight, state=state, residual=residual, found=found, travel=travel, place=place
        )

    def _after(self, above: SensingNode, branch: Branch, facts: tuple[int, ...]) -> tuple[State, Floats]:
        """The knowledge after a branch, given the facts found, and the share of the belief left in each class."""
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
        assert isinstance(node, TravelNode)
        sensing, worlds, travel = self.sensing, self.worlds, node.travel
        residual = self.residual(node)
        last, cost = np.zeros(len(worlds.weight), np.int32), np.zeros(len(worlds.weight))
        sense_in_order(
            travel.table, sensing.rule_of, worlds, node.members, node.place, node.found, residual, last, cost
        )
        if self._parts is not None:
            parts = self._parts.remaining_cost(self._part_costs, node.state)
            return float(worlds.weight[node.members] @ (cost + parts)[node.members]) / node.weight
        total = 0.0
        for world in node.members.tolist():
            end = None if last[world] == node.place else travel.ends[last[world]]
            state = node.state if end is None else sensing.moved_to(end, travel.start, node.state)
            total += worlds.weight[world] * (cost[world] + self.cost_in_hindsight(state, world))
        return total / node.weight

    def find_branches(self, node: SensingNode) -> None:
        assert isinstance(node, TravelNode)
        plan, macros = self.sensing.plan(node.state), list[Macro | None]()
        if plan is None and node.place < self.sensing.count:
            residual, value = self.values(node)

            def most(row: list[Macro | None]) -> set[int]:
                return self.highest(rates_of(row, residual, value))

            macros = node.travel.macros(node.state, node.place, most)
        elif plan is None:
            macros = self.sensing.macros(node.state)
        self._branch(node, macros, plan)

    def _branch(
        self, node: SensingNode, macros: list[Macro | None], plan: tuple[int, ...] | None, shorter: bool = False
    ) -> None:
        sensing = self.sensing
        branches: dict[tuple[int, ...], Branch] = {}
        gains: dict[tuple[int, ...], float] = {}
        if plan is not None:
            if plan:
                branches[plan], gains[plan] = Branch(plan, None, node.state, ends=True), 1.0
        else:
            self.add_looks(node, macros, branches, gains)
            parts = sensing.parts(node.state, shorter)
            if self._parts is not None:
                parts = sorted(parts, key=len)[:FEW_BRANCHES]
            cuts = [
                (1 / len(part) / max(1, len(sensing.goal_facts)), sensing.until_observation(node.state, part))
                for part in parts
            ]
            self.add_parts([(gain, cut) for gain, cut in cuts if cut is not None], branches, gains)
            if sensing.errs:
                self._pursue(node, branches, gains)
        self.branch_out(node, branches, gains)

    def _pursue(
        self, node: SensingNode, branches: dict[tuple[int, ...], Branch], gains: dict[tuple[int, ...], float]
    ) -> None:
        """Adds branches that assume things at their most likely places."""
        sensing, likely = self.sensing, []
        for g in range(len(sensing.relevant)):
            facts = self.facts[node.members, g]
            if not node.found >> g & 1 and (facts >= 0).any():
                chances = np.bincount(facts[facts >= 0], self.weight[node.members][facts >= 0]) / node.weight
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
