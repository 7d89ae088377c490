"""Search in kitchens after Tru-POMDP's description (``kitchens.py``): its rows, its sections of a report, its episodes.

A method gets the goal itself, not the paper's ambiguous instruction: what is measured is how well and how fast things
are found that are behind doors, and what that asks of a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

import numpy as np

from commonsense_lab.report.document import NOTHING
from commonsense_lab.report.line_tables import Line, TableColumn, averages, count, interval, lines_of, table_sections
from commonsense_lab.runner.rows import PlanRow
from commonsense_lab.runner.variants import check_own
from commonsense_lab.studies.kitchen.kitchens import MAX_STEPS, WANTED, KitchenTask, Level, draw_task, kitchens
from commonsense_lab.studies.solve_study import Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy, changed
from commonsense_planning.config import Actions, PolicyAs
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task

SECONDS = 600.0  # of an episode (section 5.1)


@dataclass(frozen=True, kw_only=True)
class KitchenRow(PlanRow):
    """``level``: easy, medium or hard; so many ``things`` are wanted."""

    level: str
    things: int


@dataclass(frozen=True, kw_only=True)
class KitchenSetup(SolveSetup):
    """``actions``: those that an answer may name. ``policy_as``: what a policy is taken for."""

    domain_name = "kitchen"

    simulations: int = 100
    actions: Actions = Actions.ALL
    policy_as: PolicyAs = PolicyAs.EVIDENCE

    @property
    def text(self) -> str:
        more = changed(self, {"actions": Actions.RELEVANT, "policy_as": PolicyAs.PRIOR})
        return ", ".join((super().text, f"simulations {self.simulations}, at most {SECONDS:g} s", *more))


@lru_cache(maxsize=8)
def drawn(level: Level, index: int, seed: int) -> KitchenTask:
    """Task number ``index`` of a level, in one of the five kitchens by turns."""
    there = list(kitchens().values())
    rng = np.random.default_rng([seed, list(Level).index(level), index])
    return draw_task(there[index % len(there)], level, index, rng)


@lru_cache(maxsize=8)  # the methods of a task come one after the other
def _posed(level: Level, index: int, seed: int, setup: KitchenSetup) -> Posed:
    task = drawn(level, index, seed)
    read = read_task(setup.file(), Text(task.problem, f"{task.name}.pddl"))
    return Posed(task=read, settings={**vars(setup), "max_steps": MAX_STEPS[level]})


def kitchen_episodes(
    setup: KitchenSetup, tasks: int, seed: int, methods: Collection[str], levels: Collection[Level]
) -> list[SolveEpisode]:
    """``tasks`` of each level with each method. Raises UsageError for methods that there are not or that cannot take
    the tasks, InputError if there is no domain."""
    setup.file()
    wanted = [
        StudyTask(task.name, seed, {"level": str(level), "things": len(task.wanted)}, _posed, drawing)
        for index in range(tasks)
        for level in levels
        for drawing in [(level, index, seed, setup)]
        for task in [drawn(level, index, seed)]
    ]
    episodes = STUDY.episodes(setup, wanted, [method_named(method).name for method in methods])
    check_own((), episodes)
    return episodes


def _lines(rows: Sequence[KitchenRow]) -> list[Line[KitchenRow]]:
    things = {str(level): str(a) if a == b else f"{a} to {b}" for level, (a, b) in WANTED.items()}
    known, order = [row for row in rows if row.level in things], [*things]
    return lines_of(
        known, lambda row: (things[row.level], row.method), lambda row: (order.index(row.level), row.method)
    )


def _steps(rows: Sequence[KitchenRow], _: Sequence[KitchenRow]) -> str:
    solved = [row.steps or 0 for row in rows if row.solved]
    return f"{median(solved):g}" if solved else NOTHING


STUDY = TaskStudy(
    name="kitchen",
    row=KitchenRow,
    seconds=SECONDS,
    sections=table_sections(
        "Kitchens after Tru-POMDP's description",
        f"Solved: within {', '.join(map(str, MAX_STEPS.values()))} steps. Steps: median of what is solved. Questions, "
        "calls, tokens: means per episode. Seconds: median and worst.",
        ("things", "method"),
        _lines,
        (
            count("episodes"),
            count("solved", lambda row: row.solved),
            interval(lambda row: row.solved),
            TableColumn("steps", _steps),
            *averages("questions", "calls", "tokens"),
            TableColumn("seconds", lambda rows, _: f"{median(row.seconds for row in rows):.1f}"),
            TableColumn("worst seconds", lambda rows, _: f"{max(row.seconds for row in rows):.1f}"),
        ),
    ),
)
