"""What a household robot wants a model for, and how well a model does it: a skill is a value that draws its tasks and
tries a model on one.

All models get the same tasks with the same seeds. Nothing here looks at which model it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from commonsense_lab.report.belief_scores import compare
from commonsense_lab.runner.runner import solution_of
from commonsense_lab.studies.homes.home_task import HomeTask, arranged_task, goal_facts
from commonsense_lab.studies.homes.scene_graph import load_graph, scene_files
from commonsense_lab.studies.homes.task_homes import (
    Goals,
    TaskHome,
    TaskSetting,
    goals_in,
    own_homes,
    scene_home,
)
from commonsense_lab.studies.models.rows import Guess
from commonsense_planning.elicitation.prior import model_prior
from commonsense_planning.errors import InputError
from commonsense_planning.instructions.translate import interpret
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import method_named
from commonsense_planning.pddl.packs import packs_folder
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.verbalise import Verbaliser

SEARCH_STEPS, CLIMB_STEPS = 120, 20  # actions of an episode
THINGS = 5  # of a home that a model is asked about
CLIMBS = (
    *("watch-tv", "turn-off-light", "throw-away-apple", "make-toast", "eat-chips-on-the-sofa"),
    *("put-salmon-in-the-fridge", "brush-teeth", "wash-the-plate", "microwave-salmon"),
    "bring-items-to-the-coffee-table",
)
_MODELS = 16  # tells our draws from those of other experiments


@dataclass(frozen=True)
class Place:
    """Where tasks come from: the folder ``packs`` with the domains; the folder ``scenes`` with VirtualHome's graphs,
    None for our own homes."""

    packs: Path = field(default_factory=packs_folder)
    scenes: Path | None = None

    @property
    def household(self) -> Path:
        """The folder of the household domain."""
        return self.packs / "household"

    @property
    def virtualhome(self) -> Path:
        """The folder of the virtualhome domain."""
        return self.packs / "virtualhome"

    @property
    def homes(self) -> Mapping[str, Path | None]:
        """The homes by name, with their graphs."""
        if self.scenes is None:
            return {"seen": None, "unseen": None}
        return scene_files(self.scenes)


@cache
def _home(name: str, scene: Path | None) -> tuple[TaskHome, Goals]:
    if scene is None:
        homes = own_homes()
        return homes.named(name), homes.goals[name]
    home = scene_home(name, load_graph(scene))
    return home, goals_in(home, home)


def _draw(home_name: str, scene: Path | None, setting: TaskSetting, index: int, seed: int) -> HomeTask:
    home, goals = _home(home_name, scene)
    rng = np.random.default_rng([_MODELS, seed, zlib.crc32(home_name.encode()), index])
    return arranged_task(f"{home_name}-{setting}-{index:04d}", home, setting, goals.draw(setting, rng), rng)


def _drawn(place: Place, index: int, seed: int, *settings: TaskSetting) -> HomeTask:
    """Task number ``index``: homes and ``settings`` come by turns."""
    homes = list(place.homes.items())
    return _draw(*homes[index % len(homes)], settings[index // len(homes) % len(settings)], index, seed)


@cache  # some dozen, of which every model gets each
def _read(drawn: HomeTask, place: Place) -> Task:
    """The task as methods get it; one of a home is grounded like the first of that home."""
    first = _draw(drawn.home, place.homes[drawn.home], TaskSetting.SIMPLE, 0, 0)
    task = drawn.read(place.household)
    return task if drawn == first else replace(task, like=_read(first, place))


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


def _looked_for(place: Place, index: int, seed: int) -> HomeTask:
    return _drawn(place, index, seed, TaskSetting.SIMPLE, TaskSetting.COMP)


def _said(place: Place, index: int, seed: int) -> HomeTask:
    return _drawn(replace(place, scenes=None), index, seed, *TaskSetting)


def _find(place: Place, index: int, seed: int, models: Models) -> Tried:
    drawn = _looked_for(place, index, seed)
    task = _read(drawn, place)
    _ = task.seen_in_part  # here, so that no model's seconds have it
    method = method_named("llm-mcts")
    options = method.Options.of({"max_steps": SEARCH_STEPS})
    request = Request(task, method, options, models, seed + index, instruction=drawn.instruction)
    return _judged(task, solution_of(request), SEARCH_STEPS)


def _climb(place: Place, index: int, seed: int, models: Models) -> Tried:
    task = _climbed(place.virtualhome, CLIMBS[index % len(CLIMBS)])
    method = method_named("llm-hill-climb")
    options = method.Options.of({"max_steps": CLIMB_STEPS, "guide": "low"})
    return _judged(task, solution_of(Request(task, method, options, models, seed + index)), CLIMB_STEPS)


@cache
def _climbed(pack: Path, problem: str) -> Task:
    task = read_task(pack / "domain.pddl", pack / "problems" / f"{problem}.pddl")
    _ = task.all_seen  # as above
    return task


def _translate(place: Place, index: int, seed: int, models: Models) -> Tried:
    """Translate, and compare the goals: the sets of facts that make them true."""
    drawn = _said(place, index, seed)
    meant = _read(drawn, replace(place, scenes=None))
    matcher = matcher_named(models.config.matcher)
    scene = Verbaliser(meant.seen_in_part[0], meant.lexicon).scene()
    model = models.open(scene, meant.prompts, matcher, np.random.default_rng([seed, index]))
    domain = place.household / "domain.pddl"
    with temporary_folder() as folder:
        problem, taken = Path(folder) / "problem.pddl", Path(folder) / "taken.pddl"
        problem.write_text(drawn.problem, encoding="utf-8")
        try:
            goal = interpret(drawn.instruction, domain, problem, model, matcher, taken).goal
        except InputError as error:
            return Tried(False, str(error))
        found = replace(read_task(domain, taken), like=meant)
        right = goal_facts(found) == goal_facts(meant) and not found.problem.constraints
    return Tried(right, "" if right else f"the instruction was taken for {goal.pddl}")


def _believe(place: Place, index: int, seed: int, models: Models) -> Tried:
    """Ask where ``THINGS`` things of a home are, of as many names as there are."""
    task = _read(_looked_for(place, index, seed), place)
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


def _judged(task: Task, solution: Solution, limit: int) -> Tried:
    plan = solution.plan
    solved = plan is not None and len(plan) <= limit and replay(task.problem, plan).verdict is Verdict.VALID
    reason = "" if solved else solution.reason
    return Tried(solved, reason, None if plan is None else len(plan), unmatched=solution.unmatched)


SKILLS = (
    Skill(
        "finding",
        "finding",
        f"one or two things are somewhere in a home and wanted elsewhere (llm-mcts, at most {SEARCH_STEPS} steps)",
        lambda place, index, seed: _looked_for(place, index, seed).name,
        _find,
    ),
    Skill(
        "climbing",
        "hill climbing",
        f"the household tasks of VirtualHome (llm-hill-climb with a low guide, at most {CLIMB_STEPS} steps)",
        lambda place, index, seed: f"{CLIMBS[index % len(CLIMBS)]}-{index:04d}",
        _climb,
    ),
    Skill(
        "translation",
        "translation",
        "an instruction in English becomes the goal that was meant",
        lambda place, index, seed: _said(place, index, seed).name,
        _translate,
    ),
    Skill(
        "belief",
        "belief",
        f"where {THINGS} things of a home are; done well if more than half of the likeliest places are right",
        lambda place, index, seed: _looked_for(place, index, seed).name,
        _believe,
    ),
)
