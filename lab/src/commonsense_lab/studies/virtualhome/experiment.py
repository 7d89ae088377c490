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
from commonsense_lab.studies.solve_study import (
    Posed,
    SolveEpisode,
    SolveSetup,
    StudyTask,
    TaskStudy,
    outcome_fields,
    reached,
)
from commonsense_lab.studies.virtualhome.home import import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from commonsense_planning.errors import Status, check_known
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Solution
from commonsense_planning.support.writing import make_folder, write_text
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay


@dataclass(frozen=True, kw_only=True)
class HouseholdOutcome(PlanOutcome):
    """``executability``: which share of the actions that a model wrote could be carried out; None where it wrote
    none."""

    executability: float | None


@dataclass(frozen=True, kw_only=True)
class HouseholdRow(PlanRow, HouseholdOutcome):
    """``scene``: the home in words."""

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


def _judged(posed: Posed, solution: Solution, models: ModelSession) -> HouseholdOutcome:
    """A failure condition is no matter of what is possible; a budget that ended it says nothing of the method."""
    status, reason, plan, share = solution.status, solution.reason, solution.plan, solution.executability
    task, most = posed.task, posed.settings["max_steps"]
    if plan is not None and len(plan) and share is None:
        share = float(replay(replace(task.problem, constraints=()), plan).step is None)
    if plan is not None and status is Status.SOLVED:
        if not reached(task, plan):
            status = Status.INVALID
        elif len(plan) > most:
            status, reason = Status.UNSOLVED, f"the plan has {len(plan)} steps, more than {most}"
    return HouseholdOutcome(**outcome_fields(solution, models, status, reason), executability=share)


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
    """The episodes that the tables need, all where none is named; repeat r has the seed r. The first one of every cell
    comes first, so that a run that is stopped has something of every cell. All are task by task, see ``_posed``.

    ``tasks``: only these. ``scene``: an environment graph of VirtualHome in place of our apartment; its problems are
    written to ``out``. ``variants``: only these, by their own names or by a method's; any other method is a column of
    the tables that are named, else of the first. Raises UsageError for names that there are not and for a method that
    cannot take the tasks, InputError for files that are wrong."""
    suite = layout()
    check_known("table", tables, suite.tables)
    named = variants_named(suite.variants, variants)
    own = {name: tables or list(suite.tables)[:1] for name in named if name not in suite.variants}
    suite = suite.with_own(own)
    chosen = [table for name, table in suite.tables.items() if not tables or name in tables]
    cells: dict[tuple[str, str], list[str]] = {}
    for table in chosen:
        for cell in table.cells:
            if table.name not in cells.setdefault(cell, []):
                cells[cell].append(table.name)
    check_known("task", tasks, {task: None for task, _ in cells})
    cells = {cell: names for cell, names in cells.items() if not named or cell[1] in named}
    wanted = [(cell, names) for cell, names in cells.items() if not tasks or cell[0] in tasks]
    files = {task: _files(setup, task) for task in dict.fromkeys(task for (task, _), _ in wanted)}
    if scene is not None:
        imported = _imported(scene, {problem.stem for _, problem in files.values()}, out / scene.stem)
        files = {task: (domain, imported[problem.stem]) for task, (domain, problem) in files.items()}
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
    """Domain and problem of a task."""
    stem = task.removesuffix(NO_DROP)
    domain = "domain.pddl" if stem == task else f"domain{NO_DROP}.pddl"
    return setup.file(domain).resolve(), setup.file(f"problems/{stem}.pddl").resolve()


def _imported(scene: Path, names: Collection[str], folder: Path) -> dict[str, Path]:
    """Task → its problem in a scene, a file in ``folder``."""
    home, _ = import_home(load_graph(scene))
    make_folder(folder, "the problems")
    files = {}
    for name in names:
        text = render_home(home, name, task_named(name), "Imported from a VirtualHome environment graph.")
        path = folder / f"{name}.pddl"
        write_text(path, text, "the problem")
        files[name] = path.resolve()
    return files
