"""A task in one of the homes of the rearrangement experiment: what is wanted, and where all things lie at first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.household import Apartment, Movable, render_problem
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import GoalWish, SceneNames, to_pddl
from commonsense_lab.studies.homes.task_homes import Homes, TaskHome, own_homes, scene_homes, table
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
