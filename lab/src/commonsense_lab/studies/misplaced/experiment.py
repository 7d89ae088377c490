"""The experiment with misplaced things: how a search gets on when the model is wrong about where things are.

One or two things are wanted elsewhere, in our homes and in VirtualHome's apartments; ``worlds`` says how they are
misplaced. All methods get the same worlds with the same seeds and settings at every share.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_lab.report.study import Study
from commonsense_lab.runner.runner import own_models
from commonsense_lab.studies.homes.home_task import HomeTask
from commonsense_lab.studies.homes.scene_graph import scene_files
from commonsense_lab.studies.misplaced.tables import (
    LABELS,
    MisplacedLabels,
    MisplacedOutcome,
    MisplacedRow,
    misplaced_sections,
)
from commonsense_lab.studies.misplaced.wasted import wasted_steps
from commonsense_lab.studies.misplaced.worlds import (
    LEAST,
    World,
    known_plan,
    weights_by_place,
)
from commonsense_lab.studies.solve_study import SolveEpisode, SolveSetup, outcome_fields_by_goal, reached
from commonsense_planning.config import POLICY_SAMPLES, Actions, PolicyAs
from commonsense_planning.elicitation.prior import first_belief, model_prior, uniform_prior
from commonsense_planning.errors import UsageError, check_known
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Solution
from commonsense_planning.methods.registry import check_takes, method_named
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.classical.cheapest import CheapestPlan
from commonsense_planning.search.pomdp.look_order import tour
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.task import Task
from commonsense_planning.wording.verbalise import Verbaliser

SUITE = "misplaced"
OWN_HOMES = ("seen", "unseen")
MAX_STEPS = 120

STUDY = Study(lambda line: line.row(MisplacedRow), misplaced_sections)


@dataclass(frozen=True, kw_only=True)
class MisplacedSetup(SolveSetup):
    """``max_steps``: None for 120, or as many as it takes to look at everything where that is more. ``prior_samples``,
    ``policy_samples``: answers per question. ``actions``: those that an answer may name. ``policy_as``: what a policy
    is taken for. ``ask_again``: about what was looked for in vain. ``hide_rooms``: see ``World``. ``scenes``: the
    folder of VirtualHome's graphs."""

    domain_name = "household"

    simulations: int = 100
    max_steps: int | None = None
    prior_samples: int | None = None
    policy_samples: int = POLICY_SAMPLES
    actions: Actions = Actions.ALL
    policy_as: PolicyAs = PolicyAs.EVIDENCE
    ask_again: bool = True
    hide_rooms: bool = False
    scenes: Path | None = None

    @property
    def text(self) -> str:
        most = f"{MAX_STEPS} steps, or all places looked at" if self.max_steps is None else f"{self.max_steps} steps"
        told = [super().text, f"at most {most}", f"{self.simulations} simulations a decision"]
        # as in 0.2.0, whose recordings name their episodes so
        unsaid: dict[str, object] = {"prior_samples": None, "policy_samples": POLICY_SAMPLES}
        unsaid |= {"actions": Actions.RELEVANT, "policy_as": PolicyAs.PRIOR}
        for name, value in unsaid.items():
            if getattr(self, name) != value:
                told.append(f"{name.replace('_', ' ')} {getattr(self, name)}")
        told += ["nobody is asked again"] * (not self.ask_again) + ["rooms of furniture hidden"] * self.hide_rooms
        return ", ".join(told)


@dataclass(frozen=True, kw_only=True)
class MisplacedEpisode(SolveEpisode[MisplacedSetup]):
    """One task with one method. The seed draws the task and is the agent's."""

    suite = SUITE
    row = MisplacedLabels
    foreseen = False  # where the model puts things least, only it says

    world: World

    @property
    def name(self) -> str:
        return self.world.name

    @property
    def key(self) -> str:
        world = self.world
        return f"{SUITE}: {world.name}, share {world.share}, {self.variant}, {self.setup.text}, seed {world.seed}"

    @property
    def own_labels(self) -> Mapping[str, Any]:
        return {"home": self.world.home, "share": self.world.share}

    @property
    def posed(self) -> PosedTask:
        """Its task, with what there is to know of it."""
        return _posed(self.world, self.setup)

    @property
    def task(self) -> Task:
        return self.posed.task

    @property
    def instruction(self) -> str:
        return self.posed.drawn.instruction

    @property
    def shared(self) -> Mapping[str, Any]:
        return {**vars(self.setup), "max_steps": self.posed.limit}

    def outcome(self, task: Task, solution: Solution, models: Models) -> MisplacedOutcome:
        plan, limit, known = solution.plan, self.posed.limit, self.posed.known
        return MisplacedOutcome(
            **outcome_fields_by_goal(solution, models, reached(task, plan, limit)),
            limit=limit,
            cheapest=int(known.cost or 0),
            bound=known.bound,
            wasted=0 if plan is None else wasted_steps(*task.seen_in_part, plan.steps),
        )


