"""What a household robot wants a model for, and how well a model does it: a skill is a value that draws its tasks and
tries a model on one.

All models get the same tasks with the same seeds. Nothing here looks at which model it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.task import Task, read_task
from commonsense_planning.pomdp.initial_belief import compare
from commonsense_planning.pomdp.prior import model_prior
from commonsense_planning.studies.homes.task_homes import TaskSetting
from commonsense_planning.studies.misplaced.worlds import World, scene_files
from commonsense_planning.studies.models.rows import Guess
from commonsense_planning.studies.rearrangement.episode_tasks import Drawing, understood
from commonsense_planning.studies.virtualhome import experiment as virtualhome
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.verbalise import Verbaliser

OWN_HOMES = ("seen", "unseen")
SEARCH_STEPS, CLIMB_STEPS = 120, 20  # actions of an episode
THINGS = 5  # of a home that a model is asked about
GUIDED = "low"  # the variant of hill climbing


@dataclass(frozen=True)
class Place:
    """Where tasks come from: the folder ``packs`` with the domains, VirtualHome's graphs in ``scenes``, if any."""

    packs: Path = Path("pddl")
    scenes: Path | None = None

    @property
    def household(self) -> Path:
        """The folder of the household domain."""
        return self.packs / "household"

    @property
    def virtualhome(self) -> Path:
        """The folder of the virtualhome domain."""
        return self.packs / "virtualhome"

    def world(self, index: int, seed: int) -> World:
        """A task in one of the homes by turns, nothing misplaced: VirtualHome's where there are graphs, else ours."""
        scenes = scene_files(self.scenes)
        homes = list(scenes) or list(OWN_HOMES)
        home = homes[index % len(homes)]
        return World(home, scenes.get(home), index, "0", seed, self.household)


@dataclass(frozen=True)
class Tried:
    """How a model did on a task: see ``rows.ModelOutcome``."""

    success: bool
    reason: str = ""
    steps: int | None = None
    guesses: list[Guess] = field(default_factory=list)
    unmatched: int = 0


@dataclass(frozen=True)
class Skill:
    """``head``: its name in tables; ``what``: what a task is and when it is done well, in a sentence. ``attempt`` has
    the model do task number ``index`` of a ``seed``, ``name`` tells the task from the others of that seed."""

    name: str
    head: str
    what: str
    task_name: Callable[[Place, int, int], str]
    attempt: Callable[[Place, int, int, Models], Tried]


def _find(place: Place, index: int, seed: int, models: Models) -> Tried:
    world = place.world(index, seed)
    drawn = world.drawn()
    task = world.read(drawn)
    method = method_named("llm-mcts")
    options = method.Options.of({"max_steps": SEARCH_STEPS})
    seeded = zlib.crc32(f"{world.name} {seed}".encode())
    solution = _ended(solve(Request(task, method, options, models, seeded, instruction=drawn.instruction)))
    return _judged(task, solution, SEARCH_STEPS)


def _climb(place: Place, index: int, seed: int, models: Models) -> Tried:
    episode = _climbed(place, index)
    method = method_named(episode.method)
    options = method.Options.of({"max_steps": CLIMB_STEPS, **dict(episode.settings)})
    task = _task(episode.domain, episode.problem)
    solution = _ended(solve(Request(task, method, options, models, seed + index)))
    return _judged(task, solution, CLIMB_STEPS)


def _translate(place: Place, index: int, seed: int, models: Models) -> Tried:
    _, wrong = understood(_drawing(place, index, seed), models)
    return Tried(not wrong, wrong)


