"""Tasks of the rearrangement experiment, made anew in whichever process needs them, and the goals that their
instructions are taken for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.home_task import HomeTask, goal_facts, homes_of
from commonsense_lab.studies.homes.household import Apartment
from commonsense_lab.studies.homes.scene_import import GoalWish, SceneNames
from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement.goal_reader import GoalReader, RequestedRelation
from commonsense_lab.studies.rearrangement.tasks import evaluation_task
from commonsense_planning.errors import InputError
from commonsense_planning.instructions.translate import translate
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.pddl.variants import with_goal
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.verbalise import Verbaliser


@dataclass(frozen=True)
class Drawing:
    """How one task is drawn: enough to do it in any process."""

    home: str
    setting: TaskSetting
    index: int
    seed: int
    scenes: tuple[Path, Path] | None
    pack: Path

    @property
    def name(self) -> str:
        """What tells it from the others of its seed."""
        return f"{self.home}-{self.setting}-{self.index:04d}"

    # the episodes of a task are run one after the other, by two or more processes
    @lru_cache(maxsize=8)  # noqa: B019 - drawings are values
    def task(self, goal: str | None = None) -> tuple[HomeTask, Task]:
        """The task, which is grounded like all of its home; with another ``goal`` (PDDL) in place of its own."""
        drawn = evaluation_task(homes_of(self.scenes), self.home, self.setting, self.index, self.seed)
        return drawn, replace(_read(drawn, self.pack, goal), like=_first(self.home, self.scenes, self.pack))


def understood(drawing: Drawing, models: ModelSession) -> tuple[Task | None, str]:
    """The task with the goal that its instruction is taken for, and what is wrong with that: nothing if it is the
    task's own; no task if there is no goal."""
    drawn, task = drawing.task()
    matcher = matcher_named(models.config.matcher)
    scene = Verbaliser(task.seen_in_part[0], task.lexicon).scene()
    model = models.open(scene, task.prompts, matcher, np.random.default_rng(drawing.seed))
    try:
        goal = translate(drawn.instruction, _reader(drawing.home, drawing.scenes, drawing.pack), model, matcher)
    except InputError as error:
        return None, str(error)
    if goal.asked == frozenset(_asked(wish, drawn.apartment) for wish in drawn.wishes):
        return task, ""
    taken = drawing.task(goal.pddl)[1]
    return taken, "" if goal_facts(taken) == goal_facts(task) else f"the instruction was taken for {goal.pddl}"


def _asked(wish: GoalWish, apartment: Apartment) -> RequestedRelation:
    names = SceneNames.of(apartment, ())
    things, places = names.things[wish.thing], names.places[wish.relation][wish.place]
    return RequestedRelation(wish.relation, frozenset(things), frozenset(places), wish.count)


@cache
def _first(home: str, scenes: tuple[Path, Path] | None, pack: Path) -> Task:
    """A task of the home whose grounding serves all others."""
    return _read(evaluation_task(homes_of(scenes), home, TaskSetting.SIMPLE, 0, 0), pack)


@cache
def _reader(home: str, scenes: tuple[Path, Path] | None, pack: Path) -> GoalReader:
    first = _first(home, scenes, pack)
    return GoalReader(first.problem, first.lexicon)


def _read(drawn: HomeTask, pack: Path, goal: str | None = None) -> Task:
    if goal is None:
        return drawn.read(pack)
    with temporary_folder() as folder:
        path, translated = Path(folder) / f"{drawn.name}.pddl", Path(folder) / f"{drawn.name}-translated.pddl"
        path.write_text(drawn.problem, encoding="utf-8")
        with_goal(pack / "domain.pddl", path, goal, translated)
        return read_task(pack / "domain.pddl", translated)
