"""The slow, obvious twin of the kernels in ``engine``, ``relaxed``, ``sensing_rollout`` and ``batched``: no tricks.
Tests hold the two together."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, Lists, fully_observable
from commonsense_planning.kernels.batched import TRIES
from commonsense_planning.kernels.sensing_rollout import LOOKED_ENOUGH, TravelCosts, Worlds

Key = tuple[int, bool | None]
"""A fact and whether it is true; or a rule that is broken, with None."""


@dataclass(frozen=True)
class ReferenceState:
    """The facts that are true, and the facts whose value the agent knows."""

    true: frozenset[int]
    known: frozenset[int]


def sensed_in_order(
    macros: TravelCosts,
    rule_of: Sequence[int],
    worlds: Worlds,
    world: int,
    place: int,
    found: int,
    unseen: frozenset[int],
) -> tuple[int, int]:
    """Sensing in the order of probability by cost in one world: the rule at which it ends, and the operators until
    there. Twin of ``sensing_rollout.sense_in_order``."""
    spent, needed, blur = 0, worlds.needed.tolist(), [Fraction(b) for b in worlds.blur.tolist()]
    left = {cell: Fraction(1) for cell in unseen}
    while all(groups & ~found for groups in needed):
        best, target, seen_at_best = Fraction(0), -1, []
        for rule in range(macros.cost.shape[1]):
            pairs = zip(macros.after[place, rule].tolist(), macros.shown[place, rule].tolist(), strict=True)
            observations = [(after, cell) for after, cell in pairs if cell >= 0]
            if macros.cost[place, rule] == math.inf:
                continue
            worth = Fraction(0)
            for cell in {cell for _, cell in observations} & left.keys():
                for g, mass in enumerate(worlds.mass.tolist()):
                    total = sum(Fraction(mass[c]) * share for c, share in left.items())
                    if not found >> g & 1 and total:
                        worth += Fraction(mass[cell]) * left[cell] * (1 - blur[cell]) / total
            if worth / int(macros.cost[place, rule]) > best:
                best, target, seen_at_best = worth / int(macros.cost[place, rule]), rule, observations
        if target < 0:
            break
        now = next(after for after, cell in seen_at_best if cell in left)
        for after, cell in seen_at_best:
            if after == now:
                at = cell
                if cell not in left:
                    continue
                missed = left.pop(cell) * blur[cell]
                if missed >= LOOKED_ENOUGH:
                    left[cell] = missed
                for g, where in enumerate(worlds.observed[world].tolist()):
                    if where == cell and (cell not in left or worlds.luck[world, g] >= missed):
                        found |= 1 << g
        spent, place = spent + now, target if now == macros.cost[place, target] else int(rule_of[at])
    return place, spent


class Reference:
    """A task with its agent's sensors, one obvious method per kernel."""

    def __init__(self, task: GroundTask, sensors: GroundSensors | None = None) -> None:
        self.task = task
        self.sensors = sensors or fully_observable(task.fact_count)
        self.hidden = {f for f in range(task.fact_count) if self.sensors.hidden[f]}

    def start(self, true: frozenset[int]) -> ReferenceState:
        """The initial state, with what the agent observes in it."""
        return self.sense(ReferenceState(true, frozenset(range(self.task.fact_count)) - self.hidden))

    def sense(self, situation: ReferenceState) -> ReferenceState:
        """Learn what the sensing rules show."""
        sensors = self.sensors
        known = set(situation.known)
        for i in range(len(sensors.when)):
            if row_of(sensors.when, i) <= situation.true and not row_of(sensors.when_not, i) & situation.true:
                known |= row_of(sensors.seen, i)
        return ReferenceState(situation.true, frozenset(known))

    def applicable(self, situation: ReferenceState) -> list[int]:
        """The operators whose preconditions are known to hold, ascending."""
        ops = self.task.operators
        return [
            o
            for o in range(self.task.operator_count)
            if row_of(ops.pre, o) <= situation.true
            and not row_of(ops.npre, o) & situation.true
            and row_of(ops.pre, o) | row_of(ops.npre, o) <= situation.known
        ]

    def progress(self, situation: ReferenceState, operator: int) -> ReferenceState:
        """The successor: delete, then add, then derive, then sense, then remember. What an unobserved effect may have
        changed is not known, unless it would be the same either way."""
        ops, sensors = self.task.operators, self.sensors
        added, deleted = set(row_of(ops.add, operator)), set(row_of(ops.delete, operator))  # for certain
        maybe_added, maybe_deleted = set[int](), set[int]()
        true = set(situation.true) - deleted
        fired = set[int]()
        for e in range(ops.effect_start[operator], ops.effect_end[operator]):
            wanted, unwanted = row_of(ops.cond_pre, e), row_of(ops.cond_npre, e)
            fires = wanted <= situation.true and not unwanted & situation.true
            if len(sensors.unobserved) and sensors.unobserved[e] and not wanted | unwanted <= situation.known:
                maybe_added |= row_of(ops.cond_add, e)
                maybe_deleted |= row_of(ops.cond_delete, e)
            elif fires:
                added |= row_of(ops.cond_add, e)
                deleted |= row_of(ops.cond_delete, e)
            if fires:
                true -= row_of(ops.cond_delete, e)
                fired |= row_of(ops.cond_add, e)
        known = (set(situation.known) - (maybe_deleted & situation.true)) | deleted
        known = (known - (maybe_added - true)) | added
        known |= row_of(sensors.observed, operator) if len(sensors.observed) else set()
        after = self.derive(frozenset(true | row_of(ops.add, operator) | fired))
        sensed = self.sense(ReferenceState(after, frozenset(known)))
        return self.remember(self.with_last(self.concluded(sensed)) if self.concludes else sensed)

    @property
    def concludes(self) -> bool:
        """Whether a condition wants a member of a group false: then conclusions count at once."""
        ops, goal, monitors = self.task.operators, self.task.goal, self.task.monitors
        rows = ops.npre, ops.cond_npre, goal.neg, monitors.neg
        unwanted = {f for lists in rows for i in range(len(lists)) for f in row_of(lists, i)}
        return any(unwanted & row_of(self.sensors.groups, g) for g in range(len(self.sensors.groups)))

    def with_last(self, situation: ReferenceState) -> ReferenceState:
        """With the last unknown member of each group of which exactly one is true, if it is that one."""
        known = situation.known
        for members in (row_of(self.sensors.groups, g) for g in range(self.sensors.exact)):
            if len(members - known) == 1:
                known |= members & situation.true
        return ReferenceState(situation.true, known)

    def concluded(self, situation: ReferenceState) -> ReferenceState:
        """With everything that follows from exactly-one groups."""
        known, groups = situation.known, self.sensors.groups
        for _ in range(len(groups)):
            for members in (row_of(groups, g) for g in range(len(groups))):
                if members & situation.true & known:
                    known |= members
        return ReferenceState(situation.true, known)

    def remember(self, situation: ReferenceState) -> ReferenceState:
        """With the bits that remember for constraints brought up to date, one by one; what depends on hidden facts only
        where these are known."""
        monitors, true = self.task.monitors, set(situation.true)
        for u, bit in enumerate(monitors.bit.tolist()):
            pos, neg = row_of(monitors.pos, u), row_of(monitors.neg, u)
            if pos <= true and not neg & true and pos | neg <= situation.known:
                true = true | {bit} if monitors.value[u] else true - {bit}
        return ReferenceState(frozenset(true), situation.known)

    def derive(self, true: frozenset[int]) -> frozenset[int]:
        """With what follows from the rules, and nothing else that is derived: each stratum's rules over and over."""
        rules = self.task.rules
        found = set(true) - set(rules.head.tolist())
        for stratum in sorted(set(rules.stratum.tolist())):
            size = -1
            while size != (size := len(found)):
                for r in range(len(rules.head)):
                    pos, neg = row_of(rules.pos, r), row_of(rules.neg, r)
                    if rules.stratum[r] == stratum and pos <= found and not neg & found:
                        found.add(int(rules.head[r]))
        return frozenset(found)

    def goal_reached(self, situation: ReferenceState) -> bool:
        """Whether a disjunct of the goal is known to hold."""
        goal = self.task.goal
        return any(
            row_of(goal.pos, d) <= situation.true
            and not row_of(goal.neg, d) & situation.true
            and row_of(goal.pos, d) | row_of(goal.neg, d) <= situation.known
            for d in range(len(goal.pos))
        )

    def failed(self, situation: ReferenceState) -> int:
        """The first disjunct of the failure condition that holds, known or not; -1 if none does."""
        failure = self.task.failure
        for d in range(len(failure.pos)):
            if row_of(failure.pos, d) <= situation.true and not row_of(failure.neg, d) & situation.true:
                return d
        return -1

    def h_max(self, true: frozenset[int]) -> float:
        """h_max of a fully observable state; infinity if the goal is out of reach."""
        return self._relaxed_cost(true, max)

    def h_add(self, true: frozenset[int]) -> float:
        """h_add of a fully observable state; infinity if the goal is out of reach."""
        return self._relaxed_cost(true, sum)

    def _relaxed_cost(self, true: frozenset[int], together: Callable[[list[float]], float]) -> float:
        """The goal's cost in the delete relaxation by iterating to the fixed point; conditions cost ``together``.

        A negative condition costs what it takes to delete the fact, 0 if it is false now; but an operator's
        own negative condition on a fact that it adds is left out, as in ``relaxed``.
        """
        cost: dict[Key, float] = {(f, f in true): 0.0 for f in range(self.task.fact_count)}

        def conditions(wants: Iterable[Key]) -> float:
            return together([0.0] + [cost.get(key, math.inf) for key in wants])

        operators = list(self.relaxed_operators())
        changed = True
        while changed:
            changed = False
            for o, wants, effects in operators:
                price = conditions(wants) + (float(self.task.operators.cost[o]) if o is not None else 0.0)
                for key in effects:
                    if price < cost.get(key, math.inf):
                        cost[key] = price
                        changed = True
        return min(map(conditions, self.goals()), default=math.inf)

    def first_achievers(self, true: frozenset[int]) -> frozenset[int]:
        """The operators relevant to the goal from a fully observable state, as in ``relaxed``, but with those whose
        conditions are another's and more."""
        operators, given = list(self.relaxed_operators()), self.given(true)

        def reached(but: Key | None) -> set[Key]:
            return relaxed_facts(operators, given, but)

        waiting = [key for wants in self.goals() if wants <= reached(None) for key in wants - given]
        called, chosen = set(waiting), set[int]()
        while waiting:
            key = waiting.pop()
            without = reached(key)
            for o, wants, effects in operators:
                if key in effects and wants <= without:
                    chosen |= {o} if o is not None else set()
                    waiting += wants - given - called
                    called |= wants - given
        return frozenset(chosen)

    def lm_cut(self, true: frozenset[int]) -> float:
        """LM-cut of a fully observable state, for a task without rules: h_max again after every cut."""
        goal: Key = (self.task.fact_count, False)
        always: Key = (self.task.fact_count, True)
        operators = [(o, wants or {always}, effects - wants) for o, wants, effects in self.relaxed_operators()]
        operators += [(None, wants or {always}, {goal}) for wants in self.goals()]
        given: set[Key] = {(f, f in true) for f in range(self.task.fact_count)}
        given.add(always)
        left: dict[int | None, float] = {o: float(cost) for o, cost in enumerate(self.task.operators.cost)}
        left[None], total = 0.0, 0.0
        while True:
            cost, changed = dict.fromkeys(given, 0.0), True
            while changed:
                old = dict(cost)
                for o, wants, effects in operators:
                    price = max(cost.get(key, math.inf) for key in wants) + left[o]
                    cost |= {key: price for key in effects if price < cost.get(key, math.inf)}
                changed = cost != old
            if cost.get(goal, math.inf) in (0.0, math.inf):
                return total if goal in cost else math.inf
            reached = [
                (o, max(wants, key=lambda key: (cost[key], not key[1], key[0])), effects)
                for o, wants, effects in operators
                if all(key in cost for key in wants)
            ]
            zone, before = {goal}, set[Key]()
            while not before >= (more := {s for o, s, effects in reached if left[o] == 0 and effects & zone}):
                zone, before = zone | more, more
            before, size = given - zone, -1
            while size != (size := len(before)):
                before |= {e for _, s, effects in reached if s in before and not effects & zone for e in effects}
            cut = {o for o, s, effects in reached if s in before and effects & zone}
            price = min(left[o] for o in cut)
            total += price
            left |= {o: left[o] - price for o in cut}

    def given(self, true: frozenset[int]) -> set[Key]:
        """What is true in a state."""
        return {(f, f in true) for f in range(self.task.fact_count)}

    def goals(self) -> list[set[Key]]:
        """What each disjunct of the goal wants."""
        goal = self.task.goal
        return [_wants(row_of(goal.pos, d), row_of(goal.neg, d)) for d in range(len(goal.pos))]

    def relaxed_operators(self) -> Iterator[tuple[int | None, set[Key], set[Key]]]:
        """Operators, their conditional effects, the rules and the updates of bits, one by one: the operator or None,
        what it wants, and what it brings about. A derived fact is false where all its rules are broken that wait for no
        fact of their own stratum."""
        ops, rules = self.task.operators, self.task.rules
        for o in range(self.task.operator_count):
            pre, npre = row_of(ops.pre, o), _without_idle(row_of(ops.npre, o), row_of(ops.add, o))
            yield o, _wants(pre, npre), _wants(row_of(ops.add, o), row_of(ops.delete, o))
            for e in range(ops.effect_start[o], ops.effect_end[o]):
                added, deleted = row_of(ops.cond_add, e), row_of(ops.cond_delete, e)
                unwanted = npre | _without_idle(row_of(ops.cond_npre, e), added)
                yield o, _wants(pre | row_of(ops.cond_pre, e), unwanted), _wants(added, deleted)
        monitors = self.task.monitors
        for u, (bit, value) in enumerate(zip(monitors.bit.tolist(), monitors.value.tolist(), strict=True)):
            yield None, _wants(row_of(monitors.pos, u), row_of(monitors.neg, u)), {(bit, value)}
        stratum = dict(zip(rules.head.tolist(), rules.stratum.tolist(), strict=True))
        broken: dict[int, set[Key]] = {head: set() for head in stratum}
        for r, head in enumerate(rules.head.tolist()):
            pos, neg = row_of(rules.pos, r), row_of(rules.neg, r)
            yield None, _wants(pos, neg), {(head, True)}
            if all(stratum.get(f) != stratum[head] for f in pos):
                broken[head].add((r, None))
                for key in _wants(neg, pos):
                    yield None, {key}, {(r, None)}
        for head, wants in broken.items():
            yield None, wants, {(head, False)}


