"""The tasks of the experiment with misplaced things: one or two wanted things, moved away from where the home has them.

The home, the goal, where all things lie and where the robot starts are drawn by seed and index alone, and so is for
each wanted thing a number and another place. With a share s those whose number is below s lie at their other place: so
the worlds of a greater share have all that was moved with a smaller one. The other place is drawn uniformly from all
places of the home but the thing's own and those that the goal wants it at; so no goal is true at the start."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.home_task import HomeTask, arranged_task, several_wishes
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.task_homes import Goals, TaskHome, TaskSetting, goals_in, own_homes, scene_home
from commonsense_planning.errors import InputError
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.classical.cheapest import CheapestPlan, cheapest_plan
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.task import Task

LEAST = "least"
"""In place of a share: each wanted thing lies where the model puts it least."""
SHARES = ("0", "0.25", "0.5", "1", LEAST)
EVALUATIONS = 200_000  # of A* for the cheapest plan
_MISPLACED = 15  # distinguishes the draws of this experiment

Beliefs = Callable[[Task], Mapping[str, Mapping[str, float]]]
"""For a task, thing → place → the model's weight."""


@cache
def home_named(name: str, scene: Path | None) -> tuple[TaskHome, Goals]:
    """One of our homes ("seen", "unseen"), or VirtualHome's in the file ``scene``, and what can be asked of it."""
    home = own_homes().named(name) if scene is None else scene_home(name, load_graph(scene))
    return home, goals_in(home, home)


@dataclass(frozen=True)
class MisplacedWorld:
    """One task with its things misplaced: enough to make it in any process. ``share`` is one of ``SHARES`` or another
    number from 0 to 1; ``scene``: the home's environment graph, None for our own. ``hide_rooms``: nobody is told in
    which rooms the furniture is. ``wanted``: how many things are wanted, in turn by index; empty for the pairs and
    compositions of the paper, one thing or two."""

    home: str
    scene: Path | None
    index: int
    share: str
    seed: int
    pack: Path
    hide_rooms: bool = False
    wanted: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The task's name, different for each task of a seed and share."""
        return f"{self.home}-{self.index:04d}"

    def drawn(self, beliefs: Beliefs | None = None) -> HomeTask:
        """Draws the task. Only ``LEAST`` needs ``beliefs``."""
        home, goals = home_named(self.home, self.scene)
        rng = np.random.default_rng([_MISPLACED, self.seed, zlib.crc32(self.home.encode()), self.index])
        setting = TaskSetting.COMP if self.index % 2 else TaskSetting.SIMPLE
        if self.wanted:
            wishes = several_wishes(home, goals, self.wanted[self.index % len(self.wanted)], rng)
        else:
            wishes = goals.draw(setting, rng)
        task = arranged_task(self.name, home, setting, wishes, rng)
        wanted_at = {wish.thing: home.pieces[wish.relation, wish.place] for wish in wishes}
        least = beliefs(self.read(task)) if beliefs is not None and self.share == LEAST else None
        moved = []
        for thing in task.apartment.movables:
            if thing.kind not in wanted_at:
                moved.append(thing)
                continue
            places = [p.name for p in home.furniture if p.name not in (thing.place, *wanted_at[thing.kind])]
            number, order = float(rng.random()), rng.permutation(len(places))
            other = places[int(order[0])]
            if least is not None:
                weights = least[thing.name]
                other = min((places[i] for i in order), key=lambda place: weights.get(place, 0.0))
            go = least is not None or number < float(self.share)
            moved.append(replace(thing, place=other) if go else thing)
        return task.with_things(moved)

    def read(self, drawn: HomeTask) -> Task:
        """Returns the task as methods get it."""
        return replace(
            drawn.read(self.pack, self.hide_rooms), like=_first(self.home, self.scene, self.pack, self.hide_rooms)
        )


@cache
def _first(home: str, scene: Path | None, pack: Path, hide_rooms: bool) -> Task:
    """A task of the home whose grounding serves all others."""
    return MisplacedWorld(home, scene, 0, "0", 0, pack).drawn().read(pack, hide_rooms)


@lru_cache(maxsize=64)
def known_plan(world: MisplacedWorld, drawn: HomeTask) -> CheapestPlan:
    """The plan with full information, kept for the next method in the same world: a proof may take minutes. Raises
    InputError if there is none."""
    task = world.read(drawn)
    found = cheapest_plan(task.grounded, task.pruning, Limits(evaluations=EVALUATIONS))
    if found.cost is None:
        raise InputError(f"no plan does '{task.problem.description}'; is the pack's domain another one?")
    return found


def weights_by_place(task: Task, prior: list[Floats]) -> dict[str, dict[str, float]]:
    """Returns thing → place → weight, of a prior over the exactly-one groups of the household."""
    grounded, compiled = task.seen_in_part
    found: dict[str, dict[str, float]] = {}
    for g, weights in enumerate(prior):
        for fact, weight in zip(compiled.sensors.groups.row(g).tolist(), weights.tolist(), strict=True):
            thing, place = grounded.fact_step(fact).arguments
            found.setdefault(thing, {})[place] = weight
    return found
