"""One problem of a command line: its options, and the request made from them; with ``--instruction``, a goal in English
replaces the problem's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commonsense_planning.cli.output import Printer, tell_warnings
from commonsense_planning.config import Options
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, recommended
from commonsense_planning.pddl.check_sensors import check_sensors
from commonsense_planning.pddl.packs import PROMPTS, beside
from commonsense_planning.support.english import counted
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.processes import Limit, temporary_folder
from commonsense_planning.task import read_task

if TYPE_CHECKING:
    from commonsense_planning.instructions.translate import Interpretation

SHOWN = 2000  # characters of a goal; counting goals can be long


@dataclass(frozen=True)
class OutputOptions:
    """The files to write and the output to print."""

    plan_file: Path | None
    trace_file: Path | None
    trace_search: bool  # the trace includes the search trees and the questions
    quiet: bool
    as_json: bool
    everyone: bool  # every validator is asked
    model: bool = False  # a usable answer is required


@dataclass(frozen=True)
class SolveJob:
    """One problem with its command-line options; it can be sent to another process. From ``sensors`` on, the fields are
    named as their options."""

    domain: Path
    problem: Path
    world: Path | None
    save_problem: Path | None
    method: str
    options: Options
    wanted: OutputOptions
    sensors: Path | None
    lexicon: Path | None
    seed: int
    seconds: float | None
    max_operators: int
    strict: bool
    instruction: str | None = None
    told: Collection[Path] = ()  # files that were read before, and whose warnings were reported
    unnamed: bool = False  # no method was named


@contextmanager
def build_request(job: SolveJob, models: ModelSession, printer: Printer) -> Iterator[Request]:
    """The request for a job's problem, with the job's time that is left after reading. Raises the errors of reading the
    files, and BudgetError."""
    limit = Limit(job.seconds)
    domain, operators = job.domain, job.max_operators
    with ExitStack() as kept:
        with within_seconds(job.seconds), within_memory():
            problem, world = kept.enter_context(with_instruction_goal(job, models, printer))
            files = domain, problem, job.sensors, job.lexicon, world
            task = read_task(*files, job.seed, operators, strict=job.strict)
        warnings = task.problem.warnings
        if task.sensors is not None:
            warnings += check_sensors(task.sensors, task.problem, job.strict)
        tell_warnings(w for w in warnings if w.place.path not in job.told)
        left = None if job.seconds is None else max(0.0, limit.left)
        method, options = job.method, job.options
        if task.needs and job.unnamed:
            if options.changed:
                raise UsageError(f"{options.changed} belongs to {method}, and {recommended(task)[1]} solve this task")
            method, options = recommended(task)[0], Options()
        yield Request(task, method_named(method), options, models, job.seed, left, job.instruction or "")


@contextmanager
def with_instruction_goal(job: SolveJob, models: ModelSession, printer: Printer) -> Iterator[tuple[Path, Path | None]]:
    """The job's problem with the goal of its instruction, or unchanged without one; and a contingent one's world.

    It is written to ``save_problem``, or to a temporary file. Raises InputError for an instruction that cannot be
    translated.
    """
    instruction, domain, world = job.instruction, job.domain, job.world
    if instruction is None:
        yield job.problem, world
        return
    import numpy as np

    from commonsense_planning.instructions.translate import interpret  # which takes its time to import
    from commonsense_planning.llm.prompts import PAPER
    from commonsense_planning.matching.registry import matcher_named
    from commonsense_planning.pddl.variants import with_goal
    from commonsense_planning.wording.questions import Scene

    with temporary_folder() as folder:
        out = job.save_problem or Path(folder) / job.problem.name
        matcher = matcher_named(models.config.matcher)
        model = models.open(Scene(), beside(domain, PROMPTS), matcher, np.random.default_rng(job.seed))
        tuples = models.config.prompts is not None and str(models.config.prompts) == PAPER
        found = interpret(instruction, domain, job.problem, model, matcher, out, job.lexicon, job.sensors, tuples)
        _show(printer, instruction, found)
        if world is not None and world.exists():  # a world drawn earlier has an earlier goal
            here = Path(folder) / f"world-{world.name}"
            with_goal(domain, world, found.goal.pddl, here, found.goal.constraints)
            world = here
        yield found.problem, world


def _show(printer: Printer, instruction: str, found: Interpretation) -> None:
    goal = found.goal
    printer.line(f'"{instruction}" is read as the goal')
    for formula in (goal.pddl, *goal.constraints):
        shown = formula if len(formula) <= SHOWN else f"{formula[:SHOWN]} …"
        printer.line(f"  {shown}", "bold")
    printer.line("which says:")
    for sentence in goal.english:
        printer.line(f"  - {sentence if len(sentence) <= SHOWN else sentence[:SHOWN] + ' …'}")
    for match in goal.matched:
        if not match.exact:
            printer.line(f'  "{match.said}" is read as {match.name} ({", ".join(match.objects)})', "yellow")
    if goal.doubt:
        printer.line(f"  {goal.doubt[0].upper()}{goal.doubt[1:]}: its parts may be done in any order.", "yellow")
    if goal.repairs:
        printer.line(f"  The model had to correct its answer {counted(goal.repairs, 'time')}.")
