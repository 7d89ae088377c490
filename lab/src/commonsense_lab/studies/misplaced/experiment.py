"""The experiment with misplaced things: how a search performs when the model is wrong about where things are.

One or two things, or as many as the setup says, are wanted elsewhere, in cplan's homes and in VirtualHome's apartments;
``worlds`` says how they are misplaced. All methods get the same worlds, seeds and settings at every share. The report
has a table for each share, and a chart over the shares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from statistics import median

from commonsense_lab.report.document import Section
from commonsense_lab.report.line_tables import TableColumn, average, commands_of, count, grid, paired_difference
from commonsense_lab.report.method_layout import spoken_by
from commonsense_lab.report.plots import Points, line_chart
from commonsense_lab.runner.rows import PlanOutcome, PlanRow
from commonsense_lab.studies.homes.scene_graph import scene_files
from commonsense_lab.studies.misplaced.wasted import wasted_steps
from commonsense_lab.studies.misplaced.worlds import LEAST, MisplacedWorld, known_plan, weights_by_place
from commonsense_lab.studies.solve_study import Attempt, Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy, changed
from commonsense_planning.config import POLICY_SAMPLES, Actions, PolicyAs
from commonsense_planning.elicitation.prior import first_belief, model_prior, uniform_prior
from commonsense_planning.errors import UsageError, check_known
from commonsense_planning.llm.models import own_models
from commonsense_planning.methods.registry import check_takes, method_named
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.pomdp.look_order import tour
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.support.statistics import mean, rate, with_error
from commonsense_planning.task import Task
from commonsense_planning.wording.verbalise import Verbaliser

WITHIN = (30, 60, 120)
TIMES = 3  # the steps of the cheapest plan
REFERENCE = "llm-mcts"
LABELS = {
    "llm-mcts": "{model}-MCTS",
    "llm-mcts-paper": "{model}-MCTS, llm-mcts-paper",
    "llm-replan": "{model} replanning",
    "llm-policy": "{model} policy",
    "uct": "UCT",
    "look-greedy": "greedy: {model}'s probability by cost",
    "look-nearest": "nearest-neighbour baseline",
}
ALL = "all homes"


@dataclass(frozen=True, kw_only=True)
class MisplacedOutcome(PlanOutcome):
    """``limit``: of steps. ``cheapest``: the steps of the plan with full information; no plan has fewer than ``bound``.
    ``wasted``: steps that could have been left out, see ``wasted.wasted_steps``."""

    limit: int
    cheapest: int
    bound: float
    wasted: int


@dataclass(frozen=True, kw_only=True)
class MisplacedRow(MisplacedOutcome, PlanRow):
    """``home``: one of cplan's, or VirtualHome's graph. ``share``: the probability with which a wanted thing was moved,
    or "least": where the model expects it least."""

    home: str
    share: str

    @property
    def taken(self) -> int:
        """The steps until the goal was reached, or the limit."""
        return self.steps if self.solved and self.steps is not None else self.limit


def misplaced_sections(setup: str, rows: Sequence[MisplacedRow], name: str) -> Iterator[Section]:
    """Makes a table for each share, with lines for each home."""
    model = rows[0].model
    shares, order = dict.fromkeys(row.share for row in rows), {variant: i for i, variant in enumerate(LABELS)}
    methods = sorted(dict.fromkeys(row.variant for row in rows), key=lambda m: order.get(m, len(order)))
    homes = list(dict.fromkeys(row.home for row in rows))
    labels = {method: spoken_by(LABELS.get(method, method), model) for method in methods}
    legend = (
        f"Setup: {setup}. Found: the things were brought within so many steps, in brackets the 95 % Wilson interval. × "
        "cheapest: all steps over all steps of the cheapest plans of who knows everything; a miss counts as the step "
        f"limit. Steps more than {labels.get(REFERENCE, REFERENCE)}: mean on the same tasks and its 95 % interval. "
        "Wasted: steps without which the same would have been seen of wanted things, and changed."
    )
    columns = (
        count("tasks"),
        *(TableColumn(f"found in {most}", partial(_found, most)) for most in WITHIN),
        TableColumn(f"found in {TIMES} × cheapest", _found_in_times),
        TableColumn("× cheapest", lambda rows, _: f"{_ratio(rows):.2f}"),
        paired_difference(
            f"steps more than {labels.get(REFERENCE, REFERENCE)}",
            lambda row: row.variant == REFERENCE,
            lambda row: (row.home, row.task, row.seed),
            lambda row: row.taken,
            digits=1,
        ),
        TableColumn(
            "wasted: median, mean",
            lambda rows, _: f"{median(row.wasted for row in rows):g}, {mean([row.wasted for row in rows]).value:.1f}",
        ),
        average("questions", lambda row: row.questions),
        average("calls", lambda row: row.calls),
        average("seconds", lambda row: row.seconds, partial(with_error, digits=2)),
    )
    for share in shares:
        here = [row for row in rows if row.share == share]
        lines = [
            ((home, labels[method]), cell)
            for home in ([ALL] if len(homes) > 1 else []) + homes
            for method in methods
            if (cell := [row for row in here if row.variant == method and home in (ALL, row.home)])
        ]
        unproven = len({(row.home, row.task, row.seed) for row in here if row.bound < row.cheapest})
        gap = f" Of {unproven} tasks the cheapest plan is not proven." if unproven else ""
        where = "where the model puts them least" if share == "least" else f"moved with probability {share}"
        parts = legend + gap, grid(("home", "method"), lines, columns, here), commands_of(here)
        yield Section(f"Wanted things {where}", parts)
    numbers = sorted((share for share in shares if share != "least"), key=float)
    if len(numbers) > 1:
        series = []
        for i, method in enumerate(methods):
            groups = [(float(n), [r for r in rows if (r.variant, r.share) == (method, n)]) for n in numbers]
            series.append(Points(labels[method], i, [(share, _ratio(group)) for share, group in groups if group]))
        title = "Steps over those of the cheapest plan, by the share of misplaced things"
        chart = line_chart(f"{name}-ratio", title, "share of wanted things moved", "× cheapest", series)
        yield Section("Steps and the share of misplaced things", (chart,), 3)


def _found(most: int, rows: Sequence[MisplacedRow], _: Sequence[MisplacedRow]) -> str:
    return _share(rows, lambda row: row.taken <= most)


def _found_in_times(rows: Sequence[MisplacedRow], _: Sequence[MisplacedRow]) -> str:
    return _share(rows, lambda row: row.taken <= TIMES * row.cheapest)


def _share(rows: Sequence[MisplacedRow], within: Callable[[MisplacedRow], bool]) -> str:
    found = rate(sum(row.solved and within(row) for row in rows), len(rows))
    return f"{100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _ratio(rows: Sequence[MisplacedRow]) -> float:
    return sum(row.taken for row in rows) / sum(row.cheapest for row in rows)


SUITE = "misplaced"
OWN_HOMES = ("seen", "unseen")
MAX_STEPS = 120
# as in 0.2.0, see ``changed``
UNSAID: dict[str, object] = {
    **{"prior_samples": None, "policy_samples": POLICY_SAMPLES},
    **{"actions": Actions.RELEVANT, "policy_as": PolicyAs.PRIOR},
}


@dataclass(frozen=True, kw_only=True)
class MisplacedSetup(SolveSetup):
    """``max_steps``: None for 120, or for as many as looking at everything takes, if that is more. ``prior_samples``,
    ``policy_samples``: answers per question. ``actions``: those that an answer may name. ``policy_as``: how a policy
    counts. ``ask_again``: about what was not found. ``hide_rooms``, ``wanted``: see ``MisplacedWorld``. ``scenes``: the
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
    wanted: tuple[int, ...] = ()
    scenes: Path | None = None

    @property
    def text(self) -> str:
        most = f"{MAX_STEPS} steps, or all places looked at" if self.max_steps is None else f"{self.max_steps} steps"
        told = [super().text, f"at most {most}", f"{self.simulations} simulations a decision"]
        told += changed(self, UNSAID)
        told += ["nobody is asked again"] * (not self.ask_again) + ["rooms of furniture hidden"] * self.hide_rooms
        told += [f"{' or '.join(map(str, self.wanted))} things wanted"] * bool(self.wanted)
        return ", ".join(told)


