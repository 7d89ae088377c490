"""A task in one of the homes of the rearrangement experiment: what is wanted, and where all things lie at first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.household import Apartment, render_problem
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.scene_import import GoalWish, SceneNames, to_pddl
from commonsense_lab.studies.homes.task_homes import Homes, TaskHome, own_homes, scene_homes, table
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, hidden_rooms, read_task


@dataclass(frozen=True)
class HomeTask:
    """``wishes`` are to come true in ``apartment``, where none of them is true yet. ``home``: what the home is called;
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

    def read(self, pack: Path, hide_rooms: bool = False) -> Task:
        """The task as methods get it; ``hide_rooms``: nobody is told in which rooms the furniture is."""
        domain = pack / "domain.pddl"
        return read_task(domain, Text(self.problem, f"{self.name}.pddl"), hidden_rooms(domain) if hide_rooms else None)


def arranged_task(
    name: str, home: TaskHome, setting: str, wishes: tuple[GoalWish, ...], rng: np.random.Generator
) -> HomeTask:
    """The task of these wishes, with all things, and the robot, where ``rng`` puts them."""
    things = home.arranged(wishes, rng)
    room = home.rooms[int(rng.integers(len(home.rooms)))]
    return HomeTask(name, home.name, setting, wishes, Apartment(home.rooms, home.furniture, things, room))


@cache
def homes_of(scenes: tuple[Path, Path] | None) -> Homes:
    """The homes of two environment graphs of VirtualHome, the seen and the unseen one; None: our own."""
    return own_homes() if scenes is None else scene_homes(load_graph(scenes[0]), load_graph(scenes[1]))


def goal_facts(task: Task) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The ways to reach the goal: facts that are to be true, and false."""
    goal = task.seen_in_part[0].goal
    return {(tuple(goal.pos.row(d).tolist()), tuple(goal.neg.row(d).tolist())) for d in range(len(goal.pos))}
