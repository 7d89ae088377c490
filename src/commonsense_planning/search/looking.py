"""Looking: what there is to look at, how to get there, and what would be seen on the way.

A *look* is a sensing rule of the task (``:sense … :when``): to look is to make its condition true, and then it shows
whether the hidden facts that it is about are so. In a household: to enter a room, to open a fridge. A *way* is a plan
to a look. Nothing here knows rooms or fridges: any task with sensors has looks.

What counts are the *wanted* groups: those without which, as far as the delete relaxation can tell, the goal cannot be
reached. Their facts are sorted into *cells*: the facts that the same looks show. So a world, as far as looking goes, is
one cell for each wanted group.

A look may hang on what is hidden too: a cupboard is to be opened, and nobody knows which room it is in. Groups that are
not wanted, but that ways hang on, are *supports*. Plans take them to be where they most likely are (determinisation, as
in FF-Replan; Yoon, Fern and Givan 2007); what is seen otherwise is a surprise, and then there are other plans.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from commonsense_planning.grounding.ground_task import Goal, GroundTask, lists_of, owners_of
from commonsense_planning.kernels.compiled import Compiled, State, pack, unpack
from commonsense_planning.kernels.engine import infer_groups, is_applicable, progress
from commonsense_planning.kernels.looking import MOST_SIGHTS, Ways
from commonsense_planning.pddl.syntax import counted
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.aims import Aims

MOST_GOALS = 32  # disjuncts of a goal that are told apart
MOST_WANTED = 62  # groups that are looked for: one bit each


@dataclass(frozen=True)
class Way:
    """A plan to a look. ``sights``: (operators carried out, cell that is seen then), in this order; ``end``: the state
    there, in which what is unknown is false."""

    operators: tuple[int, ...]
    sights: tuple[tuple[int, int], ...]
    end: State


class Looks:
    """The looks of a task.

    ``wanted``: the groups that some disjunct of the goal needs, MOST_WANTED at most; ``needed``: int64 (disjuncts,),
    which of them each of the disjuncts needs, as bits in the order of ``wanted``. ``cell_of``: int32 (facts,), the cell
    of each fact of a wanted group, -1 for all other facts. ``look_of``: int32 (cells,), the first of the looks that
    show a cell. ``goal_facts``: those that the disjuncts want true. ``farthest``: how
    many operators the longest of the first ways has.
    """

    def __init__(self, task: GroundTask, compiled: Compiled, belief: Belief) -> None:
        self.task = task
        self.compiled = compiled
        self.belief = belief
        sensors, goal = compiled.sensors, task.goal
        self.count = len(sensors.when)
        self._goals = range(self.count, self.count + min(len(goal.pos), MOST_GOALS))
        self.goal_facts = np.unique(goal.pos.items)
        looks, goals = range(self.count), range(len(self._goals))
        wanted = [*map(sensors.when.row, looks), *map(goal.pos.row, goals), *self.goal_facts.reshape(-1, 1)]
        nothing = self.goal_facts[:0]
        unwanted = [*map(sensors.when_not.row, looks), *map(goal.neg.row, goals), *(nothing for _ in self.goal_facts)]
        self._aims = Aims(task, compiled, Goal(lists_of(wanted), lists_of(unwanted)))
        needs = [self._needs(d) for d in self._goals]
        self.wanted = sorted(set().union(*needs))[:MOST_WANTED]
        self.needed = np.array([sum(1 << i for i, g in enumerate(self.wanted) if g in n) for n in needs], np.int64)
        self._members = np.array([self._bits_of([g]) for g in self.wanted], np.uint64).reshape(-1, compiled.half)
        self._bits = 1 << np.arange(len(self.wanted), dtype=np.int64)
        self._find_cells()
        self._charts: dict[bytes, Chart] = {}
        self._hidden = pack(compiled.hidden, compiled.half)
        self._supports = self._bits_of(self._find_supports())
        feared = np.zeros(64 * compiled.half, np.bool_)
        feared[np.concatenate([task.failure.pos.items, task.failure.neg.items])] = True
        self._feared = pack(feared, compiled.half)
        self._changes = np.zeros(compiled.half, np.uint64)  # what looking changes, as bits
        self.farthest = 0
        here = self.here()
        for way in self.ways(here):
            if way is not None:
                self._changes |= (way.end ^ here)[: compiled.half]
                self.farthest = max(self.farthest, len(way.operators))

    def _needs(self, disjunct: int) -> set[int]:
        """The groups without which a disjunct of the goal is out of reach, though all others are as they most likely
        are. What it needs only because something else is there is no such group: the cupboard that the apple is most
        likely in."""
        needs: list[set[int]] = []
        for world in (self.belief.most_likely(), self.belief.most_likely(1)):
            if self._aims.reachable(world, disjunct):
                groups = range(len(self.compiled.sensors.groups))
                needs.append({g for g in groups if not self._aims.reachable(self._without(world, [g]), disjunct)})
        return set.intersection(*needs) if needs else set()

    def needs_of_part(self, part: int) -> list[int]:
        """Which of the wanted groups, by their place in ``wanted``, a fact of the goal is out of reach without."""
        world, aim = self.belief.most_likely(), self._goals.stop + part
        return [i for i, g in enumerate(self.wanted) if not self._aims.reachable(self._without(world, [g]), aim)]

    def _find_supports(self) -> set[int]:
        """Groups, not wanted ones, that ways to looks hang on: the room that a cupboard is in. As few as will do for
        the looks that can be reached where all is as it most likely is."""
        world, supports = self.belief.most_likely(), set[int]()
        others = set(range(len(self.compiled.sensors.groups))) - set(self.wanted)
        for look in range(self.count):
            if not self._shows[look] or not self._aims.reachable(world, look):
                continue
            absent = others - supports
            if self._aims.reachable(self._without(world, absent), look):
                continue
            absent = set[int]()
            for g in sorted(others - supports):
                if self._aims.reachable(self._without(world, absent | {g}), look):
                    absent.add(g)
            supports |= others - absent
        return supports

    def _without(self, state: State, groups: Iterable[int]) -> State:
        """The state with these groups' facts false and unknown."""
        return state & ~np.tile(self._bits_of(groups), self.compiled.words // self.compiled.half)

    def _bits_of(self, groups: Iterable[int]) -> State:
        """The facts of these groups, as bits."""
        bits = np.zeros(64 * self.compiled.half, np.bool_)
        for g in groups:
            bits[self.compiled.sensors.groups.row(g)] = True
        return pack(bits, self.compiled.half)

    def _find_cells(self) -> None:
        sensors, half = self.compiled.sensors, self.compiled.half
        self._mask = self._bits_of(self.wanted)
        wanted = unpack(self._mask, 64 * half)
        self._watched = self._mask[: self.compiled.words - half]  # nothing, where nothing is hidden
        shown_by: dict[int, list[int]] = {}
        for look, fact in zip(*map(np.ndarray.tolist, owners_of(sensors.seen)), strict=True):
            if wanted[fact]:
                shown_by.setdefault(fact, []).append(look)
        cells: dict[tuple[int, ...], int] = {}
        self.cell_of = np.full(64 * half, -1, np.int32)
        for fact, looks in shown_by.items():
            self.cell_of[fact] = cells.setdefault(tuple(looks), len(cells))
        self.look_of = np.array([looks[0] for looks in cells], np.int32)
        self._shows = [{c for looks, c in cells.items() if look in looks} for look in range(self.count)]

    @property
    def most_parts(self) -> int:
        """Number of facts that the longest disjunct of the goal wants true."""
        goal = self.task.goal.pos
        return max((len(goal.row(d)) for d in range(len(goal))), default=0)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.look_of)

    def here(self) -> State:
        """What is known now, as a state in which what is unknown is false; but what a constraint is about is where it
        most likely is, so that plans go round it, and so is what looks hang on, so that there are plans to them."""
        half, state = self.compiled.half, self.belief.state()
        if len(state) == half:
            return state
        assumed = (~self._mask & self._feared | self._supports) & ~state[half:]
        return np.concatenate((state[:half] & state[half:] | self.belief.most_likely()[:half] & assumed, state[half:]))

    def outlook(self) -> tuple[int, bytes]:
        """What plans rest on: the wanted groups that are settled, and where that is which looks hang on. After an
        action, another one than before is a surprise."""
        supports = self.here()[: self.compiled.half] & self._supports
        return self.settled(self.belief.state()), supports.tobytes()

    def unseen(self, state: State) -> set[int]:
        """The cells of which not all facts are known."""
        half = self.compiled.half
        return set(self._cells_in(~state[half:])) if len(state) > half else set()

    def _cells_in(self, bits: State) -> list[int]:
        facts = np.flatnonzero(unpack(bits & self._watched, 64 * self.compiled.half))
        return sorted(set(self.cell_of[facts].tolist()) - {-1})

    def ways(self, state: State) -> list[Way | None]:
        """From ``state``, in which what is unknown is false: a way to each look that would show something wanted, None
        for other looks and where there is none."""
        telling = set(self.telling(state))
        return [self.way(state, look) if look in telling else None for look in range(self.count)]

    def telling(self, state: State) -> list[int]:
        """The looks that would show something wanted."""
        unseen = self.unseen(state)
        return [look for look in range(self.count) if self._shows[look] & unseen]

    def way(self, state: State, look: int) -> Way | None:
        """A way to a look; None if there is none or it is made already."""
        operators = self._aims.plan(state, look)
        return self.follow(state, operators) if operators else None

    def follow(self, state: State, operators: tuple[int, ...]) -> Way | None:
        """The way that operators are from ``state``, None if they cannot be carried out there."""
        table, half = self.compiled.table, self.compiled.half
        state, sights = state.copy(), []
        for done, operator in enumerate(operators, start=1):
            if not is_applicable(table, state, operator):
                return None
            known = state[half:].copy()
            progress(table, state, operator)
            infer_groups(table, state)
            news = state[half:] & ~known & self._watched
            if news.any():
                sights += [(done, cell) for cell in self._cells_in(news)]
        return Way(operators, tuple(sights[:MOST_SIGHTS]), state)

    def plan(self, state: State) -> tuple[int, ...] | None:
        """A plan to the goal by what is known in ``state``, None if there is none."""
        plans = [plan for plan in (self._aims.plan(state, d) for d in self._goals) if plan is not None]
        return min(plans, key=len) if plans else None

    def shorter_plan(self, state: State) -> tuple[int, ...] | None:
        """As ``plan``, with more time spent on it."""
        plans = [plan for plan in (self._aims.shorter_plan(state, d) for d in self._goals) if plan is not None]
        return min(plans, key=len) if plans else None

    def parts(self, state: State) -> list[tuple[int, ...]]:
        """Plans to those facts of the goal that are not so yet and can be reached by what is known."""
        plans = (self.part(state, part) for part in range(len(self.goal_facts)))
        return list(dict.fromkeys(plan for plan in plans if plan))

    def part(self, state: State, part: int) -> tuple[int, ...] | None:
        """A plan to one fact of the goal by what is known in ``state``, None if there is none."""
        return self._aims.plan(state, self._goals.stop + part)

    def until_sight(self, state: State, operators: tuple[int, ...]) -> Way | None:
        """The way that operators are from ``state`` up to the first sight of something wanted; None if they cannot be
        carried out."""
        way = self.follow(state, operators)
        if way is None or not way.sights:
            return way
        return self.follow(state, operators[: way.sights[0][0]])

    def settled(self, state: State) -> int:
        """The wanted groups of which all members are known, as bits."""
        known = state[self.compiled.half :]
        settled = ~(self._members[:, : len(known)] & ~known).any(axis=1)
        return int(self._bits[settled].sum())

    def lost(self) -> str:
        """What is in none of the places where it could be and was never found, in words, if without that no disjunct of
        the goal can be reached; else empty."""
        if len(self.task.goal.pos) > len(self._goals):
            return ""
        nowhere, groups = set(self.belief.nowhere().tolist()), self.compiled.sensors.groups
        lost = [i for i, g in enumerate(self.wanted) if g in nowhere]
        if not lost or not all(any(needed >> i & 1 for i in lost) for needed in self.needed.tolist()):
            return ""
        counts = ((self.belief.name(self.wanted[i]), len(groups.row(self.wanted[i]))) for i in lost)
        return ", ".join(f"{name} is in none of the {counted(count, 'place')}" for name, count in counts)

    def with_hidden_of(self, state: State, other: State) -> State:
        """``state`` with what ``other`` knows of hidden facts, and what they are there."""
        half = self.compiled.half
        facts = (state[:half] & ~self._hidden) | (other[:half] & self._hidden)
        return np.concatenate((facts, other[half:]))

    def with_wanted_known(self, state: State) -> State:
        """A copy in which it is known where all that is wanted is: what is unknown in ``state`` is as it is there."""
        half = self.compiled.half
        return state.copy() if len(state) == half else np.concatenate((state[:half], state[half:] | self._mask))

    def gist(self, state: State) -> bytes:
        """What of a state matters for a plan to the goal, known or not: all facts but hidden ones that nobody wants."""
        return (state[: self.compiled.half] & (~self._hidden | self._mask | self._supports)).tobytes()

    def chart(self, state: State) -> Chart:
        """The chart for ``state``, in which what is unknown is false."""
        key = (state[: self.compiled.half] & ~self._changes & (~self._hidden | self._supports)).tobytes()
        if key not in self._charts:
            self._charts[key] = Chart(self, state)
        return self._charts[key]