@lru_cache(maxsize=4)  # the methods of a task come one after the other
def posed(world: MisplacedWorld, setup: MisplacedSetup) -> Posed:
    """Returns the task in a world."""
    drawn = world.drawn(partial(_beliefs, world, setup))
    task, known = world.read(drawn), known_plan(world, drawn)
    limit = setup.max_steps or max(MAX_STEPS, _to_look_at_all(task) + int(known.cost or 0))
    settings = {**vars(setup), "max_steps": limit}
    return Posed(task=task, settings=settings, instruction=drawn.instruction, made_of=known)


def _judged(attempt: Attempt) -> MisplacedOutcome:
    posed, plan = attempt.posed, attempt.solution.plan
    limit, known = posed.settings["max_steps"], posed.made_of
    return MisplacedOutcome(
        **attempt.fields_by_goal(limit),
        limit=limit,
        cheapest=int(known.cost or 0),
        bound=known.bound,
        wasted=0 if plan is None else wasted_steps(*posed.task.seen_in_part, plan.steps),
    )


def _beliefs(world: MisplacedWorld, setup: MisplacedSetup, task: Task) -> Mapping[str, Mapping[str, float]]:
    """Asks the model where the wanted things are, before anything is seen."""
    grounded, compiled = task.seen_in_part
    say = Verbaliser(grounded, task.lexicon)
    worlds = f"{SUITE}: {world.name}, share {LEAST}, the world, {setup.text}, seed {world.seed}"
    models = own_models(setup.model, setup.limits, worlds, world.seed)
    model = models.open_by_seed(say.scene(), task.prompts, world.seed)
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
) -> list[SolveEpisode]:
    """Returns the episodes: ``tasks`` tasks of each seed, in each home at each share, with each of the ``variants``,
    which are names of methods, by default all. The episodes of a task are not far apart. Raises UsageError for unknown
    homes, shares and methods and for a method that cannot take the tasks, InputError if there is no domain."""
    setup.file()
    scenes = scene_files(setup.scenes)
    there: dict[str, Path | None] = {**dict.fromkeys(OWN_HOMES), **scenes}
    check_known("home", homes, there)
    for share in shares:
        _check_share(share)
    for variant in variants:
        if variant not in LABELS:
            home = next(iter(homes or there))
            first = MisplacedWorld(home, there[home], 0, "0", 0, setup.pack, setup.hide_rooms)
            check_takes(method_named(variant), first.read(first.drawn()))
    worlds = [
        MisplacedWorld(home, there[home], index, share, seed, setup.pack, setup.hide_rooms, setup.wanted)
        for index in range(tasks)
        for seed in range(seeds)
        for home in homes or there
        for share in shares
    ]
    posing = [
        StudyTask(w.name, w.seed, {"home": w.home, "share": w.share}, posed, (w, setup), f", share {w.share}")
        for w in worlds
    ]
    return STUDY.episodes(setup, posing, variants or LABELS)


def _check_share(share: str) -> None:
    try:
        possible = share == LEAST or 0 <= float(share) <= 1
    except ValueError:
        possible = False
    if not possible:
        raise UsageError(f"a share is a number from 0 to 1, or {LEAST}; {share} is none")


STUDY = TaskStudy(
    name=SUITE,
    row=MisplacedRow,
    sections=misplaced_sections,
    judge=_judged,
    foreseen=False,  # where the model puts things least, only it says
)
