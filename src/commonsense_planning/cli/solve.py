"""``cplan solve``: find a plan, or act step by step, and have the result validated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commonsense_planning.cli.climb_options import climb_options, take_climb
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import (
    FILE,
    domain_argument,
    json_option,
    problem_argument,
    sensors_option,
)
from commonsense_planning.config import Choice, RolloutKind, SearchConfig
from commonsense_planning.errors import EXIT_SOLVED, InputError

KINDS = [str(kind) for kind in RolloutKind]
CHOICES = [str(choice) for choice in Choice]

Function = TypeVar("Function", bound=Callable[..., Any])

if TYPE_CHECKING:
    from commonsense_planning.cli.outcome import Outcome
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.methods.registry import Request, Solution

EPILOG = """\b
Examples:
  cplan solve domain.pddl problem.pddl
  cplan solve domain.pddl problem.pddl --method fast-downward --plan plan.txt
  cplan solve domain.pddl problem.pddl --method uct --simulations 500 --seed 3
  cplan solve domain.pddl problem.pddl --instruction "put two apples in the fridge"
  cplan solve domain.pddl problem.pddl --method llm-hill-climb --description "make toast" --guide low
  cplan solve domain.pddl problem.pddl --method learned-policy --weights policy
  cplan solve pddl/flights/domain.pddl problem.pddl --method llm-model --breadth 30
  cplan solve domain.pddl problem.pddl --trace trace.jsonl --json --quiet
  cplan solve domain.pddl problem.pddl --model openai:gpt-4o-mini --max-usd 0.50 --record run.jsonl
  cplan solve domain.pddl problem.pddl --model openai:gpt-4o-mini --replay run.jsonl
  cplan solve domain.pddl problem.pddl --model openai:llama3 --base-url http://localhost:11434/v1

