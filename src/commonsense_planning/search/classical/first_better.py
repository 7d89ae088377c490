"""Hill climbing that takes the first better successor, backed by greedy best-first search, on the lifted task.

It is for heuristics that are expensive to evaluate. The successors of a state are evaluated one by one until one has a
lower value: this is expanded next, and the rest wait. If there is none, the state with the lowest value is expanded, of
equal ones the oldest. So a *direct* heuristic (Corrêa, Pereira and Seipp 2026) is evaluated for a few successors of
each state on its path, and with any other heuristic the search is complete. It is greedy best-first search with
deferred evaluation (Richter and Helmert, ICAPS 2009) that does not even generate the deferred successors.

The order of the successors determines how many evaluations a step takes. The objects of the last steps are near, and so
are objects that an open goal mentions with one of them; next come the other objects of open goals. Operators of one
action are equivalent if their arguments are equally near. One operator of each kind is evaluated in turn, the nearest
kinds first, and equivalent ones in random order.

Helpful operators, if there are any, are evaluated first. The state's other operators wait until none of these is
better; they get 1 in ``SHARE`` of the evaluations, and more if nothing else waits.
"""

from __future__ import annotations

import heapq
import math
import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, islice, zip_longest
from operator import xor
from typing import NamedTuple, Protocol

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.grounding.lifted_successors import Atom, Facts, LiftedOperator, LiftedTask
from commonsense_planning.search.classical.compiled_search import Limits, Report

LATELY = 3  # steps whose objects are near
CHUNK = 100  # operators of each action that are ordered together at first; then four times as many, and so on
KEPT = 64  # steps between two states of a path that are stored completely
SHARE = 10  # evaluations, of which one may be for operators that are not helpful
MOST_WAYS = 1000  # alternatives of a goal whose facts are counted
_NEAR, _WANTED, _OTHER = range(3)


class FactsHeuristic(Protocol):
    """An estimate of the cost to the goal, infinite at a dead end."""

    def __call__(self, state: Facts) -> float:
        """The estimate for a state."""

    def after(self, state: Facts, added: Facts, deleted: Facts) -> float:
        """The estimate for ``state`` without ``deleted`` and with ``added``."""


class GoalCount:
    """The number of goal facts that differ from the state, in the goal's alternative with the fewest."""

    def __init__(self, task: LiftedTask) -> None:
        self._ways = [(frozenset(true), frozenset(false)) for true, false in task.ways(MOST_WAYS)]

    def __call__(self, state: Facts) -> float:
        return min((len(true - state) + len(false & state) for true, false in self._ways), default=math.inf)

    def after(self, state: Facts, added: Facts, deleted: Facts) -> float:
        """As in ``FactsHeuristic``."""
        return self((state - deleted) | added)


class Climbed(NamedTuple):
    """The result of a search. ``plan``: None if none was found; ``expanded``: the number of expanded states;
    ``evaluated``: that of evaluations; ``steps``: how often a better successor was expanded next."""

    status: Status
    plan: tuple[LiftedOperator, ...] | None
    expanded: int
    evaluated: int
    steps: int
    seconds: float


class _Seen(NamedTuple):
    """A state that was evaluated. ``key``: the exclusive or of its atoms' hashes."""

    parent: int
    operator: LiftedOperator | None
    added: Facts
    deleted: Facts
    depth: int
    key: int
    value: float


