"""Tasks of the rearrangement experiment (LLM-MCTS paper, section 3.1 and appendix A.2), and the goals that their
instructions are taken for.

A task asks for one to three things at places of some classes. All tasks of a home have the same rooms, furniture and
things; a separate generator for each task draws where the things are, where the robot starts and what is wanted, so any
process can make any task alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np

from commonsense_lab.plans.rewritten import rewritten
from commonsense_lab.studies.homes.home_task import HomeTask, arranged_task, goal_facts, homes_of
from commonsense_lab.studies.homes.household import joined
from commonsense_lab.studies.homes.task_homes import Homes, TaskSetting
from commonsense_lab.studies.rearrangement.goal_reader import GoalReader
from commonsense_planning.errors import InputError
from commonsense_planning.instructions.translate import translate
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.pddl.reader import with_text
from commonsense_planning.support.writing import make_folder, write_text
from commonsense_planning.task import Task
from commonsense_planning.wording.verbalise import Verbaliser

_EVALUATION, _TRAINING, _ROUND = range(3)  # what a generator is for


def evaluation_task(homes: Homes, home: str, setting: TaskSetting, index: int, seed: int) -> HomeTask:
    """Draws task number ``index`` of one cell of the paper's table 1. Raises ``InputError`` if there is no such home or
    nothing in it that the setting could ask for."""
    where = homes.named(home)
    cell = [int(where is homes.unseen), list(TaskSetting).index(setting)]
    rng = np.random.default_rng([_EVALUATION, seed, *cell, index])
    wishes = homes.goals[home].draw(setting, rng)
    return arranged_task(f"{home}-{setting}-{index:04d}", where, setting, wishes, rng)


def evaluation_tasks(homes: Homes, number: int, seed: int) -> list[HomeTask]:
    """Draws ``number`` tasks, spread evenly over the settings in both homes; the first cells get the rest."""
    cells = [(home.name, setting) for home in (homes.seen, homes.unseen) for setting in TaskSetting]
    counts = [number // len(cells) + (i < number % len(cells)) for i in range(len(cells))]
    return [
        evaluation_task(homes, home, setting, index, seed)
        for (home, setting), count in zip(cells, counts, strict=True)
        for index in range(count)
    ]


def training_task(homes: Homes, index: int, seed: int) -> HomeTask:
    """Training task number ``index``, in the seen home: by turns a single pair and a composition.

    Each goes round all that there are, every time in another order, so that some hundred tasks ask for every pair and
    some thousand for every composition."""
    setting = TaskSetting.COMP if index % 2 else TaskSetting.SIMPLE
    possible = homes.goals[homes.seen.name].trained(setting)
    turn, position = divmod(index // 2, len(possible))
    order = np.random.default_rng([_ROUND, seed, index % 2, turn]).permutation(len(possible))
    rng = np.random.default_rng([_TRAINING, seed, index])
    return arranged_task(f"training-{index:05d}", homes.seen, setting, possible[int(order[position])], rng)


LIST = "tasks.jsonl"
TRAINING = "training"

Report = Callable[[int, int], None]
"""Gets (tasks done, tasks in all)."""


def write_tasks(
    homes: Homes, evaluation: int, training: int, seed: int, out: Path, report: Report = lambda done, total: None
) -> dict[str, int]:
    """Writes ``evaluation`` tasks, in all ten cells together, to ``out``, ``training`` tasks to its folder
    ``training``, and a line for each to ``tasks.jsonl``.

    The folders are made where they are missing. Gives the number of tasks by home and setting, such as "seen comp" and
    "training simple". Raises InputError if something cannot be written."""
    counts: dict[str, int] = {}
    lines = []
    make_folder(out / TRAINING if training else out, "the tasks")
    files = [(f"{task.name}.pddl", task) for task in evaluation_tasks(homes, evaluation, seed)]
    tasks = (training_task(homes, index, seed) for index in range(training))
    for file, task in chain(files, ((f"{TRAINING}/{task.name}.pddl", task) for task in tasks)):
        write_text(out / file, task.problem, "the tasks")
        lines.append(_line(file, task))
        cell = f"{TRAINING if file.startswith(TRAINING) else task.home} {task.setting}"
        counts[cell] = counts.get(cell, 0) + 1
        report(len(lines), evaluation + training)
    write_text(out / LIST, "".join(lines), "the tasks")
    return counts


def _line(file: str, task: HomeTask) -> str:
    wishes = [f"({wish.relation} {wish.thing} {wish.place})" for wish in task.wishes]
    entry = {
        "name": task.name,
        "home": task.home,
        "setting": task.setting,
        "instruction": task.instruction,
        "goal": joined("and", wishes),
        "file": file,
    }
    return json.dumps(entry) + "\n"


@dataclass(frozen=True)
class Drawing:
    """One task: enough to draw it in any process."""

    home: str
    setting: TaskSetting
    index: int
    seed: int
    scenes: tuple[Path, Path] | None
    pack: Path

    @property
    def name(self) -> str:
        """Its name, different for each task of a seed."""
        return f"{self.home}-{self.setting}-{self.index:04d}"

    # the episodes of a task are run one after the other, by two or more processes
    @lru_cache(maxsize=8)  # noqa: B019 - drawings are values
    def task(self, goal: str | None = None) -> tuple[HomeTask, Task]:
        """Returns the task, which is grounded like all of its home, with another ``goal`` (PDDL) if one is given."""
        drawn = evaluation_task(homes_of(self.scenes), self.home, self.setting, self.index, self.seed)
        task = drawn.read(self.pack)
        if goal is not None:
            task = replace(task, problem=with_text(task.problem, rewritten(task.problem, goal=goal)))
        return drawn, replace(task, like=_first(self.home, self.scenes, self.pack))


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
    taken = drawing.task(goal.pddl)[1]
    same = goal_facts(taken) == goal_facts(task)
    return (task, "") if same else (taken, f"the instruction was taken for {goal.pddl}")


@cache
def _first(home: str, scenes: tuple[Path, Path] | None, pack: Path) -> Task:
    """A task of the home whose grounding serves all others."""
    return evaluation_task(homes_of(scenes), home, TaskSetting.SIMPLE, 0, 0).read(pack)


@cache
def _reader(home: str, scenes: tuple[Path, Path] | None, pack: Path) -> GoalReader:
    first = _first(home, scenes, pack)
    return GoalReader(first.problem, first.lexicon)
