"""``cplan solve``: find a plan, or act step by step, and have the result validated."""

from __future__ import annotations

import errno
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from commonsense_planning.cli.completion import methods
from commonsense_planning.cli.method_options import DEFAULT_METHOD, METHOD, MethodCommand, take_options
from commonsense_planning.cli.model_options import model_options, take_model
from commonsense_planning.cli.options import (
    OUT,
    STANDARD,
    count_option,
    json_option,
    max_memory_option,
    max_operators_option,
    require_model_option,
    seconds_option,
    seed_option,
    sensing_options,
)
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import EXIT_SOLVED, InputError, UsageError

if TYPE_CHECKING:
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.methods.method import Request

EPILOG = """\b
Examples:
  cplan solve household:demo
  cplan solve domain.pddl problem.pddl --method fast-downward --plan plan.txt
  cplan solve domain.pddl - --plan - < problem.pddl > plan.txt
  cplan solve household problems/*.pddl --method gbfs --jobs 2 --json --quiet
  cplan solve household:demo --method uct --simulations 500 --seed 3
  cplan solve household:demo --episodes 20 --jobs 2 --quiet
  cplan solve household:demo --instruction "put two apples in the fridge"
  cplan solve household:demo --trace trace.jsonl --trace-search
  cplan solve household:demo --model openai:gpt-4o-mini --max-usd 0.50
  cplan solve household:demo --model openai:gpt-4o-mini --record run.jsonl
  cplan solve household:demo --model openai:gpt-4o-mini --replay run.jsonl

Several problems, or episodes of one, share one start. With --json each gives one line of JSON, in their order; --plan
and --trace then name a folder, for PROBLEM.plan and PROBLEM.jsonl, or PROBLEM-SEED.plan. A problem that cannot be read
does not stop the others; limits in seconds are for each problem, those on calls, tokens and money are for all together.
The exit code is the highest of the problems' codes.

sensors.pddl beside the domain defines what is hidden; without it, everything is known. cplan methods lists the methods;
cplan solve --method METHOD --help shows the options of one method, such as --simulations of llm-mcts, before those
listed here. Equal seeds give equal plans and traces.
"""

USUAL = ("method", "seed", "seconds", "name", "max_usd", "instruction", "plan_file", "trace_file", "quiet", "as_json")
"""The parameters whose options ``--help`` shows."""
GROUPS = {
    "Task": ("strict", "sensors", "hide_rooms", "lexicon", "instruction", "save_problem", "world"),
    "Run": ("method", "seed", "jobs", "episodes", "dry_run", "validators", "require_model"),
    "Output": ("plan_file", "trace_file", "trace_search", "quiet", "as_json"),
    "Limits": ("seconds", "max_memory", "max_operators"),
}