class FirstBetter:
    """One search. Of each state it stores the difference to its parent, and a key.

    ``helpful``: state → the applicable operators to evaluate first; it is called while the task is in that state.
    """

    def __init__(
        self,
        task: LiftedTask,
        heuristic: FactsHeuristic,
        rng: np.random.Generator,
        helpful: Callable[[Facts], Iterable[LiftedOperator]] | None = None,
    ) -> None:
        self._task, self._heuristic, self._helpful = task, heuristic, helpful
        self._random = random.Random(int(rng.integers(2**32)))
        self._goal = task.wanted()
        self._goals_of: dict[str, list[Atom]] = {}
        for atom in self._goal:
            for name in atom[1:]:
                self._goals_of.setdefault(name, []).append(atom)
        self._nodes: list[_Seen] = []
        self._whole: dict[int, Facts] = {}
        self._waiting: list[tuple[float, int]] = []
        self._others: list[tuple[float, int]] = []
        self._seen: set[int] = set()
        self._evaluated = 1

    def run(self, limits: Limits, report: Report = lambda what, best, count: None) -> Climbed:
        """Searches from the task's initial state; ``report`` gets ("h", lowest h, evaluations) at intervals.
        UNSOLVABLE: every state with a finite value was expanded."""
        began = time.perf_counter()
        end = math.inf if limits.seconds is None else began + limits.seconds
        state, number, expanded, steps, spent = self._task.start, 0, 0, 0, 0
        whole = self._helpful is None
        self._add(_Seen(-1, None, Facts(), Facts(), 0, _key(state), self._heuristic(state)))
        self._whole[0] = state
        best = self._nodes[0].value

        def ended(status: Status, plan: tuple[LiftedOperator, ...] | None = None) -> Climbed:
            return Climbed(status, plan, expanded, self._evaluated, steps, time.perf_counter() - began)

        while True:
            self._task.go_to(state)
            expanded += 1
            if self._task.reached():
                return ended(Status.SOLVED, self._plan(number))
            node = self._nodes[number]
            operators = self._in_order(node, state) if whole or self._helpful is None else self._helpful(state)
            before = self._evaluated
            better = self._first_better(number, state, operators, end)
            spent += (self._evaluated - before) * whole
            best = min(best, self._nodes[-1].value)
            report("h", int(min(best, 2**31)), self._evaluated)
            if time.perf_counter() > end:
                return ended(Status.BUDGET)
            if better is not None or not whole:
                later = self._helpful is not None and (whole or better is None)
                heapq.heappush(self._others if later else self._waiting, (node.value, number))
            whole = self._helpful is None
            if better is not None:
                number, steps = better, steps + 1
                state = self._state(number, state)
                continue
            if self._others and (not self._waiting or spent * SHARE <= self._evaluated):
                number, whole = heapq.heappop(self._others)[1], True
            elif self._waiting:
                number = heapq.heappop(self._waiting)[1]
            else:
                return ended(Status.UNSOLVABLE)
            state = self._state(number)

    def _first_better(self, number: int, state: Facts, operators: Iterable[LiftedOperator], end: float) -> int | None:
        """The first successor that is new and better; successors that are new and not better wait."""
        node = self._nodes[number]
        for operator in operators:
            added, deleted = self._task.effects(operator)
            key = node.key ^ _key(added) ^ _key(deleted)
            if key in self._seen:
                continue
            value = self._heuristic.after(state, added, deleted)
            self._evaluated += 1
            child = self._add(_Seen(number, operator, added, deleted, node.depth + 1, key, value))
            if value < node.value:
                return child
            if value < math.inf:
                heapq.heappush(self._waiting, (value, child))
            if time.perf_counter() > end:
                break
        return None

    def _in_order(self, node: _Seen, state: Facts) -> Iterator[LiftedOperator]:
        """The applicable operators of the state, the promising ones first."""
        levels = self._levels(node, state)

        def shuffled(rows: Collection[Atom], columns: Sequence[int]) -> list[Atom]:
            some = list(rows)
            if len(some) > 1:
                self._random.shuffle(some)
                some.sort(key=lambda row: sum(levels.get(row[column], _OTHER) for column in columns))
            return some

        left = [self._task.operators(schema, shuffled) for schema in range(len(self._task.lifted.schemas))]
        count = CHUNK
        while left:
            chunks = [list(islice(operators, count)) for operators in left]
            kinds: dict[tuple[int, ...], list[LiftedOperator]] = {}
            for operator in chain.from_iterable(chunks):
                kind = operator.schema, *(levels.get(name, _OTHER) for name in operator.arguments)
                kinds.setdefault(kind, []).append(operator)
            for turn in zip_longest(*(kinds[kind] for kind in sorted(kinds, key=lambda kind: sum(kind[1:])))):
                yield from (operator for operator in turn if operator is not None)
            left = [operators for operators, chunk in zip(left, chunks, strict=True) if len(chunk) == count]
            count *= 4

    def _levels(self, node: _Seen, state: Facts) -> dict[str, int]:
        """The nearness of objects; the missing ones are neither near nor wanted."""
        levels = {name: _WANTED for atom in self._goal - state for name in atom[1:]}
        near: set[str] = set()
        for _ in range(LATELY):
            if node.operator is not None:
                near.update(node.operator.arguments)
                node = self._nodes[node.parent]
        open_goals = (atom for name in near for atom in self._goals_of.get(name, ()) if atom not in state)
        return {**levels, **dict.fromkeys(chain(near, *(atom[1:] for atom in open_goals)), _NEAR)}

    def _add(self, node: _Seen) -> int:
        self._nodes.append(node)
        self._seen.add(node.key)
        return len(self._nodes) - 1

    def _state(self, number: int, before: Facts | None = None) -> Facts:
        """The state of a node, from its parent's state ``before``, or from the last ancestor that is stored
        completely."""
        way = [self._nodes[number]]
        if before is None:
            if number in self._whole:
                return self._whole[number]
            while way[-1].parent not in self._whole:
                way.append(self._nodes[way[-1].parent])
            before = self._whole[way[-1].parent]
        for node in reversed(way):
            before = (before - node.deleted) | node.added
        if way[0].depth % KEPT == 0:
            self._whole[number] = before
        return before

    def _plan(self, number: int) -> tuple[LiftedOperator, ...]:
        plan: list[LiftedOperator] = []
        while (operator := (node := self._nodes[number]).operator) is not None:
            plan.append(operator)
            number = node.parent
        return tuple(reversed(plan))


def _key(atoms: Facts) -> int:
    return reduce(xor, map(hash, atoms), 0)
