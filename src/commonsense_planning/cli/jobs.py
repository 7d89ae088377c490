"""The problems of one run of ``cplan solve``, each a job. Many jobs share one start, and the results come in the
problems' order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.job import OutputOptions, SolveJob, build_request
from commonsense_planning.cli.options import STANDARD
from commonsense_planning.cli.outcome import (
    Trace,
    plan_comments,
    print_briefly,
    print_outcome,
    print_plan,
    where_the_plan_is,
)
from commonsense_planning.cli.output import Narrator, Printer, complain, print_text, progress
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import (
    EXIT_INTERRUPTED,
    EXIT_SOLVED,
    EXIT_UNSOLVED,
    CplanError,
    InputError,
    Status,
    UsageError,
)
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Event, Request, Solution
from commonsense_planning.methods.observer import Observer
from commonsense_planning.methods.provenance import note_in_recording, provenance
from commonsense_planning.methods.registry import solve
from commonsense_planning.methods.result import Result, ResultView, judge, unjudged
from commonsense_planning.pddl.plan import parse_plan, render_plan, write_plan
from commonsense_planning.support.interrupts import held


def solve_and_print(request: Request, wanted: OutputOptions, printer: Printer) -> Result:
    """Solves one task, has the plan validated, and reports the outcome. Events are reported and traced as they
    happen."""
    problem, method = request.task.problem, request.method
    if not wanted.quiet:
        printer.line(f"{problem.problem_name} of {problem.domain_name}, method {method.name}: {method.summary}")
        if request.task.drawn is not None:
            printer.line(request.task.world_in_words(request.seed))
    outcome = solve_and_validate(request, wanted, printer)
    if not wanted.quiet:
        print_plan(printer, outcome)
    print_outcome(printer, outcome)
    if wanted.plan_file not in (None, STANDARD):
        printer.line(where_the_plan_is(outcome, wanted.plan_file))
    if wanted.trace_file not in (None, STANDARD):
        printer.line(f"trace written to {wanted.trace_file}")
    return outcome


def solve_and_validate(request: Request, wanted: OutputOptions, printer: Printer) -> Result:
    """Solves, validates, and writes the plan; an interrupt of the validators leaves a plan that is not validated."""
    narrator, events = Narrator(printer, wanted.quiet), list[Event]()
    recorder = None
    if wanted.trace_file is not None:
        from commonsense_planning.view.recorder import Recorder  # with all that plans under partial observability

        recorder = Recorder(request.task, request.method, request.models, wanted.trace_search)
    observer = recorder or Observer()
    made = {} if wanted.trace_file is None else provenance(request)
    with Trace(wanted.trace_file, made) as trace:

        def emit(event: Event) -> None:
            with held():
                trace.emit(observer.completed(event))
                events.append(event)
            narrator.tell(event)

        with progress(printer, wanted.quiet) as report:
            solution = _solved(replace(request, emit=emit, report=report, observer=observer), events)
            try:
                with held():  # an interrupt must find the plan reported completely or not at all
                    for event in recorder.plan(request, solution) if recorder is not None else ():
                        trace.emit(event)
                report("validating", 0, None)
                outcome = judge(request, solution, wanted.everyone)
            except KeyboardInterrupt:
                waited = replace(solution, reason="interrupted during validation")
                outcome = replace(unjudged(request, waited), status=Status.INTERRUPTED)
            prompts = next((event["prompts"] for event in reversed(events) if "prompts" in event), "")
            outcome = replace(outcome, prompts=prompts, needs_model=wanted.model)
            _keep_plan(outcome, wanted)
        trace.emit({"event": "validated", **outcome.view(ResultView.TRACE)})
    if request.models.config.recorded is not None:
        note_in_recording(request.models.config.recorded, provenance(request))
    return outcome


def _solved(request: Request, events: Sequence[Event]) -> Solution:
    """Solves the task; after an interrupt that no episode caught, the steps reported so far are kept."""
    try:
        return solve(request)
    except KeyboardInterrupt:
        steps = [event for event in events if event["event"] == "step"]
        plan = parse_plan("\n".join(event["action"] for event in steps), Path("trace"))
        whole = [event["step"] for event in steps] == [*range(1, len(steps) + 1)]  # not where a search went back
        kept = plan if steps and whole else None
        return Solution(Status.INTERRUPTED, kept, "interrupted", reported=kept is not None)


def _keep_plan(outcome: Result, wanted: OutputOptions) -> None:
    """Writes the plan, or the steps so far, if requested."""
    plan, total_cost = outcome.solution.plan, outcome.request.task.problem.total_cost
    if plan is None or wanted.plan_file is None:
        return
    with held():
        if wanted.plan_file == STANDARD:
            print_text(render_plan(plan, total_cost, plan_comments(outcome)))
        else:
            write_plan(plan, wanted.plan_file, total_cost, plan_comments(outcome))


@dataclass(frozen=True)
class JobEnd:
    """How a problem ended: its exit code, its JSON object, and its output from another process."""

    code: int
    row: dict[str, Any]
    out: str = ""
    err: str = ""
    interrupted: bool = False


def solve_many(
    first: SolveJob, problems: Sequence[Path], episodes: int, models: ModelSession, workers: int, printer: Printer
) -> int:
    """Solves all ``problems`` with the job's options, ``workers`` at a time and ``episodes`` times each, with
    consecutive seeds; returns the highest exit code.

    An interrupt keeps what was printed. Raises UsageError for options that only a single problem allows, and InputError
    if there is no folder for the plans or traces.
    """
    jobs = [_job_of(first, problem, episode, episodes) for problem in problems for episode in range(episodes)]
    jobs = [jobs[0], *(replace(job, told=(job.domain,)) for job in jobs[1:])]
    _check_names(first, problems)
    limits = models.limits
    if workers > 1 and (limits.max_calls, limits.max_tokens, limits.max_usd) != (None, None, None):
        raise UsageError("--max-calls, --max-tokens and --max-usd apply to all problems together, and need --jobs 1")
    if workers > 1 and (models.config.recorded or models.config.cache):
        raise UsageError("--record and --cache write one file, and need --jobs 1")
    worst, rows = EXIT_SOLVED, list[dict[str, Any]]()
    for ended in _here(jobs, models, printer) if workers == 1 else _elsewhere(jobs, models, workers):
        click.echo(ended.out, nl=False)
        click.echo(ended.err, nl=False, err=True)
        if first.wanted.as_json:
            click.echo(json.dumps(ended.row))
        worst = max(worst, ended.code)
        rows.append(ended.row)
        if ended.interrupted:
            worst = EXIT_INTERRUPTED
            break
    printer.line(_summary(rows, len(jobs), episodes), "bold")
    return worst


def _summary(rows: Sequence[Mapping[str, Any]], jobs: int, episodes: int) -> str:
    """The number solved; for episodes with the 95 % interval, and the mean cost or length of the solved ones."""
    solved = [row for row in rows if row["status"] == Status.SOLVED]
    if episodes == 1:
        return f"{len(solved)} of {jobs} problems solved"
    from commonsense_planning.support.statistics import mean, rate, with_error

    share = rate(len(solved), len(rows))
    said = f"{len(solved)} of {len(rows)} episodes solved: {share.value:.2f} [{share.low:.2f}, {share.high:.2f}]"
    costs = [row["steps"] if row["cost"] is None else row["cost"] for row in solved]
    said += f"; cost {with_error(mean(costs), 1)} where solved" if costs else ""
    rewards = [row["reward"] for row in rows if "reward" in row]
    return f"{said}; reward {with_error(mean(rewards), 1)}" if rewards else said


def _job_of(first: SolveJob, problem: Path, episode: int, episodes: int) -> SolveJob:
    seed, wanted = first.seed + episode, first.wanted
    name = problem.stem if episodes == 1 else f"{problem.stem}-{seed}"
    plan = wanted.plan_file and wanted.plan_file / f"{name}.plan"
    trace = wanted.trace_file and wanted.trace_file / f"{name}.jsonl"
    return replace(first, problem=problem, seed=seed, wanted=replace(wanted, plan_file=plan, trace_file=trace))


def _check_names(first: SolveJob, problems: Sequence[Path]) -> None:
    for folder, option in ((first.wanted.plan_file, "--plan"), (first.wanted.trace_file, "--trace")):
        if folder is None:
            continue
        if not folder.is_dir():
            raise InputError(f"{folder}: with several problems, {option} must name an existing folder")
        twice = [name for name, count in Counter(problem.stem for problem in problems).items() if count > 1]
        if twice:
            raise UsageError(f"{option}: several problems are called {twice[0]}, so their files would collide")


def _here(jobs: Sequence[SolveJob], models: ModelSession, printer: Printer) -> Iterator[JobEnd]:
    from commonsense_planning.llm.model import Usage

    for job in jobs:
        models.usage = Usage()  # the budget is shared, the count is not
        yield _attempt(job, models, printer)


def _attempt(job: SolveJob, models: ModelSession, printer: Printer) -> JobEnd:
    """Solves one problem; an error in it is reported and does not stop the others."""
    quiet = job.wanted.quiet
    if not quiet:
        printer.line(str(job.problem), "bold")
    row: dict[str, Any] = {"file": str(job.problem)}
    try:
        with build_request(job, models, printer) as request:
            if quiet:
                outcome = solve_and_validate(request, job.wanted, printer)
                print_briefly(printer, outcome, f"{job.problem}, seed {job.seed}")
            else:
                outcome = solve_and_print(request, job.wanted, printer)
    except CplanError as error:
        complain(error.line)
        return JobEnd(error.exit_code, {**row, **error.as_json()})
    stopped = outcome.solution.interrupted
    return JobEnd(outcome.exit_code, {**row, **outcome.view()}, interrupted=stopped)


def _elsewhere(jobs: Sequence[SolveJob], models: ModelSession, workers: int) -> Iterator[JobEnd]:
    """Solves the problems in processes; one that kills its process does not stop the others."""
    from commonsense_planning.support.pool import completed, in_order  # with all that speaks with processes

    work = partial(_work, model=models.config, limits=models.limits)
    ends = completed(work, jobs, workers)
    return in_order((number, ended or _died(jobs[number])) for number, ended in ends)


def _died(job: SolveJob) -> JobEnd:
    from commonsense_planning.support.pool import DIED

    row = {"file": str(job.problem), "status": None, "reason": DIED}
    return JobEnd(EXIT_UNSOLVED, row, err=f"cplan: {job.problem}: {DIED}\n")


def _work(job: SolveJob, model: ModelConfig, limits: BudgetConfig) -> JobEnd:
    """Solves one problem in a worker process; its output comes back with the result."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), ModelSession(model, limits) as models:
        ended = _attempt(job, models, Printer(job.wanted.as_json))
    return replace(ended, out=out.getvalue(), err=err.getvalue())
