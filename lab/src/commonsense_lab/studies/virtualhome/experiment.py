"""The household experiment of "Large Language Models as Common-Sense Heuristics" (section 4), and what goes beyond it:
its rows, its sections of a report, its episodes.

Ten tasks and their variations, local search with and without guides, guides alone at four levels of knowledge, and
programs of actions. ``layout.toml`` has the tables with the published numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path

from commonsense_lab.report.line_tables import COSTS, average
from commonsense_lab.report.task_tables import read_suite, task_sections
from commonsense_lab.runner.rows import PlanOutcome, PlanRow
from commonsense_lab.runner.variants import check_own, variants_named
from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.solve_study import Attempt, Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy
from commonsense_lab.studies.virtualhome.home import FROM_GRAPH, import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from commonsense_planning.errors import Status, check_known
from commonsense_planning.support.writing import make_folder, write_text
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay


@dataclass(frozen=True, kw_only=True)
class HouseholdOutcome(PlanOutcome):
    """``executability``: the share of a model's actions that can be carried out; None if it wrote none."""

    executability: float | None


@dataclass(frozen=True, kw_only=True)
class HouseholdRow(PlanRow, HouseholdOutcome):
    """``scene``: the home, as text."""

    scene: str


COLUMNS = average("executability", lambda row: row.executability, lambda found: f"{100 * found.value:.0f} %"), *COSTS


layout = cache(partial(read_suite, Path(__file__).with_name("layout.toml")))
"""The variants and tables of ``layout.toml``."""

MAX_STEPS = 20  # the paper's limit on the length of a solution (section 4.1)
OWN_SCENE = "the apartment that ships"
NO_DROP = "-no-drop"  # ends the name of a task that is another with a domain without DROP


@dataclass(frozen=True, kw_only=True)
class HouseholdSetup(SolveSetup):
    """``scene`` says which home."""

    domain_name = "virtualhome"

    max_steps: int = MAX_STEPS
    scene: str = OWN_SCENE

    @property
    def text(self) -> str:
        return f"{super().text}, {self.scene}, at most {self.max_steps} steps"


@lru_cache(maxsize=2)  # 30 MB each; reading and grounding one takes longer than an episode
def _posed(domain: Path, problem: Path, max_steps: int) -> Posed:
    task = read_task(domain, problem)
    _ = task.all_seen  # here, so that the first episode's seconds do not have it
    return Posed(task=task, settings={"max_steps": max_steps})


def _judged(attempt: Attempt) -> HouseholdOutcome:
    """Judges without failure conditions what can be carried out; a budget that ended it keeps its status."""
    solution, most = attempt.solution, attempt.posed.settings["max_steps"]
    status, reason, plan, share = solution.status, solution.reason, solution.plan, solution.executability
    if plan is not None and len(plan) and share is None:
        share = float(replay(replace(attempt.posed.task.problem, constraints=()), plan).step is None)
    if plan is not None and status is Status.SOLVED:
        if not attempt.reached():
            status = Status.INVALID
        elif len(plan) > most:
            status, reason = Status.UNSOLVED, f"the plan has {len(plan)} steps, more than {most}"
    return HouseholdOutcome(**attempt.fields(status, reason), executability=share)


STUDY = TaskStudy(
    name="household",
    row=HouseholdRow,
    sections=lambda setup, rows, name: task_sections(layout(), setup, rows, COLUMNS),
    methods=lambda: layout().variants,
    judge=_judged,
    of_paper=True,
)


def household_episodes(
    setup: HouseholdSetup,
    repeats: int,
    tables: Collection[str] = (),
    tasks: Collection[str] = (),
    scene: Path | None = None,
    out: Path = Path(),
    variants: Collection[str] = (),
) -> list[SolveEpisode]:
    """Returns the episodes that the tables need, by default all; repeat r has the seed r. Those of the first repeat
    come first, so that a stopped run has part of every cell. All are task by task, see ``_posed``.

    ``tasks``: only these. ``scene``: an environment graph of VirtualHome in place of cplan's apartment; its problems go
    to ``out``. ``variants``: only these, by their names or by a method's; any other method is a column of ``tables``,
    or of the first. Raises UsageError for unknown names and for a method that cannot take the tasks, InputError for
    wrong files."""
    suite = layout()
    check_known("table", tables, suite.tables)
    named = variants_named(suite.variants, variants)
    own = {name: tables or list(suite.tables)[:1] for name in named if name not in suite.variants}
    suite = suite.with_own(own)
    chosen = [table for name, table in suite.tables.items() if not tables or name in tables]
    cells: dict[tuple[str, str], dict[str, None]] = {}
    for table in chosen:
        for cell in table.cells:
            cells.setdefault(cell, {})[table.name] = None
    check_known("task", tasks, {task: None for task, _ in cells})
    known = [(cell, list(its)) for cell, its in cells.items() if not named or cell[1] in named]
    wanted = [(cell, its) for cell, its in known if not tasks or cell[0] in tasks]
    files = {task: _files(setup, task) for task in dict.fromkeys(task for (task, _), _ in wanted)}
    if scene is not None:
        (home, _), folder = import_home(load_graph(scene)), out / scene.stem
        make_folder(folder, "the problems")
        for task, (domain, problem) in files.items():
            text = render_home(home, problem.stem, task_named(problem.stem), FROM_GRAPH)
            files[task] = domain, (folder / f"{problem.stem}.pddl").resolve()
            write_text(files[task][1], text, "the problem")
        setup = replace(setup, scene=f"scene {scene.stem}")
    episodes = [
        episode
        for seeds in (range(1), range(1, repeats))
        for task in files
        for seed in seeds
        for episode in STUDY.episodes(
            setup,
            [StudyTask(task, seed, {"scene": setup.scene}, _posed, (*files[task], setup.max_steps), agent_seed=seed)],
            {variant: names for (its, variant), names in wanted if its == task},
        )
    ]
    for task in files:
        check_own(layout().variants, [episode for episode in episodes if episode.name == task])
    return episodes


def _files(setup: HouseholdSetup, task: str) -> tuple[Path, Path]:
    """Returns domain and problem of a task."""
    stem = task.removesuffix(NO_DROP)
    domain = "domain.pddl" if stem == task else f"domain{NO_DROP}.pddl"
    return setup.file(domain).resolve(), setup.file(f"problems/{stem}.pddl").resolve()
