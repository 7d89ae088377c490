"""Search in kitchens after Tru-POMDP's description (``kitchens.py``): its rows, its sections of a report, its episodes.

A method gets the goal itself, not the paper's ambiguous instruction: what is measured is how well and how fast things
are found that are behind doors, and what that asks of a model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from commonsense_lab.report.document import NOTHING, Commands, Grid, Section
from commonsense_lab.report.study import Study
from commonsense_lab.runner.rows import PlanRow, VariantLabels
from commonsense_lab.runner.variants import check_own
from commonsense_lab.studies.kitchen.kitchens import MAX_STEPS, WANTED, KitchenTask, Level, draw_task, kitchens
from commonsense_lab.studies.solve_study import SolveEpisode, SolveSetup
from commonsense_planning.config import Actions, PolicyAs
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.reading import Text
from commonsense_planning.support.statistics import rate
from commonsense_planning.task import Task, read_task

SECONDS = 600.0  # of an episode (section 5.1)


@dataclass(frozen=True, kw_only=True)
class KitchenLabels(VariantLabels):
    """``level``: easy, medium or hard; so many ``things`` are wanted."""

    level: str
    things: int


@dataclass(frozen=True, kw_only=True)
class KitchenRow(KitchenLabels, PlanRow):
    """What came of an episode."""


@dataclass(frozen=True, kw_only=True)
class KitchenSetup(SolveSetup):
    """``actions``: those that an answer may name. ``policy_as``: what a policy is taken for."""

    domain_name = "kitchen"

    simulations: int = 100
    actions: Actions = Actions.ALL
    policy_as: PolicyAs = PolicyAs.EVIDENCE

    @property
    def text(self) -> str:
        told = f"{super().text}, simulations {self.simulations}, at most {SECONDS:g} s"
        # unsaid is what 0.2.0 did, whose recordings name their episodes so
        told += f", actions {self.actions}" * (self.actions is not Actions.RELEVANT)
        return told + f", policy as {self.policy_as}" * (self.policy_as is not PolicyAs.PRIOR)


@dataclass(frozen=True, kw_only=True)
class KitchenEpisode(SolveEpisode[KitchenSetup]):
    """Task number ``index`` of a level, in one of the five kitchens by turns. The seed draws the task and is the
    agent's."""

    suite = "kitchen"
    row = KitchenLabels
    seconds = SECONDS

    level: Level
    index: int

    @property
    def drawn(self) -> KitchenTask:
        """Its task, as it was drawn."""
        return _drawn(self.level, self.index, self.seed)

    @property
    def name(self) -> str:
        return self.drawn.name

    @property
    def task(self) -> Task:
        return _task(self.level, self.index, self.seed, self.setup.file())

    @property
    def shared(self) -> Mapping[str, Any]:
        setup, asked = self.setup, {"actions": self.setup.actions, "policy_as": self.setup.policy_as}
        return {"max_steps": MAX_STEPS[self.level], "simulations": setup.simulations, **asked}

    @property
    def own_labels(self) -> Mapping[str, Any]:
        return {"level": str(self.level), "things": len(self.drawn.wanted)}


@lru_cache(maxsize=8)
def _drawn(level: Level, index: int, seed: int) -> KitchenTask:
    there = list(kitchens().values())
    rng = np.random.default_rng([seed, list(Level).index(level), index])
    return draw_task(there[index % len(there)], level, index, rng)


@lru_cache(maxsize=8)  # the methods of a task come one after the other
def _task(level: Level, index: int, seed: int, domain: Path) -> Task:
    drawn = _drawn(level, index, seed)
    return read_task(domain, Text(drawn.problem, f"{drawn.name}.pddl"))


def kitchen_episodes(
    setup: KitchenSetup, tasks: int, seed: int, methods: Collection[str], levels: Collection[Level]
) -> list[KitchenEpisode]:
    """``tasks`` of each level with each method. Raises UsageError for methods that there are not or that cannot take
    the tasks, InputError if there is no domain."""
    setup.file()
    episodes = [
        KitchenEpisode(setup=setup, level=level, index=index, seed=seed, variant=method_named(method).name)
        for index in range(tasks)
        for level in levels
        for method in methods
    ]
    check_own((), episodes)
    return episodes


HEAD = (
    *("things", "method", "episodes", "solved", "95 %", "steps", "questions", "calls", "tokens"),
    *("seconds", "worst seconds"),
)


def _sections(setup: str, rows: Sequence[KitchenRow], name: str) -> Iterator[Section]:
    lines = []
    for level in Level:
        for method in sorted({row.method for row in rows}):
            found = [row for row in rows if row.level == level and row.method == method]
            if found:
                lines.append((_things(level), method, *_cells(found)))
    legend = (
        f"Setup: {setup}. Solved: within {', '.join(map(str, MAX_STEPS.values()))} steps. Steps: median of what is "
        "solved. Questions, calls, tokens: means per episode. Seconds: median and worst."
    )
    commands = tuple(("", command) for command in dict.fromkeys(row.command for row in rows))
    yield Section("Kitchens after Tru-POMDP's description", (legend, Grid(HEAD, tuple(lines)), Commands(commands)))


def _things(level: Level) -> str:
    least, most = WANTED[level]
    return str(least) if least == most else f"{least} to {most}"


def _cells(rows: Sequence[KitchenRow]) -> Iterator[str]:
    solved = [row for row in rows if row.solved]
    share = rate(len(solved), len(rows))
    yield str(len(rows))
    yield str(len(solved))
    yield f"{100 * share.low:.0f} to {100 * share.high:.0f}"
    yield f"{median(row.steps or 0 for row in solved):g}" if solved else NOTHING
    for numbers in ([row.questions for row in rows], [row.calls for row in rows], [row.tokens for row in rows]):
        yield f"{sum(numbers) / len(rows):,.1f}"
    yield f"{median(row.seconds for row in rows):.1f}"
    yield f"{max(row.seconds for row in rows):.1f}"


STUDY = Study(lambda line: line.row(KitchenRow), _sections)
