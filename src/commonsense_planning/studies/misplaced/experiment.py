"""The experiment with misplaced things: how a search gets on when the model is wrong about where things are.

One or two things are wanted elsewhere, in our homes and in VirtualHome's apartments; ``worlds`` says how they are
misplaced. All methods get the same worlds with the same seeds and settings at every share.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from commonsense_planning import __version__
from commonsense_planning.config import POLICY_SAMPLES, Actions, BudgetConfig, ModelConfig
from commonsense_planning.errors import InputError, Status, UsageError
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods import method as methods
from commonsense_planning.methods.registry import check_takes, method_named
from commonsense_planning.methods.task import Task
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.prior import model_prior, uniform_prior
from commonsense_planning.report.study import Study
from commonsense_planning.runner.runner import model_in_words, own_models, solution_of, spent
from commonsense_planning.search.look_order import tour
from commonsense_planning.search.looking import Looks
from commonsense_planning.studies.homes.scene_graph import scene_files
from commonsense_planning.studies.misplaced.rows import MisplacedLabels, MisplacedOutcome, MisplacedRow
from commonsense_planning.studies.misplaced.tables import LABELS, misplaced_sections
from commonsense_planning.studies.misplaced.wasted import wasted_steps
from commonsense_planning.studies.misplaced.worlds import LEAST, World, known_plan, weights_by_place
from commonsense_planning.validation.replay import REPLAYED, replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.verbalise import Verbaliser

SUITE = "misplaced"
OWN_HOMES = ("seen", "unseen")
MAX_STEPS = 120

STUDY = Study(lambda line: line.row(MisplacedRow), misplaced_sections)


@dataclass(frozen=True)
class Setup:
    """What all episodes of a run share. ``max_steps``: None for 120, or as many as it takes to look at everything where
    that is more. ``prior_samples``, ``policy_samples``: answers per question. ``actions``: those that an answer may
    name. ``ask_again``: about what was looked for in vain. ``hide_rooms``: see ``World``. ``scenes``: the folder of
    VirtualHome's graphs. ``command`` gives the run again."""

    model: ModelConfig = ModelConfig()
    limits: BudgetConfig = BudgetConfig()
    simulations: int = 100
    max_steps: int | None = None
    prior_samples: int | None = None
    policy_samples: int = POLICY_SAMPLES
    actions: Actions = Actions.ALL
    ask_again: bool = True
    hide_rooms: bool = False
    pack: Path = field(default_factory=lambda: pack_named("household").folder)
    scenes: Path | None = None
    command: str = ""

    @property
    def text(self) -> str:
        """All that the results depend on, in words."""
        most = f"{MAX_STEPS} steps, or all places looked at" if self.max_steps is None else f"{self.max_steps} steps"
        told = [model_in_words(self.model), f"at most {most}", f"{self.simulations} simulations a decision"]
        unsaid = Setup(actions=Actions.RELEVANT)  # as in 0.2.0, whose recordings name their episodes so
        for name in ("prior_samples", "policy_samples", "actions"):
            if getattr(self, name) != getattr(unsaid, name):
                told.append(f"{name.replace('_', ' ')} {getattr(self, name)}")
        told += ["nobody is asked again"] * (not self.ask_again) + ["rooms of furniture hidden"] * self.hide_rooms
        return ", ".join(told)


