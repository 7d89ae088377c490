"""Search in kitchens after Tru-POMDP's description (Tang et al., NeurIPS 2025, arXiv 2506.02860): tasks drawn by the
rules of its section 5.1 and appendix A.4, as far as these are printed; rows, sections of a report, episodes.

A kitchen has up to 40 places, up to 29 of them with doors, and 20 things, of which 2, 3, or 4 to 8 are wanted
elsewhere. A method gets the goal itself, not the paper's ambiguous instruction: what is measured is how well and how
fast things behind doors are found, and how much a model is asked. ``kitchens.toml`` has the places and what is sensible
where; ``lab/docs/search.md`` says what the paper does not print, and what cplan does instead."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from statistics import median

import numpy as np

from commonsense_lab.report.document import NOTHING
from commonsense_lab.report.line_tables import Line, TableColumn, averages, count, interval, lines_of, table_sections
from commonsense_lab.runner.rows import PlanRow
from commonsense_lab.runner.variants import check_own
from commonsense_lab.studies.homes.household import comment_lines, joined, problem_text
from commonsense_lab.studies.solve_study import Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy, changed
from commonsense_planning.config import Actions, PolicyAs
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task

THINGS = 20  # wanted or not (section 5.1)
SENSIBLE = 4  # places at most that a thing may be at first, or be wanted at (appendix A.4)
GOAL_STATES = 4  # at most, as in the task that the paper prints (appendix A.4)


class Level(StrEnum):
    """How many things are wanted (section 5.1)."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


WANTED = {Level.EASY: (2, 2), Level.MEDIUM: (3, 3), Level.HARD: (4, 8)}
"""Least and most things."""
MAX_STEPS = {Level.EASY: 25, Level.MEDIUM: 30, Level.HARD: 35}


@dataclass(frozen=True)
class Kitchen:
    """The names of its places: ``closed`` at first, and permanently ``open``."""

    name: str
    closed: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def places(self) -> tuple[str, ...]:
        """All its places."""
        return self.closed + self.open

    def atom(self, thing: str, place: str) -> str:
        """Returns PDDL for "the thing is there"."""
        return f"({'inside' if place in self.closed else 'on'} {thing} {place})"


@dataclass(frozen=True)
class KitchenTask:
    """``placed``: where each thing is; ``wanted``: the places at which some of them are wanted."""

    name: str
    level: Level
    kitchen: Kitchen
    placed: Mapping[str, str]
    wanted: Mapping[str, tuple[str, ...]]

    @property
    def problem(self) -> str:
        """The text of a problem file of the kitchen domain."""
        kitchen = self.kitchen
        wishes = ([kitchen.atom(thing, place) for place in places] for thing, places in self.wanted.items())
        goal = " ".join(joined("or", atoms) for atoms in wishes)
        head = comment_lines(f"A kitchen after Tru-POMDP's description: {kitchen.name}, {self.level}.")
        objects = {"container": kitchen.closed, "surface": kitchen.open, "movable": tuple(self.placed)}
        init = [["(hand-empty)"], [kitchen.atom(thing, place) for thing, place in self.placed.items()]]
        return problem_text(head, self.name, "kitchen", objects, init, f"(and {goal})")


@cache
def kitchens() -> dict[str, Kitchen]:
    """Returns the five kitchens of appendix A.3, by name."""
    return {
        name: Kitchen(name, tuple(places["closed"]), tuple(places["open"]))
        for name, places in _tables()["kitchens"].items()
    }


def sensible_places(kind: str, kitchen: Kitchen) -> list[str]:
    """Returns the places for a thing of a kind: all whose names have a word of its category."""
    words = next(category["words"] for category in _tables()["categories"].values() if kind in category["things"])
    return [place for place in kitchen.places if any(word in place for word in words)]


def draw_task(kitchen: Kitchen, level: Level, index: int, rng: np.random.Generator) -> KitchenTask:
    """Draws a task: things of different kinds, each at one of four sensible places; those wanted are behind doors at
    first and wanted at one other sensible place, or at two as long as there are at most ``GOAL_STATES``."""
    kinds = [kind for category in _tables()["categories"].values() for kind in category["things"]]
    least, most = WANTED[level]
    number = int(rng.integers(least, most + 1))
    placed: dict[str, str] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    states = 1
    for kind in rng.permutation(kinds).tolist():
        places = rng.permutation(sensible_places(kind, kitchen)).tolist()[:SENSIBLE]
        closed = [place for place in places if place in kitchen.closed]
        if len(wanted) < number and closed and len(places) > 1:
            placed[kind] = closed[0]
            others = [place for place in places if place != closed[0]]
            ways = min(len(others), 2 if 2 * states <= GOAL_STATES else 1)
            wanted[kind], states = tuple(others[:ways]), states * ways
        elif len(placed) - len(wanted) < THINGS - number:
            placed[kind] = str(rng.choice(places))
    return KitchenTask(f"{level}-{kitchen.name}-{index:04d}", level, kitchen, placed, wanted)


@cache
def _tables() -> Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]:
    return tomllib.loads(Path(__file__).with_name("kitchens.toml").read_text(encoding="utf-8"))


SECONDS = 600.0  # of an episode (section 5.1)


@dataclass(frozen=True, kw_only=True)
class KitchenRow(PlanRow):
    """``level``: easy, medium or hard; ``things``: how many are wanted."""

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
    """Draws task number ``index`` of a level, in one of the five kitchens by turns."""
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
    """Returns ``tasks`` of each level with each method. Raises UsageError for methods that are unknown or cannot take
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
