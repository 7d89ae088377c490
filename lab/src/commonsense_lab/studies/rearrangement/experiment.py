"""The rearrangement experiment of "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning"
(section 3), and what goes beyond it: its rows, its sections of a report, its episodes.

Five kinds of tasks in a seen and in an unseen home; every method gets the same tasks. ``layout.toml`` has the variants
and the tables with the published numbers. The agent gets the instruction, which the model translates into the goal that
it plans for; success is judged by the task's own goal. ``uct`` and the expert get that goal itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

from commonsense_lab.report.method_layout import read_method_suite, wanted_variants
from commonsense_lab.report.method_tables import method_sections
from commonsense_lab.runner.rows import DecisionOutcome, DecisionRow
from commonsense_lab.runner.runner import solution_of
from commonsense_lab.runner.variants import check_own
from commonsense_lab.studies.homes.home_task import HomeTask
from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement.tasks import Drawing, understood
from commonsense_lab.studies.solve_study import Attempt, Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy, changed
from commonsense_planning.config import POLICY_SAMPLES, Actions, Options, PolicyAs, option
from commonsense_planning.errors import Status, UsageError, check_known
from commonsense_planning.llm.adapters import EMBEDDED
from commonsense_planning.llm.models import own_models
from commonsense_planning.methods.method import Event, Observability, Request, Solution, world_given
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import Task

SUITE = "rearrangement"


@dataclass(frozen=True, kw_only=True)
class RearrangementOutcome(DecisionOutcome):
    """``bound``: no plan has fewer steps; None where nothing was proven about all plans."""

    bound: float | None = None


@dataclass(frozen=True, kw_only=True)
class RearrangementRow(RearrangementOutcome, DecisionRow):
    """``home`` is "seen" or "unseen", ``setting`` one of the paper's, ``scene`` the homes as text."""

    home: str
    setting: str
    scene: str


layout = cache(partial(read_method_suite, Path(__file__).with_name("layout.toml")))
"""The variants and tables of ``layout.toml``."""
HOMES = ("seen", "unseen")
EXPERT = "expert"
DEFAULT_TABLES = ("1", "2")
OWN_HOMES = "the homes that ship"


@dataclass(frozen=True)
class Search(Options):
    """The settings of all methods, as far as they have them."""

    simulations: int = option(100, "Simulations per decision.", least=1)
    depth: int = option(20, "Actions that a simulation looks ahead.", least=1)
    max_steps: int = option(30, "Actions of an episode.", least=1)
    policy_samples: int = option(POLICY_SAMPLES, "Answers per action question.", least=1)
    prior_samples: int = option(EMBEDDED.prior_samples, "Answers per placement question.", least=1)
    actions: Actions = option(Actions.ALL, "Actions that may be named.")
    policy_as: PolicyAs = option(PolicyAs.EVIDENCE, "What a policy is taken for.")


UNSAID = Search(actions=Actions.RELEVANT, policy_as=PolicyAs.PRIOR)  # see ``changed``


@dataclass(frozen=True, kw_only=True)
class RearrangementSetup(SolveSetup):
    """``scenes``: environment graphs of VirtualHome in the parts of the seen and the unseen home; None: our own homes.
    ``weights``: of the learned policy."""

    domain_name = "household"

    search: Search = Search()
    scenes: tuple[Path, Path] | None = None
    weights: Path | None = None

    @property
    def scene(self) -> str:
        """The homes, as text."""
        return OWN_HOMES if self.scenes is None else " and ".join(path.stem for path in self.scenes)

    @property
    def shared(self) -> dict[str, Any]:
        """The settings of all methods, with the weights."""
        return {**asdict(self.search), "weights": self.weights}

    @property
    def text(self) -> str:
        unsaid = {name: value for name, value in asdict(UNSAID).items() if name != "max_steps"}
        told = super().text, self.scene, f"at most {self.search.max_steps} steps", *changed(self.search, unsaid)
        return ", ".join(told)


def _posed(drawing: Drawing, setup: RearrangementSetup) -> Posed:
    drawn, task = drawing.task()
    return Posed(task=task, settings=setup.shared, instruction=drawn.instruction, made_of=drawing)