@dataclass(frozen=True)
class MisplacedEpisode:
    """One task with one method. The seed draws the task and is the agent's."""

    world: World
    variant: str
    setup: Setup

    @property
    def key(self) -> str:
        world = self.world
        return f"{SUITE}: {world.name}, share {world.share}, {self.variant}, {self.setup.text}, seed {world.seed}"

    @property
    def labels(self) -> MisplacedLabels:
        return MisplacedLabels(
            key=self.key,
            suite=SUITE,
            tables=(),
            home=self.world.home,
            share=self.world.share,
            task=self.world.name,
            variant=self.variant,
            method=self.variant,
            seed=self.world.seed,
            model=self.setup.model.name,
            setup=self.setup.text,
            command=self.setup.command,
            version=__version__,
            validators=REPLAYED,
        )

    def run(self) -> MisplacedOutcome:
        """Solve the task. Raises BudgetError where a budget ended it that is for all episodes."""
        setup, world = self.setup, self.world
        drawn = world.drawn(self._beliefs)
        task = world.read(drawn)
        known = known_plan(world, drawn)
        limit = setup.max_steps or max(MAX_STEPS, _to_look_at_all(task) + int(known.cost or 0))
        models = own_models(setup.model, setup.limits, self.key, world.seed)
        method = method_named(self.variant)
        settings = {**asdict(setup), "max_steps": limit}
        options = method.Options.of(method.Options.among(settings))
        seed = zlib.crc32(f"{world.name} {world.seed}".encode())
        solution = solution_of(methods.Request(task, method, options, models, seed, instruction=drawn.instruction))
        plan = solution.plan
        solved = plan is not None and len(plan) <= limit and replay(task.problem, plan).verdict is Verdict.VALID
        return MisplacedOutcome(
            status=str(Status.SOLVED if solved else Status.UNSOLVED),
            reason="" if solved else solution.reason,
            plan=None if plan is None else [str(step) for step in plan],
            steps=None if plan is None else len(plan),
            model_note=solution.model_note,
            seconds=round(solution.seconds, 4),
            **spent(models.usage, models.cost),
            limit=limit,
            cheapest=int(known.cost or 0),
            bound=known.bound,
            wasted=0 if plan is None else wasted_steps(*task.seen_in_part, plan.steps),
        )

    def _beliefs(self, task: Task) -> Mapping[str, Mapping[str, float]]:
        """What the model says where the wanted things are, before anything is seen."""
        setup = self.setup
        grounded, compiled = task.seen_in_part
        say = Verbaliser(grounded, task.lexicon)
        matcher = matcher_named(setup.model.matcher)
        worlds = f"{SUITE}: {self.world.name}, share {LEAST}, the world, {setup.text}, seed {self.world.seed}"
        models = own_models(setup.model, setup.limits, worlds, self.world.seed)
        model = models.open(say.scene(), task.prompts, matcher, np.random.default_rng(self.world.seed))
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
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, Environment(compiled, grounded.init).look())
    return tour(Looks(grounded, compiled, belief))


def misplaced_episodes(
    setup: Setup, homes: Collection[str], tasks: int, shares: Sequence[str], variants: Sequence[str], seeds: int
) -> list[MisplacedEpisode]:
    """The episodes: ``tasks`` tasks of each seed, in each home at each share, with every one of the ``variants``, which
    are names of methods; all that there are where none is named. The episodes of a task are not far apart.

    Raises UsageError for homes, shares and methods that there are not and for a method that cannot take the tasks,
    InputError if there is no domain.
    """
    domain = setup.pack / "domain.pddl"
    if not domain.is_file():
        raise InputError(f"{domain}: there is no such file; --pack names the folder of the household domain")
    scenes = scene_files(setup.scenes)
    there: dict[str, Path | None] = {**dict.fromkeys(OWN_HOMES), **scenes}
    for home in homes:
        if home not in there:
            raise UsageError(f"there is no home {home}; there are {', '.join(there)}")
    for share in shares:
        _check_share(share)
    for variant in variants:
        if variant not in LABELS:
            home = next(iter(homes or there))
            first = World(home, there[home], 0, "0", 0, setup.pack, setup.hide_rooms)
            check_takes(method_named(variant), first.read(first.drawn()))
    return list(_episodes(setup, there, homes or there, tasks, shares, variants or list(LABELS), seeds))


def _episodes(
    setup: Setup,
    scenes: Mapping[str, Path | None],
    homes: Collection[str],
    tasks: int,
    shares: Sequence[str],
    variants: Sequence[str],
    seeds: int,
) -> Iterator[MisplacedEpisode]:
    for index in range(tasks):
        for seed in range(seeds):
            for home in homes:
                for share in shares:
                    world = World(home, scenes[home], index, share, seed, setup.pack, setup.hide_rooms)
                    yield from (MisplacedEpisode(world, variant, setup) for variant in variants)


def _check_share(share: str) -> None:
    try:
        possible = share == LEAST or 0 <= float(share) <= 1
    except ValueError:
        possible = False
    if not possible:
        raise UsageError(f"a share is a number from 0 to 1, or {LEAST}; {share} is none")
