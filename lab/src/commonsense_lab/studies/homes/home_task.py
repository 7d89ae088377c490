"""Tasks in homes of the rearrangement experiment, and in large homes: wishes, and where all things lie at first.

The five large homes have 12 to 20 rooms and 400 things, half of them at unexpected places; a task has five to eight
wishes. Their first rooms are those of cplan's seen home; the others are of the kinds of both homes in turn, without
furniture that a wish could name. There is one of each thing that a wish could name; the others fill up."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.household import Apartment, Movable, render_problem
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import GoalWish, SceneNames, to_pddl
from commonsense_lab.studies.homes.task_homes import (
    TRIES,
    Goals,
    Homes,
    Inventory,
    TaskHome,
    Wishes,
    all_pairs,
    goals_in,
    home_of,
    own_homes,
    scene_homes,
    table,
)
from commonsense_planning.errors import InputError, Status
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.search.classical.anytime import Anytime
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.sensing_macros import MOST_GOALS
from commonsense_planning.state import make_state
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, hidden_rooms, read_task


@dataclass(frozen=True)
class HomeTask:
    """The ``wishes`` must come true in ``apartment``, where none of them is true yet. ``home``: the home's name;
    ``name`` is a name for a PDDL problem."""

    name: str
    home: str
    setting: str
    wishes: tuple[GoalWish, ...]
    apartment: Apartment

    @property
    def instruction(self) -> str:
        """The wishes in the paper's wording: "Put one apple inside the fridge and one plate on the kitchen table"."""
        known = table().words
        words = ((known.get(w.thing, w.thing), w.relation, known.get(w.place, w.place)) for w in self.wishes)
        parts = (f"one {thing} {relation} the {place}" for thing, relation, place in words)
        return f"Put {' and '.join(parts)}"

    @cached_property
    def goal(self) -> str:
        """The wishes as PDDL: any thing of the class at any place of the class."""
        return to_pddl(self.wishes, SceneNames.of(self.apartment, ()))

    @property
    def problem(self) -> str:
        """The text of a problem file of the household domain, with the instruction as its description."""
        return f";; description: {self.instruction}\n{render_problem(self.apartment, self.name, self.goal)}"

    def with_things(self, things: Iterable[Movable]) -> HomeTask:
        """Returns the same task with these things."""
        return replace(self, apartment=replace(self.apartment, movables=tuple(things)))

    def read(self, pack: Path, hide_rooms: bool = False) -> Task:
        """Reads the task as methods get it; ``hide_rooms``: without the rooms of the furniture."""
        domain = pack / "domain.pddl"
        return read_task(domain, Text(self.problem, f"{self.name}.pddl"), hidden_rooms(domain) if hide_rooms else None)


def arranged_task(
    name: str, home: TaskHome, setting: str, wishes: tuple[GoalWish, ...], rng: np.random.Generator
) -> HomeTask:
    """Returns the task of these wishes, with all things, and the robot, at places that ``rng`` draws."""
    things = home.arranged(wishes, rng)
    room = home.rooms[int(rng.integers(len(home.rooms)))]
    return HomeTask(name, home.name, setting, wishes, Apartment(home.rooms, home.furniture, things, room))


@cache
def homes_of(scenes: tuple[Path, Path] | None) -> Homes:
    """Returns the homes of two environment graphs of VirtualHome, the seen and the unseen one; None: cplan's."""
    return own_homes() if scenes is None else scene_homes(load_graph(scenes[0]), load_graph(scenes[1]))