@dataclass(frozen=True, kw_only=True)
class RearrangementEpisode(SolveEpisode):
    """One whose goal may be what the model takes the instruction for."""

    @property
    def detail(self) -> str:
        return f", weights {self.setup.weights}" if "weights" in self.options(self.setup.shared) else ""

    @property
    def command(self) -> str:
        if self.variant in layout().variants or self.tables == DEFAULT_TABLES[:1]:
            return super().command
        methods = f"--methods {self.variant}"
        return super().command.replace(methods, f"{methods} --tables {','.join(self.tables)}", 1)

    def run(self) -> RearrangementOutcome:
        """Solves the task. Raises BudgetError if a budget for all episodes ended it."""
        setup, settings, posed = self.setup, dict(self.settings), self.posed
        model = replace(setup.model, parallel=settings.get("parallel", setup.model.parallel))
        events, times = list[Event](), list[float]()

        def emit(event: Event) -> None:
            events.append(event)
            times.append(time.perf_counter())

        started = time.perf_counter()
        agents: Task | None = posed.task
        wrong = ""
        with own_models(model, setup.limits, self.key, self.seed) as models:
            if settings.get("translates", False):
                agents, wrong = understood(posed.made_of, models)
            if agents is None:
                solution = Solution(Status.UNSOLVED, None, wrong, usage=models.usage)
            else:
                solution = solution_of(replace(self.request(models), task=agents, emit=emit))
        seconds = time.perf_counter() - started
        gaps = zip(events[1:], pairwise(times), strict=True)
        decisions = [now - before for event, (before, now) in gaps if event["event"] == "step"]
        limit, plan, reason = setup.search.max_steps, solution.plan, solution.reason
        status, cause, attempt = Status.SOLVED, "", Attempt(posed, solution, models)
        if not attempt.reached():
            status, reason = Status.UNSOLVED, "; ".join(part for part in (wrong, reason) if part)
            if solution.status is Status.SOLVED:
                reason = reason or "the plan does not reach the task's goal"
        elif plan is not None and len(plan) > limit:
            status, reason = Status.UNSOLVED, f"the plan has {len(plan)} steps, more than {limit}"
        if status is not Status.SOLVED:
            cause = "budget" if solution.status is Status.BUDGET else self._cause(posed, wrong, events)
        return RearrangementOutcome(
            **attempt.fields(status, "" if status is Status.SOLVED else reason) | {"seconds": round(seconds, 4)},
            cause=cause,
            decisions=len(decisions) or int(plan is not None),
            decision_seconds=round(sum(decisions) if decisions else solution.seconds, 4),
            unmatched=solution.unmatched,
            bound=solution.bound,
        )

    def _cause(self, posed: Posed, wrong: str, events: Sequence[Event]) -> str:
        """Returns why the episode failed, by the causes in ``layout.toml``."""
        if wrong:
            return "translation"
        settings = dict(layout().variants[EXPERT])
        expert = method_named(settings.pop("method"))
        bound = solve(Request(posed.task, expert, expert.Options.of(settings))).bound
        if bound is not None and bound > self.setup.search.max_steps:
            return "budget"
        world = world_given(self.method, self.method.Options.of(self.options(posed.settings)))
        if world is not Observability.KNOWN and _unseen(posed.made_of.task()[0], events):
            return "model"
        return "policy"


STUDY = TaskStudy(
    name=SUITE,
    row=RearrangementRow,
    sections=lambda setup, rows, name: method_sections(layout(), setup, rows, name, attrgetter("home", "setting")),
    methods=lambda: layout().variants,
    of_study=("method", "translates", "parallel"),
    of_paper=True,
    by_variant=True,
    episode=RearrangementEpisode,
)


def _unseen(drawn: HomeTask, events: Sequence[Event]) -> bool:
    """Tells whether the agent never saw a thing of a class that was wanted."""
    kinds = {thing.name: thing.kind for thing in drawn.apartment.movables}
    seen = {kinds.get(word) for event in events for fact in event.get("seen", ()) for word in fact.strip("()").split()}
    return any(wish.thing not in seen for wish in drawn.wishes)


def rearrangement_episodes(
    setup: RearrangementSetup,
    tasks: int,
    seeds: int,
    variants: Collection[str] = (),
    tables: Collection[str] = (),
    settings: Collection[str] = (),
    note: Callable[[str], None] = lambda text: None,
) -> list[SolveEpisode]:
    """Returns the episodes that the tables need, task by task; tasks are spread evenly over homes, settings and seeds.

    ``tasks``: how many in all. ``variants``: only these, by their names or by any method's; default: those of
    ``tables``, or of tables 1 and 2. Without weights the learned policy is left out, which ``note`` gets, unless it is
    named. ``settings``: only these. Raises UsageError for unknown names, for a learned policy that is named without
    weights and for a method that cannot take the tasks, InputError if there is no domain."""
    setup.file()
    suite = layout()
    wanted = wanted_variants(suite, variants, tables, DEFAULT_TABLES)
    if "learned" in wanted and setup.weights is None:
        lacking = "needs --weights, a folder that cplan train-policy wrote"
        if variants:
            raise UsageError(f"the learned policy {lacking}")
        note(f"the learned policy is left out: it {lacking}")
        del wanted["learned"]
    check_known("setting", settings, list(TaskSetting))
    cells = [(home, setting) for setting in TaskSetting for home in HOMES if not settings or setting in settings]
    if tasks < len(cells):
        raise UsageError(f"{tasks} tasks are too few for {len(cells)} cells of homes and settings")
    numbers = [tasks // len(cells) + (cell < tasks % len(cells)) for cell in range(len(cells))]
    drawings = [
        Drawing(home, setting, nth // seeds, nth % seeds, setup.scenes, setup.pack)
        for nth in range(max(numbers))
        for (home, setting), number in zip(cells, numbers, strict=True)
        if nth < number
    ]
    episodes = STUDY.episodes(setup, [_task(drawing, setup) for drawing in drawings], wanted)
    check_own(suite.variants, episodes)
    return episodes


def _task(drawing: Drawing, setup: RearrangementSetup) -> StudyTask:
    labels = {"home": drawing.home, "setting": str(drawing.setting), "scene": setup.scene}
    return StudyTask(drawing.name, drawing.seed, labels, _posed, (drawing, setup))