class ReferenceWorld:
    """One copy of a world, as ``batched`` steps it: one episode after the other.

    ``true``: the facts that are true at first, but for ``choices``, of each of which one is drawn, -1: none;
    ``stream``: what its random numbers begin with, in [0, 2**64).
    """

    def __init__(
        self,
        reference: Reference,
        true: frozenset[int],
        choices: Sequence[Sequence[int]],
        stream: int,
        step_cost: float,
        max_steps: int,
    ) -> None:
        self.reference = reference
        self.true = true.difference(*choices)
        self.choices = choices
        self.stream = stream
        self.step_cost, self.max_steps = step_cost, max_steps
        self.begin()

    def begin(self) -> None:
        """Begin an episode, in a world that is neither solved nor failed, if one is found."""
        for _ in range(TRIES if self.choices else 1):
            true = self.true | {facts[self.draw(len(facts))] for facts in self.choices} - {-1}
            if not self.won(true) and self.reference.failed(ReferenceState(true, frozenset())) < 0:
                break
        self.situation = self.reference.concluded(self.reference.start(true))
        self.steps, self.over = 0, False

    def step(self, operator: int) -> tuple[float, bool, bool]:
        """Reward, terminated, truncated."""
        if self.over:
            self.begin()
            return 0.0, False, False
        if operator in self.mask:
            self.situation = self.reference.concluded(self.reference.progress(self.situation, operator))
        self.steps += 1
        lost = self.reference.failed(self.situation) >= 0
        won = self.won(self.situation.true) and not lost
        truncated = self.max_steps > 0 and self.steps >= self.max_steps
        self.over = won or lost or truncated
        return int(won) - self.step_cost, won or lost, truncated

    @property
    def mask(self) -> list[int]:
        """What the agent knows to be applicable, ascending."""
        return self.reference.applicable(self.situation)

    def won(self, true: frozenset[int]) -> bool:
        """Whether the goal holds, known or not."""
        return self.reference.goal_reached(ReferenceState(true, frozenset(range(self.reference.task.fact_count))))

    def draw(self, bound: int) -> int:
        """The next number in [0, bound) of the random stream (splitmix64)."""
        whole = 2**64
        self.stream = (self.stream + 0x9E3779B97F4A7C15) % whole
        z = self.stream
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % whole
        z = (z ^ z >> 27) * 0x94D049BB133111EB % whole
        return ((z ^ z >> 31) >> 11) % bound


def _wants(true: Iterable[int], false: Iterable[int]) -> set[Key]:
    return {(f, True) for f in true} | {(f, False) for f in false}


def relaxed_facts(operators: list[tuple[int | None, set[Key], set[Key]]], given: set[Key], but: Key | None) -> set[Key]:
    """What the relaxed operators reach if one thing cannot be achieved."""
    found, size = set(given), -1
    while size != (size := len(found)):
        found |= {e for _, wants, effects in operators if wants <= found for e in effects} - {but}
    return found


def _without_idle(wants_false: frozenset[int], adds: frozenset[int]) -> frozenset[int]:
    """What is wanted false, but for the one fact that is added: it only says that the operator would be idle."""
    return wants_false - adds if len(adds) == 1 else wants_false


def row_of(rows: Lists, i: int) -> frozenset[int]:
    return frozenset(rows.row(i).tolist())