\b
What is hidden is said in sensors.pddl beside the domain; without one, everything is known.
cplan methods lists the methods. Equal seeds give equal plans and traces.
"""


def _number(option: str, name: str, text: str) -> Callable[[Function], Function]:
    """An option for a number of SearchConfig, with its default."""
    return click.option(option, name, default=getattr(SearchConfig(), name), show_default=True, help=text)


@click.command(
    name="solve", cls=AskingCommand, short_help="Solve a task and have the plan validated.", epilog=EPILOG
)
@domain_argument
@problem_argument
@click.option("--method", default="llm-mcts", show_default=True, help="How to solve it; see cplan methods.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of random choices.")
@click.option(
    "--timeout",
    "--max-seconds",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Limit in seconds; the steps so far are kept.",
)
@_number("--simulations", "simulations", "Simulations per decision.")
@_number("--depth", "depth", "Actions that a simulation looks ahead.")
@_number("--discount", "discount", "Of later rewards.")
@_number("--exploration", "exploration", "The constant c of PUCT.")
@_number("--lambda", "mixing", "Share of the uniform policy, mixed with the model's.")
@click.option("--max-steps", type=int, help="Actions at most [default: 30; llm-hill-climb: 20, llm-model: 6].")
@click.option("--rollout", type=click.Choice(KINDS), help="How a new node is judged [default: the method's].")
@click.option("--no-reuse", "reuse", flag_value=False, default=True, help="Begin each decision with an empty tree.")
@click.option("--choose", type=click.Choice(CHOICES), help="What picks the action [default: the method's].")
@_number("--breadth", "breadth", "Ways from a place that llm-model takes of the model.")
@click.option("--both-ends", is_flag=True, help="llm-model asks about the destination too; ways lead back.")
@climb_options
@click.option("--weights", type=FILE, help="The folder of a policy that cplan train-policy trained.")
@model_options
@sensors_option
@click.option("--lexicon", type=FILE, help="How things are called [default: lexicon.toml beside the domain].")
@click.option("--instruction", metavar="TEXT", help="What to do, in English, in place of the problem's goal.")
@click.option("--save-problem", type=FILE, help="Keep the problem with the instruction's goal in this file.")
@click.option("--dry-run", is_flag=True, help="Estimate calls, tokens and money; ask nobody.")
@click.option("--world", type=FILE, help="True world of a contingent problem; drawn and written if missing.")
@click.option("--plan", "plan_file", type=FILE, help="Write the plan to this file.")
@click.option("--trace", "trace_file", type=FILE, help="Write what happens to this file, as JSON lines.")
@click.option(
    "--validate",
    "validators",
    type=click.Choice(["val", "all"]),
    default="val",
    show_default=True,
    help="all: have unified-planning's validator check the plan in any case.",
)
@click.option("--quiet", is_flag=True, help="Print the outcome only.")
@json_option
def command(
    domain: Path,
    problem: Path,
    method: str,
    seed: int,
    seconds: float | None,
    rollout: str | None,
    choose: str | None,
    weights: Path | None,
    sensors: Path | None,
    lexicon: Path | None,
    instruction: str | None,
    save_problem: Path | None,
    dry_run: bool,
    world: Path | None,
    plan_file: Path | None,
    trace_file: Path | None,
    validators: str,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Solve a planning task, step by step where the world is seen only in part.

    The plan is checked by independent validators: VAL and a replay, and unified-planning's where VAL says
    nothing. The task is called solved only if VAL or unified-planning's accepts it and none objects.
    """
    from commonsense_planning.cli.instruction import instructed
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.cli.reports import print_outcome, print_plan, where_the_plan_is
    from commonsense_planning.llm.opening import Models
    from commonsense_planning.methods.registry import Request, method_named
    from commonsense_planning.methods.task import read_task
    from commonsense_planning.pddl.plan import write_plan

    chosen = method_named(method)
    description, climb = take_climb(values)
    values["max_steps"] = chosen.max_steps if values["max_steps"] is None else values["max_steps"]
    model, limits, samples = take_model(values)
    models = Models(model, limits)
    config = SearchConfig(**values, **samples)
    for path, what in ((plan_file, "plan"), (save_problem, "problem")):
        if path is not None and not path.parent.is_dir():
            raise InputError(f"{path}: cannot write the {what}: there is no folder {path.parent}")
    printer = Printer(as_json)
    with instructed(instruction, domain, problem, world, lexicon, models, seed, save_problem, printer) as files:
        task = read_task(domain, files.problem, sensors, lexicon, files.world, seed)
        request = Request(
            task,
            chosen,
            models,
            config,
            RolloutKind(rollout) if rollout else None,
            Choice(choose) if choose else None,
            seed,
            seconds,
            instruction or "",
            description,
            climb,
            weights,
        )
        if dry_run:
            from commonsense_planning.cli.dry_run import show_estimate

            show_estimate(request, printer, as_json)
            return EXIT_SOLVED
        if not quiet:
            names = f"{task.problem.problem_name} of {task.problem.domain_name}"
            printer.line(f"{names}, method {chosen.name}: {chosen.summary}")
        outcome = _run(request, printer, quiet, trace_file, validators == "all")
    solution = outcome.solution
    if solution.plan is not None and plan_file is not None:
        write_plan(solution.plan, plan_file, task.problem.total_cost)
    if not quiet:
        print_plan(printer, outcome)
    print_outcome(printer, outcome)
    if plan_file is not None:
        printer.line(where_the_plan_is(outcome, plan_file))
    if trace_file is not None:
        printer.line(f"the trace is in {trace_file}")
    if as_json:
        print_json(outcome.as_json())
    return outcome.status.exit_code


def _run(
    request: Request, printer: Printer, quiet: bool, trace_file: Path | None, everyone: bool
) -> Outcome:
    """Solve and validate; what happens is told and traced as it happens."""
    from commonsense_planning.cli.display import Narrator, progress
    from commonsense_planning.cli.outcome import judge, verdicts
    from commonsense_planning.cli.trace import Trace

    narrator = Narrator(printer, quiet)
    with Trace(trace_file) as trace:

        def emit(event: dict[str, Any]) -> None:
            trace.emit(event)
            narrator.tell(event)

        with progress(printer, quiet, {"simulations": request.config.simulations}) as report:
            solution = _solve(replace(request, emit=emit, report=report))
            report("asking the validators", 0)
            outcome = judge(request, solution, everyone)
        said = verdicts(outcome.validation)
        trace.emit({"event": "validated", "status": str(outcome.status), "validators": said})
    return outcome


def _solve(request: Request) -> Solution:
    """Solve; an interrupt that no episode caught leaves nothing but the outcome."""
    from commonsense_planning.methods.registry import Solution, solve
    from commonsense_planning.search.result import Status

    try:
        return solve(request)
    except KeyboardInterrupt:
        return Solution(Status.INTERRUPTED, None, 0.0, "interrupted")
