"""LLM-MCTS among looks: Algorithm 1 of Zhao, Lee and Hsu (2023) with three things changed, so that it looks for what it
does not know where to find.

- **Options instead of steps.** A branch of the tree is a plan up to the next sight of something that is wanted (a room
  is entered, a fridge is opened), or to a part of the goal, not one step (Sutton, Precup and Singh 1999). Plans among
  what is known are a planner's affair.
- **Roll-outs that do not know the world.** From a new node on, the agent looks in the order of probability by cost, in
  every world that was drawn and is still possible there, until all that is wanted is found; then it carries out a plan.
  A roll-out that knows its world sees no worth in looking.
- **Values are expectations.** The worlds are drawn once a decision and shared by all nodes (as in DESPOT, Ye, Somani,
  Hsu and Lee 2017), few worlds not drawn but listed. Q(h,a) is the mean over what may be seen after a, and V(h) the
  least of the Q of what was tried and of the roll-out, so that a tree is never worth less than its roll-outs.

Values are expected costs, in operators: less is better. What stays is the algorithm: s ~ b(s), select by PUCT with the
model's policy, step, expand and roll out, back up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Options, option
from commonsense_planning.errors import LateError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import holds, infer_groups, set_bit
from commonsense_planning.kernels.looking import Worlds, cell_values, look_around
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.looking import Chart, Looks, Way
from commonsense_planning.search.mcts import Counts, Floats, in_time, puct
from commonsense_planning.search.policies import Probabilities
from commonsense_planning.search.sight import Choice, Searched, Sight

HOPELESS = 1000.0  # what it costs where there is no plan


@dataclass(frozen=True)
class LookOptions(Options):
    """N ``simulations``; ``exploration``, c, for costs as shares of the roll-out's; ``worlds``: K."""

    simulations: int = option(100, "Simulations per decision.", least=1)
    exploration: float = option(0.3, "The constant c of PUCT.", least=0)
    worlds: int = option(100, "Worlds that are drawn per decision.", least=1)


@dataclass(frozen=True)
class Branch:
    """An option: ``operators`` up to its end; ``look``: the look at which it ends, None if it is for a part of the
    goal; ``end``: the state there, in which what is unknown is false; ``ends``: whether the goal is reached then."""

    operators: tuple[int, ...]
    look: int | None
    end: State
    ends: bool = False


@dataclass
class LookNode:
    """A history h in the tree.

    ``state``: what is known, all else false. ``members``: int32, the worlds that are possible; ``weight``: theirs
    together. ``found``: the wanted groups that are settled, as bits. ``chart``, ``place``: where the node is, as the
    roll-outs have it. ``rollout``: the expected cost of the roll-out. ``policy``, ``counts``, ``costs``: π̂(a|h),
    N(h,a), Q(h,a) of the ``branches``. ``children``: by branch, then by what was found.
    """

    state: State
    members: Int32
    weight: float
    found: int
    chart: Chart
    place: int
    rollout: float = 0.0
    branches: tuple[Branch, ...] | None = None
    policy: Probabilities = field(default_factory=lambda: np.zeros(0))
    counts: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    costs: Floats = field(default_factory=lambda: np.zeros(0))
    children: dict[int, dict[tuple[int, ...], LookNode]] = field(default_factory=dict)

    @property
    def open_branches(self) -> tuple[Branch, ...]:
        """The branches; none where nobody has asked for them yet."""
        return self.branches or ()

    @property
    def cost(self) -> float:
        """V(h): the expected cost of the best that is known to be done from here."""
        tried = self.counts > 0
        return min(self.rollout, float(self.costs[tried].min())) if tried.any() else self.rollout


Advise = Callable[[Sequence[Branch]], Probabilities | None]
"""π̂ of a model over the branches of the root; None where it has nothing to say."""