class Chart:
    """The ways between looks: from the end of each to all others.

    All states that differ only in what looking changes (where the agent stands, what is open) share one. That is exact
    where the cost of a way does not hang on what was looked at before, and an estimate elsewhere: what a search carries
    out in its tree is always carried out for real.
    """

    def __init__(self, looks: Looks, state: State) -> None:
        self.looks = looks
        self.ends = [None if way is None else way.end for way in looks.ways(state)]
        self._rows: dict[int, list[Way | None]] = {}
        self.table = Ways.empty(looks.count)
        for look, end in enumerate(self.ends):
            if end is not None:
                self._rows[look] = looks.ways(end)
                self.write(look, self._rows[look])

    def write(self, place: int, ways: Sequence[Way | None]) -> None:
        """Put the ways from a place into the table."""
        self.table.write(place, [None if way is None else (len(way.operators), way.sights) for way in ways])

    def ways(self, state: State, look: int, most: Callable[[list[Way | None]], Container[int]]) -> list[Way | None]:
        """The ways from ``state``, which is like the end of the way to ``look``, to those of the looks that ``most``
        chooses by the ways in the chart."""
        looks, found = self.looks, []
        unseen, row = looks.unseen(state), self._rows[look]
        chosen = most(row)
        for target, way in enumerate(row):
            if way is not None and target in chosen and not unseen.isdisjoint(cell for _, cell in way.sights):
                found.append(looks.follow(state, way.operators) or looks.way(state, target))
            else:
                found.append(None)
        return found
