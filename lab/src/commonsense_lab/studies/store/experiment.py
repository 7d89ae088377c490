"""The experiment in the store: how many steps it takes to collect what is drawn, by what is known of the sections.

The robot knows the departments and their sections, and sees what is in a section when it stands at it. All variants
get the same tasks. A row of another model is another run into the same folder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from commonsense_lab.report.line_tables import (
    Line,
    average,
    averages,
    count,
    interval,
    lines_of,
    paired_difference,
    table_sections,
)
from commonsense_lab.runner.rows import PlanOutcome, PlanRow
from commonsense_lab.runner.variants import Variants, check_own, variants_named
from commonsense_lab.studies.solve_study import Attempt, Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy
from commonsense_lab.studies.store.products import Half, read_products
from commonsense_lab.studies.store.tasks import DEPARTMENTS, PACK, SECTIONS, StoreTask, draw_task
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task

MAX_STEPS = 100
BASE = "look-nearest"
VARIANTS: Variants = {
    "all-known": {"method": "llm-mcts", "observable": True},
    BASE: {"method": BASE},
    "uniform": {"method": "llm-mcts", "prior": "uniform"},
    "llm-mcts": {"method": "llm-mcts"},
}
"""Full information; nearest first; search without a model's prior; search with it."""


@dataclass(frozen=True, kw_only=True)
class StoreRow(PlanRow):
    """``half`` of the departments; the numbers of ``sections`` and of ``items`` to collect."""

    half: str
    sections: int
    items: int

    @property
    def taken(self) -> int:
        """The steps; of a task that is not solved, the limit."""
        return self.steps if self.solved and self.steps is not None else MAX_STEPS


@dataclass(frozen=True, kw_only=True)
class StoreSetup(SolveSetup):
    """``products``: a table of departments, sections and items, of which a ``half`` is used."""

    domain_name = "store"

    pack: Path = PACK
    products: Path
    half: Half = Half.ALL
    simulations: int = 100

    @property
    def text(self) -> str:
        drawn = (
            f"{self.products.name}, {self.half} departments, {DEPARTMENTS} at most, {SECTIONS} sections each at most"
        )
        return f"{super().text}, {drawn}, {self.simulations} simulations, at most {MAX_STEPS} steps"


_read = cache(read_products)


def drawn(setup: StoreSetup, seed: int, index: int) -> StoreTask:
    """Draws a task of the half. Raises InputError as ``read_products`` and ``draw_task`` do."""
    return draw_task(_read(setup.products).half(setup.half), seed, index)


@lru_cache(maxsize=8)  # the variants of a task come one after the other
def _posed(setup: StoreSetup, seed: int, index: int) -> Posed:
    task = drawn(setup, seed, index)
    read = read_task(setup.file(), Text(task.problem, f"{task.name}.pddl"))
    return Posed(task=read, settings={"simulations": setup.simulations, "max_steps": MAX_STEPS})


def _judged(attempt: Attempt) -> PlanOutcome:
    return PlanOutcome(**attempt.fields_by_goal(MAX_STEPS))


def store_episodes(setup: StoreSetup, tasks: int, seed: int, variants: Collection[str] = ()) -> list[SolveEpisode]:
    """Returns ``tasks`` tasks of a seed with each of the ``variants``, by default all. Raises UsageError for methods
    that are unknown or cannot take the tasks, InputError as ``drawn`` does."""
    wanted = []
    for index in range(tasks):
        task = drawn(setup, seed, index)
        labels = {"half": str(setup.half), "sections": len(task.sections), "items": len(task.placed)}
        wanted.append(StudyTask(task.name, seed, labels, _posed, (setup, seed, index)))
    episodes = STUDY.episodes(setup, wanted, variants_named(VARIANTS, variants or VARIANTS))
    check_own(VARIANTS, episodes)
    return episodes


def _lines(rows: Sequence[StoreRow]) -> list[Line[StoreRow]]:
    order = [*VARIANTS]
    place = {row.variant: order.index(row.variant) if row.variant in order else len(order) for row in rows}
    return lines_of(
        rows,
        lambda row: (row.variant, row.model if row.questions else "–"),
        lambda row: (place[row.variant], row.model),
    )


STUDY = TaskStudy(
    name="store",
    row=StoreRow,
    judge=_judged,
    methods=lambda: VARIANTS,
    sections=table_sections(
        "The store",
        f"Solved: within {MAX_STEPS} steps. Steps: means over all tasks, with standard errors; {MAX_STEPS} for a task "
        f"that is not solved. Steps more than {BASE}: on the same tasks, with the 95 % interval. Questions, calls, "
        "tokens, seconds: means per episode.",
        ("variant", "model"),
        _lines,
        (
            count("tasks"),
            count("solved", lambda row: row.solved),
            interval(lambda row: row.solved),
            average("steps", lambda row: row.taken),
            paired_difference(
                f"steps more than {BASE}",
                lambda row: row.variant == BASE,
                lambda row: (row.task, row.seed, row.half),
                lambda row: row.taken,
                digits=1,
            ),
            *averages("questions", "calls", "tokens", "seconds"),
        ),
    ),
)