class LookMcts:
    """The search. ``mixing``: λ, the share of the uniform policy in π̂ where the model is not asked."""

    def __init__(
        self, looks: Looks, belief: Belief, config: LookOptions, rng: np.random.Generator, mixing: float = 0.5
    ) -> None:
        self.looks = looks
        self.belief = belief
        self.config = config
        self.rng = rng
        self.mixing = mixing
        self._plans: dict[bytes, float] = {}

    def search(self, advise: Advise = lambda branches: None, report: Callable[[int], None] | None = None) -> LookNode:
        """SEARCH: run the simulations from what is known now. ``advise`` is asked about the root; ``report`` gets the
        number of simulations so far, and raises LateError where it is to be the last."""
        self._draw_worlds()
        root = self.plant(advise)
        shares = np.cumsum(self.worlds.weight) / self.worlds.weight.sum()
        for simulation in range(1, self.config.simulations + 1):
            world = min(int(np.searchsorted(shares, self.rng.random(), side="right")), len(shares) - 1)  # s ~ b(s)
            self.simulate(world, root)
            if not in_time(report, simulation) or len(root.open_branches) < 2:
                break
        return root

    def simulate(self, world: int, node: LookNode) -> None:
        """SIMULATE: select, step and expand or go on below, back up."""
        branches = self.open(node)
        if not branches:
            return
        choice = self.select(node)
        children = node.children.get(choice)
        if children is None:
            self.expand(node, choice)
        elif not branches[choice].ends:
            self.simulate(world, children[self._finds(world, branches[choice].end, node)])
        self.back_up(node, choice)

    def select(self, node: LookNode) -> int:
        """a* = argmax PUCT, with Q(h,a) as a share of the roll-out's cost, which stands in for it where a was not
        tried yet."""
        return int(np.argmax(puct(-self._shares(node), node.counts, node.policy, self.config.exploration)))

    def _shares(self, node: LookNode) -> Floats:
        return np.asarray(np.where(node.counts > 0, node.costs, node.rollout) / max(node.rollout, 1e-9))

    def expand(self, node: LookNode, choice: int) -> None:
        """Carry out an option: one new node for all that may be seen at its end, each with its roll-out."""
        branch = self.open(node)[choice]
        children = node.children[choice] = {}
        if branch.ends:
            return
        parted: dict[tuple[int, ...], list[int]] = {}
        for world in node.members.tolist():
            parted.setdefault(self._finds(world, branch.end, node), []).append(world)
        for facts, members in parted.items():
            children[facts] = self.node(branch, facts, np.array(members, np.int32), node)

    def back_up(self, node: LookNode, choice: int) -> None:
        """Q(h,a): what the option costs, and what is expected after it."""
        below = sum(child.weight * child.cost for child in node.children[choice].values())
        node.counts[choice] += 1
        node.costs[choice] = len(self.open(node)[choice].operators) + below / node.weight

    def best(self, node: LookNode) -> int:
        """The branch to take: the least Q of those that were tried, ties by N(h,a), then by π̂."""
        return int(np.lexsort((-node.policy, -node.counts, np.round(node.costs, 9), node.counts == 0))[0])

    def searched(self, root: LookNode, choice: int) -> Searched:
        """The tree below ``root`` as it stands, of which ``choice`` is taken."""
        return Searched(self._sight((), root), choice, "PUCT", self.config.exploration, "costs")

    def _sight(self, seen: tuple[int, ...], node: LookNode) -> Sight:
        return Sight(seen, int(node.counts.sum()), node.cost, lambda: self._choices(node))

    def _choices(self, node: LookNode) -> list[Choice]:
        def after(index: int) -> list[Sight]:
            return [self._sight(seen, child) for seen, child in node.children.get(index, {}).items()]

        bonus = puct(np.zeros(len(node.counts)), node.counts, node.policy, self.config.exploration)
        worth = -self._shares(node) if node.counts.any() else np.zeros(len(node.counts))
        return [
            Choice(
                branch.operators,
                int(node.counts[i]),
                float(node.costs[i]) if node.counts[i] else None,
                float(node.policy[i]),
                float(worth[i]),
                float(bonus[i]),
                partial(after, i),
            )
            for i, branch in enumerate(node.open_branches)
        ]

    def plant(self, advise: Advise) -> LookNode:
        """The root: what is known now."""
        looks, state = self.looks, self.looks.here()
        chart, members = looks.chart(state), np.arange(len(self.worlds.weight), dtype=np.int32)
        root = LookNode(state, members, float(self.worlds.weight.sum()), looks.settled(state), chart, looks.count)
        ways = looks.ways(state)
        chart.write(looks.count, ways)
        root.rollout = self.roll_out(root)
        self._branch_out(root, ways, looks.shorter_plan(state))
        try:
            advice = advise(root.open_branches)
        except LateError:  # probability by cost stands in for it
            advice = None
        if advice is not None:
            root.policy = advice
        return root

    def node(self, branch: Branch, facts: tuple[int, ...], members: Int32, above: LookNode) -> LookNode:
        """The history that goes on with an option and the finding of ``facts``."""
        looks, state = self.looks, branch.end.copy()
        for fact in facts:
            set_bit(state, fact)
        infer_groups(looks.compiled.table, state)
        chart, place = above.chart, branch.look
        if place is None or chart.ends[place] is None:
            chart, place = looks.chart(state), looks.count
            chart.write(place, looks.ways(state))
        node = LookNode(state, members, float(self.worlds.weight[members].sum()), looks.settled(state), chart, place)
        node.rollout = self.roll_out(node)
        return node

    def roll_out(self, node: LookNode) -> float:
        """ROLLOUT: look in the order of probability by cost, in all worlds of the node, then carry out a plan. The mean
        cost."""
        looks, worlds = self.looks, self.worlds
        unseen = np.zeros(looks.cells, np.bool_)
        unseen[list(looks.unseen(node.state))] = True
        last, cost = np.zeros(len(worlds.weight), np.int32), np.zeros(len(worlds.weight))
        look_around(
            node.chart.table, looks.look_of, worlds, node.members, node.place, node.found, unseen, last, cost
        )
        total = 0.0
        for world in node.members.tolist():
            total += worlds.weight[world] * (cost[world] + self._finish(node, int(last[world]), world))
        return total / node.weight

    def _finish(self, node: LookNode, place: int, world: int) -> float:
        """What a plan costs from a place of the chart, in a world of which all is known that is wanted."""
        looks = self.looks
        start = None if place == node.place else node.chart.ends[place]
        known = node.state if start is None else looks.with_hidden_of(start, node.state)
        state, offset = looks.with_wanted_known(known), 64 * looks.compiled.half
        for fact in self.facts[world].tolist():
            if fact >= 0 and not holds(known, fact + offset):
                set_bit(state, fact)
        key = looks.gist(state)
        if key not in self._plans:
            plan = looks.plan(state)
            self._plans[key] = HOPELESS if plan is None else float(len(plan))
        return self._plans[key]

    def open(self, node: LookNode) -> tuple[Branch, ...]:
        """The branches of a node, found when it is first asked for them."""
        if node.branches is None:
            at_look = node.place < self.looks.count
            ways = node.chart.ways(node.state, node.place) if at_look else self.looks.ways(node.state)
            self._branch_out(node, ways, self.looks.plan(node.state))
        assert node.branches is not None
        return node.branches

    def _branch_out(self, node: LookNode, ways: list[Way | None], plan: tuple[int, ...] | None) -> None:
        looks = self.looks
        branches: dict[tuple[int, ...], Branch] = {}
        gains: dict[tuple[int, ...], float] = {}
        if plan is not None:
            if plan:
                branches[plan] = Branch(plan, None, node.state, ends=True)
                gains[plan] = 1.0
        else:
            unseen = np.zeros(looks.cells, np.bool_)
            unseen[list(looks.unseen(node.state))] = True
            value = np.zeros(looks.cells)
            cell_values(self.worlds, node.found, unseen, value)
            for look, way in enumerate(ways):
                if way is None:
                    continue
                gain = sum(value[c] for c in {c for _, c in way.sights if unseen[c]}) / len(way.operators)
                if gain <= 0:
                    continue
                first, cell = next((after, c) for after, c in way.sights if unseen[c])
                operators = way.operators[:first]
                if operators not in branches:
                    short = way if first == len(way.operators) else looks.follow(node.state, operators)
                    assert short is not None
                    at = look if short is way else int(looks.look_of[cell])
                    branches[operators] = Branch(operators, at, short.end)
                gains[operators] = max(gains.get(operators, 0.0), gain)
            for part in looks.parts(node.state):
                cut = looks.until_sight(node.state, part)
                if cut is not None and cut.operators not in branches:
                    branches[cut.operators] = Branch(cut.operators, None, cut.end)
                    gains[cut.operators] = 1 / len(part) / max(1, len(looks.goal_facts))
        node.branches = tuple(branches.values())
        shares = np.array(list(gains.values()))
        count = len(shares)
        node.policy = self.mixing / max(1, count) + (1 - self.mixing) * shares / max(1e-12, shares.sum())
        node.counts, node.costs = np.zeros(count, np.int64), np.zeros(count)

    def _finds(self, world: int, end: State, node: LookNode) -> tuple[int, ...]:
        """The facts that are found true in a world by who knows what is known in ``end`` and not in the node."""
        offset = 64 * self.looks.compiled.half
        return tuple(
            fact
            for fact in self.facts[world].tolist()
            if fact >= 0 and holds(end, fact + offset) and not holds(node.state, fact + offset)
        )

    def _draw_worlds(self) -> None:
        """The worlds of a decision: all of them where they are few, else ``config.worlds``, drawn so that each group's
        share of each place is as close to the belief as that allows."""
        looks, belief = self.looks, self.belief
        chances = belief.distributions()
        rows = [looks.compiled.sensors.groups.row(g) for g in looks.wanted]
        shares = [chances[g, : len(row)] for g, row in zip(looks.wanted, rows, strict=True)]
        mass = np.zeros((len(rows), looks.cells))
        for g, (row, share) in enumerate(zip(rows, shares, strict=True)):
            seen = looks.cell_of[row] >= 0
            np.add.at(mass[g], looks.cell_of[row[seen]], share[seen])
        self.facts, weight = worlds_of(rows, shares, self.config.worlds, self.rng)
        cell = np.where(self.facts >= 0, looks.cell_of[self.facts], -1).astype(np.int32)
        self.worlds = Worlds(cell, weight, mass, looks.needed)


def worlds_of(
    rows: list[Int32], shares: list[Floats], count: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int32], Floats]:
    """Worlds: int32 (worlds, groups), the true member of each group or -1 where nothing is open, and their weights."""
    possible = [np.flatnonzero(share > 0) for share in shares]
    product = 1
    for members in possible:
        product *= max(1, len(members))
    if product <= count:
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
            points = (rng.permutation(count) + rng.random()) / count
            index = np.searchsorted(np.cumsum(share[members]) / share[members].sum(), points, side="right")
            columns.append(row[members[np.minimum(index, len(members) - 1)]])
        else:
            columns.append(np.full(count, -1, np.int32))
    return np.stack(columns, axis=1).astype(np.int32), np.full(count, 1 / count)