def goal_facts(task: Task) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Returns the ways to reach the goal: facts that must be true, and false."""
    goal = task.seen_in_part[0].goal
    return {(tuple(goal.pos.row(d).tolist()), tuple(goal.neg.row(d).tolist())) for d in range(len(goal.pos))}


LARGE = "large"
ROOMS = (12, 14, 16, 18, 20)
THINGS = 400
WISHES = (5, 8)  # at least, at most
MISPLACED = 0.5  # the share of things at unexpected places
EVALUATIONS = 20_000  # states, for a short plan with full information
LIMIT = 3  # steps of an episode, as a multiple of that plan's


@cache
def large_home(rooms: int) -> TaskHome:
    """Returns the home of that number of rooms, at least 5."""
    entries = table()
    pairs = all_pairs()
    nameable = {pair.place for pair in (*pairs.training, *pairs.novel)}
    kinds = [
        (kind, {piece: count for piece, count in pieces.items() if piece not in nameable})
        for home in (entries.unseen, entries.seen)
        for kind, pieces in home.furniture.items()
    ]
    furniture = dict(entries.seen.furniture)
    for number, (kind, pieces) in enumerate(islice(cycle(kinds), rooms - len(furniture)), 2):
        furniture[f"{kind}_{number}"] = pieces
    wanted = {pair.thing for pair in pairs.training}
    others = sorted({*entries.seen.things, *entries.unseen.things} - wanted)
    counts = Counter(islice(cycle(others), THINGS - len(wanted)))
    places = {**entries.unseen.places, **entries.seen.places}
    things = dict.fromkeys(sorted(wanted), 1) | counts
    return home_of(f"{LARGE}-{rooms}", Inventory(furniture, things, places), entries)


@cache
def _goals(rooms: int) -> Goals:
    home = large_home(rooms)
    return goals_in(home, home)


@dataclass(frozen=True)
class LargeDrawing:
    """One task in a large home: enough to draw it in any process."""

    index: int
    seed: int
    pack: Path

    @property
    def rooms(self) -> int:
        """How many rooms the home has."""
        return ROOMS[self.index % len(ROOMS)]

    @property
    def name(self) -> str:
        """The task's name, different for each task of a seed."""
        return f"{LARGE}-{self.rooms}-{LARGE}-{self.index:04d}"

    @lru_cache(maxsize=4)  # noqa: B019 - drawings are values
    def task(self) -> tuple[HomeTask, Task]:
        """Returns the task, which is grounded like all of its home."""
        drawn = self.drawn()
        return drawn, replace(drawn.read(self.pack), like=_first(self.rooms, self.pack))

    def drawn(self) -> HomeTask:
        """Draws the task."""
        home, goals = large_home(self.rooms), _goals(self.rooms)
        rng = np.random.default_rng([zlib.crc32(LARGE.encode()), self.seed, self.index])
        wishes = several_wishes(home, goals, int(rng.integers(WISHES[0], WISHES[1] + 1)), rng)
        task = arranged_task(f"{home.name}-{self.index:04d}", home, LARGE, wishes, rng)
        taken = {wish.thing: home.pieces[wish.relation, wish.place] for wish in wishes}
        moved = []
        for thing in task.apartment.movables:
            expected = {*home.likely(thing.kind), *taken.get(thing.kind, ())}
            others = [piece.name for piece in home.furniture if piece.name not in expected]
            number, other = rng.random(), str(rng.choice(others))
            moved.append(replace(thing, place=other) if number < MISPLACED else thing)
        return task.with_things(moved)

    @lru_cache(maxsize=4)  # noqa: B019 - drawings are values
    def limit(self) -> int:
        """Returns the most steps of an episode."""
        task = self.task()[1]
        pruned = task.pruning.of(task.grounded).task
        compiled = compile_task(pruned)
        state = make_state(compiled, pruned.init)
        found = Anytime(pruned, compiled, state, Limits(evaluations=EVALUATIONS)).run()
        if found.ended == Status.INTERRUPTED:
            raise KeyboardInterrupt
        return LIMIT * len(found.result.operators or ())


def several_wishes(home: TaskHome, goals: Goals, size: int, rng: np.random.Generator) -> Wishes:
    """Draws ``size`` wishes for different things that can come true in few ways. Raises InputError if ``TRIES`` draws
    find none."""
    pairs = [*goals.pairs, *goals.novel]
    for _ in range(TRIES if len(pairs) >= size else 0):
        wishes = tuple(pairs[i] for i in rng.choice(len(pairs), size, replace=False).tolist())
        if len({wish.thing for wish in wishes}) == size and home.ways(wishes) <= MOST_GOALS:
            return wishes
    raise InputError(f"no {size} things can be wanted at once in the home {home.name} in at most {MOST_GOALS} ways")


@cache
def _first(rooms: int, pack: Path) -> Task:
    """A task of the home whose grounding serves all others."""
    return LargeDrawing(ROOMS.index(rooms), 0, pack).drawn().read(pack)
