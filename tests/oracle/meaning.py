"""What a task means: a plain and slow interpreter of its syntax tree. Nothing here knows cplan.

States are frozensets of atoms, plans are judged by what PDDL3 says of the whole trajectory (Gerevini, Haslum, Long,
Saetti and Dimopoulos 2009), and a cheapest plan is found by Dijkstra's algorithm over states. For that each constraint
remembers what matters of the states so far.
"""

import heapq
import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from tests.oracle.task import Action, Atom, Formula, Task, Tree, scope_of, typed

State = frozenset[Atom]
Names = dict[str, str]
"""What variables stand for."""
Move = tuple[str, ...]
"""An action's name and its arguments."""
Memory = int | None
"""Of a constraint; None: it is violated for ever."""


class UnknownError(Exception):
    """More states than were allowed."""


class Watched(NamedTuple):
    """A constraint about some things: its ``kind``, the first word, and its conditions."""

    kind: str
    conditions: tuple[Formula, ...]
    names: Names


class Meaning:
    """Of one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.things = {**task.constants, **task.objects}
        self._members: dict[Tree, list[str]] = {}
        self.watched = [one for tree in task.lasting + task.constraints for one in self._watched(tree, {})]
        self._full: dict[State, State] = {}
        self._moves: dict[State, list[tuple[Move, Decimal, State]]] = {}

    # -- formulas and states ------------------------------------------------------------------------------------------

    def members(self, kind: Tree) -> list[str]:
        """The things of a type, those of types below it among them."""
        if kind not in self._members:
            wanted = {kind} if isinstance(kind, str) else {*kind[1:]}
            self._members[kind] = [thing for thing, own in self.things.items() if wanted & {*self._above(str(own))}]
        return self._members[kind]

    def _above(self, kind: str) -> Iterator[str]:
        yield kind
        if kind != "object":
            yield from self._above(self.task.types[kind])

    def bindings(self, names: Sequence[Tree], known: Names) -> Iterator[Names]:
        """Each way to name things of the types that are wanted."""
        scope = scope_of(names)
        for chosen in itertools.product(*map(self.members, scope.values())):
            yield {**known, **dict(zip(scope, chosen, strict=True))}

    def holds(self, formula: Tree, names: Names, state: State) -> bool:
        """Whether a formula is true in a state that says what is derived as well."""
        match formula:
            case ("and", *parts):
                return all(self.holds(part, names, state) for part in parts)
            case ("or", *parts):
                return any(self.holds(part, names, state) for part in parts)
            case ("not", part):
                return not self.holds(part, names, state)
            case ("imply", given, then):
                return not self.holds(given, names, state) or self.holds(then, names, state)
            case ("forall", tuple(variables), body):
                return all(self.holds(body, more, state) for more in self.bindings(variables, names))
            case ("exists", tuple(variables), body):
                return any(self.holds(body, more, state) for more in self.bindings(variables, names))
            case ("=", str(left), str(right)):
                return names.get(left, left) == names.get(right, right)
        return _named(formula, names) in state

    def full(self, facts: State) -> State:
        """The facts with what is derived from them."""
        if facts not in self._full:
            state = set(facts)
            for level in sorted({rule.level for rule in self.task.rules}):
                before = -1
                while before < len(state):
                    before = len(state)
                    for rule in self.task.rules:
                        if rule.level == level:
                            for names in self.bindings(typed(rule.parameters), {}):
                                if self.holds(rule.condition, names, frozenset(state)):
                                    state.add((rule.name, *(names[name] for name in rule.parameters)))
            self._full[facts] = frozenset(state)
        return self._full[facts]

    # -- actions ------------------------------------------------------------------------------------------------------

    def action(self, move: Move) -> tuple[Action, Names] | None:
        """The action that is meant, and what its parameters stand for; None if there is no such one."""
        name, *arguments = (word.lower() for word in move)
        for action in self.task.actions:
            if action.name == name and len(action.parameters) == len(arguments):
                pairs = zip(action.parameters.values(), arguments, strict=True)
                if all(argument in self.members(kind) for kind, argument in pairs):
                    return action, dict(zip(action.parameters, arguments, strict=True))
        return None

    def after(self, move: Move, facts: State) -> tuple[Decimal, State] | None:
        """What an action costs, and the facts after it; None if it cannot be carried out."""
        found = self.action(move)
        if found is None or not self.holds(found[0].condition or ("and",), found[1], self.full(facts)):
            return None
        added, deleted, costs = set[Atom](), set[Atom](), list[Decimal]()
        for effect in found[0].effects:
            self._collect(effect, found[1], self.full(facts), added, deleted, costs)
        return Decimal(1) if self.task.prices is None else sum(costs, Decimal(0)), (facts - deleted) | added

    def _collect(
        self, effect: Tree, names: Names, state: State, added: set[Atom], deleted: set[Atom], costs: list[Decimal]
    ) -> None:
        match effect:
            case ("and", *parts):
                for part in parts:
                    self._collect(part, names, state, added, deleted, costs)
            case ("forall", tuple(variables), body):
                for more in self.bindings(variables, names):
                    self._collect(body, more, state, added, deleted, costs)
            case ("when", condition, body):
                if self.holds(condition, names, state):
                    self._collect(body, names, state, added, deleted, costs)
            case ("increase", _, ("price", str(thing))):
                costs.append((self.task.prices or {})[names.get(thing, thing)])
            case ("increase", _, str(number)):
                costs.append(Decimal(number))
            case ("not", atom):
                deleted.add(_named(atom, names))
            case _:
                added.add(_named(effect, names))

    def moves(self, facts: State) -> list[tuple[Move, Decimal, State]]:
        """What can be done, what it costs, and the facts after it."""
        if facts not in self._moves:
            every = [
                (action.name, *names.values())
                for action in self.task.actions
                for names in self.bindings(typed(action.parameters), {})
            ]
            found = [(move, self.after(move, facts)) for move in every]
            self._moves[facts] = [(move, *after) for move, after in found if after is not None]
        return self._moves[facts]

    # -- plans --------------------------------------------------------------------------------------------------------

    def trajectory(self, plan: Sequence[Move]) -> tuple[Decimal, list[State]] | None:
        """What a plan costs, and the facts of all states that it passes; None if it cannot be carried out."""
        total, passed = Decimal(0), [self.task.init]
        for move in plan:
            after = self.after(move, passed[-1])
            if after is None:
                return None
            total += after[0]
            passed.append(after[1])
        return total, passed

    def valid(self, plan: Sequence[Move]) -> bool:
        """Whether a plan can be carried out, reaches the goal and keeps all constraints."""
        found = self.trajectory(plan)
        if found is None:
            return False
        states = [self.full(facts) for facts in found[1]]
        if not self.holds(self.task.goal, {}, states[-1]):
            return False
        return all(
            kept(one.kind, *([self.holds(part, one.names, state) for state in states] for part in one.conditions))
            for one in self.watched
        )

    def cheapest(self, most: int) -> tuple[Decimal, tuple[Move, ...]] | None:
        """The cost of a cheapest plan, and one; None if there is none. Raises UnknownError once more than that many
        states were seen."""
        start = self.task.init, self._looked(self.task.init, tuple(FIRST for _ in self.watched))
        best: dict[tuple[State, tuple[Memory, ...]], Decimal] = {start: Decimal(0)}
        number = itertools.count()
        queue: list[tuple[Decimal, int, tuple[State, tuple[Memory, ...]], tuple[Move, ...]]] = []
        heapq.heappush(queue, (Decimal(0), next(number), start, ()))
        while queue:
            cost, _, (facts, memory), plan = heapq.heappop(queue)
            if cost > best[facts, memory] or None in memory:
                continue
            ended = all(accepted(one.kind, been) for one, been in zip(self.watched, memory, strict=True))
            if ended and self.holds(self.task.goal, {}, self.full(facts)):
                return cost, plan
            for move, price, after in self.moves(facts):
                there = after, self._looked(after, memory)
                if cost + price < best.get(there, cost + price + 1):
                    best[there] = cost + price
                    heapq.heappush(queue, (cost + price, next(number), there, (*plan, move)))
            if len(best) > most:
                raise UnknownError
        return None

    # -- constraints --------------------------------------------------------------------------------------------------

    def _watched(self, tree: Tree, names: Names) -> Iterator[Watched]:
        match tree:
            case ("and", *parts):
                for part in parts:
                    yield from self._watched(part, names)
            case ("forall", tuple(variables), body):
                for more in self.bindings(variables, names):
                    yield from self._watched(body, more)
            case ("at", "end", tuple(condition)):
                yield Watched("at", (condition,), names)
            case (str(kind), *conditions):
                yield Watched(kind, tuple(part for part in conditions if isinstance(part, tuple)), names)

    def _looked(self, facts: State, memory: tuple[Memory, ...]) -> tuple[Memory, ...]:
        state = self.full(facts)
        return tuple(
            None
            if been is None
            else remember(one.kind, been, *(self.holds(p, one.names, state) for p in one.conditions))
            for one, been in zip(self.watched, memory, strict=True)
        )


def _named(atom: Tree, names: Names) -> Atom:
    assert isinstance(atom, tuple)
    return str(atom[0]), *(names.get(str(term), str(term)) for term in atom[1:])


def kept(kind: str, p: Sequence[bool], q: Sequence[bool] = ()) -> bool:
    """Whether a trajectory in whose states the conditions have these truth values keeps a constraint."""
    times = range(len(p))
    match kind:
        case "always":
            return all(p)
        case "at":
            return p[-1]
        case "sometime":
            return any(p)
        case "at-most-once":
            return not any(p[i] and not p[j] and p[k] for i, j, k in itertools.combinations(times, 3))
        case "sometime-after":
            return all(any(q[j] for j in times if j >= i) for i in times if p[i])
        case "sometime-before":
            return all(any(q[j] for j in times if j < i) for i in times if p[i])
    raise ValueError(kind)


FIRST, NOW, OVER = 0, 1, 2
"""What constraints remember: nothing; ``NOW`` that a condition was met, is met, or waits for another one; ``OVER`` that
it was met and is no more."""


def remember(kind: str, memory: int, p: bool, q: bool = False) -> Memory:
    """What a constraint remembers once it has looked at one more state; None where it is violated for ever."""
    match kind:
        case "always":
            return FIRST if p else None
        case "at":
            return NOW if p else FIRST
        case "sometime":
            return NOW if p else memory
        case "at-most-once":
            return (None if memory == OVER else NOW) if p else (OVER if memory == NOW else memory)
        case "sometime-after":
            return FIRST if q else NOW if p else memory
        case "sometime-before":
            return None if p and memory == FIRST else NOW if q else memory
    raise ValueError(kind)


def accepted(kind: str, memory: Memory) -> bool:
    """Whether a plan may end so."""
    return memory is not None and {
        "at": memory == NOW,
        "sometime": memory == NOW,
        "sometime-after": memory == FIRST,
    }.get(kind, True)