def _believe(place: Place, index: int, seed: int, models: Models) -> Tried:
    """Ask where ``THINGS`` things of a home are, of as many names as there are."""
    world = place.world(index, seed)
    task = world.read(world.drawn())
    grounded, compiled = task.seen_in_part
    say, matcher = Verbaliser(grounded, task.lexicon), matcher_named(models.config.matcher)
    groups = compiled.sensors.groups
    names: dict[str, int] = {}
    for g in np.random.default_rng([seed, index]).permutation(len(groups)).tolist():
        if grounded.init[groups.row(g)].sum() == 1:
            names.setdefault(" ".join(say.name(o) for o in say.subject(groups.row(g))), g)
    asked = dict(list(names.items())[:THINGS])
    model = models.open(say.scene(), task.prompts, matcher, np.random.default_rng([seed, index]))
    samples = models.adapter.prior_samples
    prior = model_prior(compiled.sensors, say, model, samples, groups=list(asked.values()))
    guesses = []
    for (thing, g), weights in zip(asked.items(), prior, strict=True):
        members = groups.row(g)
        phrases = [say.place(int(fact), say.subject(members)) for fact in members]
        truth = int(np.flatnonzero(grounded.init[members])[0])
        scores = compare([weights], [truth])
        by_phrase: dict[str, float] = {}
        for phrase, weight in zip(phrases, weights.tolist(), strict=True):
            by_phrase[phrase] = by_phrase.get(phrase, 0.0) + weight
        top = max(by_phrase, key=lambda phrase: by_phrase[phrase])
        guesses.append(
            Guess(
                thing,
                len(members),
                round(by_phrase[top], 4),
                top == phrases[truth],
                round(scores.model.mean.log_loss, 4),
                round(scores.uniform.mean.log_loss, 4),
            )
        )
    right = sum(guess.right for guess in guesses)
    return Tried(2 * right > len(guesses), f"{right} of {len(guesses)} first guesses right", guesses=guesses)


def _drawing(place: Place, index: int, seed: int) -> Drawing:
    settings = list(TaskSetting)
    home, nth = OWN_HOMES[index % 2], index // 2
    return Drawing(home, settings[nth % len(settings)], nth // len(settings), seed, None, place.household)


def _ended(solution: Solution) -> Solution:
    """The solution. Raises BudgetError where a budget ended it that is for all episodes."""
    if solution.status is Status.BUDGET:
        raise BudgetError(solution.reason)
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return solution


def _judged(task: Task, solution: Solution, limit: int) -> Tried:
    plan = solution.plan
    solved = plan is not None and len(plan) <= limit and replay(task.problem, plan).verdict is Verdict.VALID
    reason = "" if solved else solution.reason
    return Tried(solved, reason, None if plan is None else len(plan), unmatched=solution.unmatched)


def _climbed(place: Place, index: int) -> virtualhome.HouseholdEpisode:
    episodes = _climbs(place.virtualhome)
    return episodes[index % len(episodes)]


@cache
def _climbs(pack: Path) -> list[virtualhome.HouseholdEpisode]:
    """The ten household tasks, with a guide in the language of the actions."""
    episodes = virtualhome.household_episodes(pack, virtualhome.Setup(), 1, ["2"])
    return [episode for episode in episodes if episode.variant == GUIDED]


@cache
def _task(domain: Path, problem: Path) -> Task:
    task = read_task(domain, problem)
    _ = task.all_seen  # here, so that no model's seconds have it
    return task


SKILLS = (
    Skill(
        "finding",
        "finding",
        f"one or two things are somewhere in a home and wanted elsewhere (llm-mcts, at most {SEARCH_STEPS} steps)",
        lambda place, index, seed: place.world(index, seed).name,
        _find,
    ),
    Skill(
        "climbing",
        "hill climbing",
        f"the household tasks of VirtualHome (llm-hill-climb with a low guide, at most {CLIMB_STEPS} steps)",
        lambda place, index, seed: f"{_climbed(place, index).task}-{index:04d}",
        _climb,
    ),
    Skill(
        "translation",
        "translation",
        "an instruction in English becomes the goal that was meant",
        lambda place, index, seed: f"{_drawing(place, index, seed).setting}-{index:04d}",
        _translate,
    ),
    Skill(
        "belief",
        "belief",
        f"where {THINGS} things of a home are; done well if more than half of the likeliest places are right",
        lambda place, index, seed: place.world(index, seed).name,
        _believe,
    ),
)
