"""``cplan solve``: find a plan, or act step by step, and have the result validated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_planning.cli.options import FILE, domain_argument, json_option, problem_argument, sensors_option
from commonsense_planning.config import RolloutKind, SearchConfig

if TYPE_CHECKING:
    from commonsense_planning.cli.outcome import Outcome
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.methods import Request, Solution

EPILOG = """\b
Examples:
  cplan solve domain.pddl problem.pddl
  cplan solve domain.pddl problem.pddl --method fast-downward --plan plan.txt
  cplan solve domain.pddl problem.pddl --method uct --simulations 500 --seed 3
  cplan solve domain.pddl problem.pddl --trace trace.jsonl --json --quiet

\b
What is hidden is said in sensors.pddl beside the domain; without one, everything is known.
cplan methods lists the methods. Equal seeds give equal plans and traces.
"""

DEFAULTS = SearchConfig()


@click.command(name="solve", epilog=EPILOG)
@domain_argument
@problem_argument
@click.option("--method", default="llm-mcts", show_default=True, help="How to solve it; cplan methods lists them.")
@click.option("--model", default="embedded", show_default=True, help="Who answers the questions of common sense.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all random choices.")
@click.option("--timeout", "seconds", type=click.FloatRange(min=0, min_open=True), help="Wall-clock limit, in seconds.")
@click.option("--simulations", default=DEFAULTS.simulations, show_default=True, help="Simulations per decision.")
@click.option("--depth", default=DEFAULTS.depth, show_default=True, help="Actions that a simulation looks ahead.")
@click.option("--discount", default=DEFAULTS.discount, show_default=True, help="Of later rewards.")
@click.option("--exploration", default=DEFAULTS.exploration, show_default=True, help="The weight c of PUCT's second term.")
@click.option("--lambda", "mixing", default=DEFAULTS.mixing, show_default=True, help="Uniform share of the policy.")
@click.option("--max-steps", default=DEFAULTS.max_steps, show_default=True, help="Real actions before giving up.")
@click.option(
    "--rollout", type=click.Choice([str(kind) for kind in RolloutKind]), help="How a new node is judged [default: the method's]."
)
@click.option("--policy-samples", default=DEFAULTS.policy_samples, show_default=True, help="Answers per action question.")
@click.option("--prior-samples", default=DEFAULTS.prior_samples, show_default=True, help="Answers per placement question.")
@sensors_option
@click.option("--lexicon", type=FILE, help="How things are called [default: lexicon.toml beside the domain, if it is there].")
@click.option("--plan", "plan_file", type=FILE, help="Write the plan to this file.")
@click.option("--trace", "trace_file", type=FILE, help="Write what happens to this file, a JSON object a line.")
@click.option("--quiet", is_flag=True, help="Print the outcome only.")
@json_option
def command(
    domain: Path,
    problem: Path,
    method: str,
    model: str,
    seed: int,
    seconds: float | None,
    rollout: str | None,
    sensors: Path | None,
    lexicon: Path | None,
    plan_file: Path | None,
    trace_file: Path | None,
    quiet: bool,
    as_json: bool,
    **numbers: Any,
) -> int:
    """Solve a planning task, step by step where the world is seen only in part.

    The plan is checked by three independent validators: VAL, unified-planning's, and a replay. It is called solved only
    if one accepts it and none objects.
    """
    from commonsense_planning.cli.display import Narrator, progress
    from commonsense_planning.cli.outcome import judge, verdicts
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.cli.trace import Trace
    from commonsense_planning.methods import Request, method_named
    from commonsense_planning.pack import read_task
    from commonsense_planning.pddl.plan import write_plan

    chosen = method_named(method)
    config = SearchConfig(**numbers)
    task = read_task(domain, problem, sensors, lexicon)
    printer = Printer(as_json)
    narrator = Narrator(printer, quiet)
    if not quiet:
        printer.line(f"{task.problem.problem_name} of {task.problem.domain_name}, method {chosen.name}: {chosen.summary}")
    with Trace(trace_file) as trace:

        def emit(event: dict[str, Any]) -> None:
            trace.emit(event)
            narrator.tell(event)

        with progress(printer, quiet, {"simulations": config.simulations}) as report:
            kind = RolloutKind(rollout) if rollout else None
            request = Request(task, chosen, model, config, kind, seed, seconds, emit, report)
            solution = _solve(request)
        outcome = judge(request, solution)
        trace.emit({"event": "validated", "status": str(outcome.status), "validators": verdicts(outcome.validation)})
    if solution.plan is not None and plan_file is not None:
        write_plan(solution.plan, plan_file, task.problem.total_cost)
    _print(printer, outcome, quiet, plan_file, trace_file)
    if as_json:
        print_json(outcome.as_json())
    return outcome.status.exit_code


def _solve(request: Request) -> Solution:
    """Solve; an interrupt that no episode caught leaves nothing but the outcome."""
    from commonsense_planning.methods import Solution, solve
    from commonsense_planning.search.result import Status

    try:
        return solve(request)
    except KeyboardInterrupt:
        return Solution(Status.INTERRUPTED, None, 0.0, "interrupted")


def _print(printer: Printer, outcome: Outcome, quiet: bool, plan_file: Path | None, trace_file: Path | None) -> None:
    from commonsense_planning.cli.reports import print_validation
    from commonsense_planning.search.result import Status

    request, solution, status = outcome.request, outcome.solution, outcome.status
    plan = solution.plan
    stepwise = request.method.kind in ("mcts", "replan")
    if plan is not None and not stepwise and not quiet:
        for number, step in enumerate(plan, start=1):
            printer.line(f"step {number:>2}  {step}")
    length = "no plan" if plan is None else f"{len(plan)} step{'' if len(plan) == 1 else 's'}"
    done = "" if status in (Status.SOLVED, Status.INVALID, Status.UNVALIDATED) or plan is None else " carried out"
    reason = f": {solution.reason}" if solution.reason else ""
    style = "bold green" if status is Status.SOLVED else "bold red"
    printer.line(f"{status}{reason}", style)
    size = f"{solution.operators} operators, {solution.facts} facts" if solution.operators else ""
    cost = f", cost {plan.cost:g}" if plan is not None and plan.cost is not None and request.task.problem.total_cost else ""
    rows = [("plan", f"{length}{done}{cost}, {solution.seconds:.1f} s")]
    rows.append(("method", " ".join(filter(None, (request.method.name, solution.version and f"({solution.version})")))))
    if size and not stepwise:
        rows.append(("task", size))
    rows.append(("model", _model(solution)))
    printer.rows(rows, "  ")
    print_validation(printer, outcome.validation)
    if status is Status.UNVALIDATED:
        printer.line("A plan was found, but no validator could check it. cplan doctor says what is missing.", "red")
    if request.method.observable and request.task.sensors is not None:
        printer.line(f"{request.method.name} was given the true world: it had nothing to find out.")
    if plan_file is not None:
        unfinished = "" if status is Status.SOLVED else ", which do not solve the task"
        kept = f"the {length}{unfinished}, are in" if unfinished else "the plan is in"
        printer.line(f"{kept} {plan_file}" if plan is not None else f"nothing was written to {plan_file}")
    if trace_file is not None:
        printer.line(f"the trace is in {trace_file}")


def _model(solution: Solution) -> str:
    if not solution.model:
        return "none was asked"
    return f"{solution.model}: {solution.model_note}; {solution.calls} questions"