@click.command(
    name="solve",
    cls=MethodCommand,
    short_help="Solve a task and have the plan validated.",
    epilog=EPILOG,
    usual=USUAL,
    groups=GROUPS,
)
@task_arguments(several=True)
@count_option("--jobs", 1, "Problems, or episodes, that run at the same time.")
@count_option("--episodes", 1, "Episodes, each with the next seed; prints the share solved, with its 95 % interval.")
@click.option(
    METHOD,
    default=DEFAULT_METHOD,
    show_default=True,
    shell_complete=methods,
    help="Method that solves the task; --method METHOD --help also shows its own options.",
)
@seed_option()
@seconds_option(
    *("--timeout", "--max-seconds", "seconds"),
    help="Limit in seconds for each problem, including reading and grounding; the steps so far are kept.",
)
@max_memory_option
@max_operators_option
@model_options
@sensing_options
@click.option("--instruction", metavar="TEXT", help="Goal in English, instead of the problem's goal.")
@click.option("--save-problem", type=OUT, help="Write the problem with the goal of --instruction to this file.")
@click.option("--dry-run", is_flag=True, help="Estimate calls, tokens and money without asking the model.")
@click.option("--world", type=OUT, help="True world of a contingent problem; if missing, one is drawn and written.")
@click.option("--plan", "plan_file", type=OUT, help="Write the plan to this file or folder; - is stdout.")
@click.option(
    "--trace", "trace_file", type=OUT, help="Write a trace, as JSON lines, to this file or folder; - is stdout."
)
@click.option("--trace-search", is_flag=True, help="Include search trees and the model's answers in the trace.")
@click.option(
    "--validate",
    "validators",
    type=click.Choice(["val", "all"]),
    default="val",
    show_default=True,
    help="val: ask unified-planning's validator only if VAL gives no verdict; all: ask it in any case.",
)
@click.option("--quiet", is_flag=True, help="Print only the outcome.")
@json_option
@require_model_option
def command(
    domain: Path,
    problems: tuple[Path, ...],
    jobs: int,
    episodes: int,
    method: str,
    hide_rooms: bool,
    save_problem: Path | None,
    dry_run: bool,
    world: Path | None,
    plan_file: Path | None,
    trace_file: Path | None,
    trace_search: bool,
    validators: str,
    quiet: bool,
    as_json: bool,
    require_model: bool,
    **values: Any,
) -> int:
    """Solve a planning task, step by step if the world is only partly observable.

    Independent validators check the plan: VAL and a replay, and unified-planning's validator if VAL gives no verdict.
    The task counts as solved only if VAL or unified-planning's validator accepts the plan and none rejects it.
    """
    from commonsense_planning.cli.job import OutputOptions, SolveJob, build_request
    from commonsense_planning.cli.jobs import solve_and_print, solve_many
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.methods.registry import method_named
    from commonsense_planning.task import hidden_rooms

    chosen = method_named(method)
    model, limits = take_model(values)
    options = take_options(chosen.Options, values)
    models = ModelSession(model, limits)
    for path, what in ((plan_file, "plan"), (save_problem, "problem")):
        if path is not None and not path.parent.is_dir():
            raise InputError(f"{path}: cannot write the {what}: there is no folder {path.parent}")
        if path is not None and not path.exists() and not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(f"{path}: cannot write the {what}: {os.strerror(errno.EACCES)}")
    if trace_search and trace_file is None:
        raise UsageError("--trace-search adds to the trace, and needs --trace FILE")
    wanted = OutputOptions(plan_file, trace_file, trace_search, quiet, as_json, validators == "all", require_model)
    if hide_rooms:
        values["sensors"] = hidden_rooms(domain, values["sensors"])
    unnamed = click.get_current_context().get_parameter_source("method") is ParameterSource.DEFAULT
    job = SolveJob(domain, problems[0], world, save_problem, method, options, wanted, **values, unnamed=unnamed)
    if [as_json, plan_file == STANDARD, trace_file == STANDARD].count(True) > 1:
        raise UsageError("only one of --json, --plan - and --trace - can use standard output")
    printer = Printer(as_json or STANDARD in (plan_file, trace_file))
    if len(problems) > 1 or episodes > 1:
        if dry_run or world is not None or save_problem is not None:
            raise UsageError("--dry-run, --world and --save-problem need a single problem and a single episode")
        with models:
            return solve_many(job, problems, episodes, models, jobs, printer)
    with models, build_request(job, models, printer) as request:
        if dry_run:
            _show_estimate(request, printer, as_json)
            return EXIT_SOLVED
        outcome = solve_and_print(request, wanted, printer)
    if as_json:
        print_json(outcome.view())
    return outcome.exit_code


def _show_estimate(request: Request, printer: Printer, as_json: bool) -> None:
    """Prints what a run would cost, without asking the model. Raises UsageError if there is nothing to estimate."""
    from commonsense_planning.cli.output import print_json

    found = request.method.estimate(request) if request.models.adapter.costs else None
    if found is None:
        raise UsageError("there is nothing to estimate: only a method that asks a model behind an endpoint costs money")
    limits, most = request.models.limits, request.models.config.answer_tokens
    rows = [
        ("calls", f"{found.calls[0]} to {found.calls[1]}", f"{found.placements} of them placement questions"),
        ("tokens of prompts", f"{found.prompt_tokens[0]} to {found.prompt_tokens[1]}", ""),
        ("tokens of answers", f"about {found.completion_tokens[0]} to {found.completion_tokens[1]}", ""),
        ("US dollars", "price not known" if found.usd is None else f"{found.usd[0]:.4f} to {found.usd[1]:.4f}", ""),
    ]
    printer.line(f"{request.method.name} with {request.models.config.name} would need")
    printer.rows(rows, "  ")
    printer.line("The lower numbers are for a short episode, the upper ones for the longest.")
    printer.line(f"Retries add to this, and so do the thoughts of a reasoning model, up to {most} tokens an answer.")
    if limits.max_calls is None and limits.max_tokens is None and limits.max_usd is None:
        printer.line("--max-calls, --max-tokens and --max-usd set limits.")
    if as_json:
        print_json(asdict(found))
