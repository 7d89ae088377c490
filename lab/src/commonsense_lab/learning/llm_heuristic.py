"""A language model writes a heuristic for the domain, once; greedy best-first search uses it (Corrêa, Pereira and Seipp
2025, 2026)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_lab.learning.heuristic_file import search
from commonsense_lab.learning.heuristic_questions import TEMPLATES, WriteHeuristic
from commonsense_lab.learning.heuristic_writer import HeuristicWriter
from commonsense_lab.learning.settings import WritingOptions
from commonsense_planning.config import option
from commonsense_planning.errors import BudgetError, InputError, Status, UsageError
from commonsense_planning.methods.method import Estimate, Observability, Request, Solution
from commonsense_planning.methods.run import Clock, Run
from commonsense_planning.pddl.packs import by_size, others_beside
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text, within
from commonsense_planning.task import Task
from commonsense_planning.wording.questions import Scene

TRAINING = 4  # other problems that a heuristic is tried on, unless a folder is named
PROGRAM_TOKENS = 1500  # of a heuristic, as models usually write them
NO_PROGRAMS = (
    "the {} model writes no programs: --model names one that does, or --method gbfs takes --heuristic "
    "FILE, which cplan write-heuristic has made"
)


@dataclass(frozen=True)
class HeuristicOptions(WritingOptions):
    """The options of ``llm-heuristic``."""

    training: Path | None = option(
        None, "A folder of training problems [default: the smallest in the problem's folder].", metavar="FOLDER"
    )


class LlmHeuristic:
    """Has the model write a heuristic, and searches with it in a child process."""

    name = "llm-heuristic"
    summary = "greedy best-first search with a heuristic that the model writes for the domain; knows the true world"
    world = Observability.KNOWN
    Options = HeuristicOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        options = request.options_as(HeuristicOptions)
        clock = Clock(request.seconds)
        run = writing_run(request, clock)
        training = training_problems(request.task, options.training)
        run.start(training=[problem.problem_name for problem in training])
        try:
            writer = HeuristicWriter(run.model, training, options.trial_seconds, request.emit, request.report)
            written = writer.write(options.candidates, options.repairs)
        except BudgetError as error:
            return run.end(Status.BUDGET, None, str(error))
        if not written or not written[0].outcomes:
            refused = "; ".join(candidate.refused.partition("\n")[0] for candidate in written)
            reason = f"no heuristic can be used: {refused or 'no answers'}"
            return run.end(Status.UNSOLVED, None, reason)
        best = written[0]
        found = search(request, best.program, Path(f"{best.name.replace(' ', '-')}.py"), clock)
        counts = {"operators": found.operators, "facts": found.facts, "expanded": found.expanded}
        return run.end(found.status, found.plan, found.why, **counts)

    def estimate(self, request: Request) -> Estimate | None:
        options = request.options_as(HeuristicOptions)
        training = training_problems(request.task, options.training)
        question = WriteHeuristic(training[0].texts[0], (training[0].texts[1], training[-1].texts[1]))
        calls = options.candidates, options.candidates + options.repairs
        return writing_run(request, Clock(None)).estimate(question, calls, PROGRAM_TOKENS)


def writing_run(request: Request, clock: Clock) -> Run:
    """Returns a run that asks for programs. Raises UsageError for a model that reads no prompts."""
    adapter = request.models.adapter
    if not adapter.reads_prompts:
        raise UsageError(NO_PROGRAMS.format(request.models.config.name))
    return Run(request, Scene(request.task.problem.domain_name), clock, TEMPLATES)


def training_problems(task: Task, folder: Path | None) -> tuple[Problem, ...]:
    """Returns the problems for trials of a heuristic, the smallest file first: those of ``folder``, else ``TRAINING``
    of those in the task's folder; else the task. Raises InputError for a folder without problems of the domain."""
    found: list[Problem] = []
    for file in by_size(folder) if folder is not None else others_beside(task.problem):
        try:
            own = Text(task.problem.texts[0], str(task.problem.domain_file))
            found.append(read_problem(own, within(file.parent, file)))
        except InputError:
            if folder is not None:
                raise
        if folder is None and len(found) == TRAINING:
            break
    if folder is not None and not found:
        raise InputError(f"{folder}: there are no problems (*.pddl) in this folder")
    return tuple(found) or (task.problem,)


LLM_HEURISTIC = LlmHeuristic()