@dataclass(frozen=True)
class PosedTask:
    """A task as it was drawn and as methods get it, the ``known`` plan with full information, and the ``limit`` of
    steps."""

    drawn: HomeTask
    task: Task
    known: CheapestPlan
    limit: int


@lru_cache(maxsize=4)  # the methods of a task come one after the other
def _posed(world: World, setup: MisplacedSetup) -> PosedTask:
    drawn = world.drawn(partial(_beliefs, world, setup))
    task, known = world.read(drawn), known_plan(world, drawn)
    return PosedTask(
        drawn, task, known, setup.max_steps or max(MAX_STEPS, _to_look_at_all(task) + int(known.cost or 0))
    )


def _beliefs(world: World, setup: MisplacedSetup, task: Task) -> Mapping[str, Mapping[str, float]]:
    """What the model says where the wanted things are, before anything is seen."""
    grounded, compiled = task.seen_in_part
    say = Verbaliser(grounded, task.lexicon)
    matcher = matcher_named(setup.model.matcher)
    worlds = f"{SUITE}: {world.name}, share {LEAST}, the world, {setup.text}, seed {world.seed}"
    models = own_models(setup.model, setup.limits, worlds, world.seed)
    model = models.open(say.scene(), task.prompts, matcher, np.random.default_rng(world.seed))
    goal = set(grounded.goal.pos.items.tolist())
    groups = compiled.sensors.groups
    wanted = [g for g in range(len(groups)) if goal.intersection(groups.row(g).tolist())]
    samples = setup.prior_samples or models.adapter.prior_samples
    prior = uniform_prior(compiled.sensors)
    asked = model_prior(compiled.sensors, say, model, samples, groups=wanted)
    for g, weights in zip(wanted, asked, strict=True):
        prior[g] = weights
    return weights_by_place(task, prior)


def _to_look_at_all(task: Task) -> int:
    grounded, compiled = task.seen_in_part
    belief = first_belief(compiled)
    belief.update(None, Environment(compiled, grounded.init).look())
    return tour(SensingMacros(grounded, compiled, belief))


def misplaced_episodes(
    setup: MisplacedSetup,
    homes: Collection[str],
    tasks: int,
    shares: Sequence[str],
    variants: Sequence[str],
    seeds: int,
) -> list[MisplacedEpisode]:
    """The episodes: ``tasks`` tasks of each seed, in each home at each share, with every one of the ``variants``, which
    are names of methods; all that there are where none is named. The episodes of a task are not far apart.

    Raises UsageError for homes, shares and methods that there are not and for a method that cannot take the tasks,
    InputError if there is no domain.
    """
    setup.file()
    scenes = scene_files(setup.scenes)
    there: dict[str, Path | None] = {**dict.fromkeys(OWN_HOMES), **scenes}
    check_known("home", homes, there)
    for share in shares:
        _check_share(share)
    for variant in variants:
        if variant not in LABELS:
            home = next(iter(homes or there))
            first = World(home, there[home], 0, "0", 0, setup.pack, setup.hide_rooms)
            check_takes(method_named(variant), first.read(first.drawn()))
    return [
        MisplacedEpisode(setup=setup, world=world, variant=variant, seed=seed)
        for index in range(tasks)
        for seed in range(seeds)
        for home in homes or there
        for share in shares
        for world in [World(home, there[home], index, share, seed, setup.pack, setup.hide_rooms)]
        for variant in variants or LABELS
    ]


def _check_share(share: str) -> None:
    try:
        possible = share == LEAST or 0 <= float(share) <= 1
    except ValueError:
        possible = False
    if not possible:
        raise UsageError(f"a share is a number from 0 to 1, or {LEAST}; {share} is none")
