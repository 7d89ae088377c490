"""``cplan explain``: why a task has no plan, and which changes of its files would help."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import json_option, max_memory_option, seconds_option, seed_option
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.support.english import counted

EPILOG = """\b
Examples:
  cplan explain domain.pddl problem.pddl
  cplan explain domain.pddl problem.pddl --timeout 120
  cplan explain domain.pddl problem.pddl --json

\b
The answer begins with the causes: for each, the conditions from the goal to it. At most five changes
of the files follow, each with its place: a fact in :init, an effect, a condition less, an object, and last
a goal less. Each was tried: with it, greedy search finds a plan that no validator rejects, of the cost
shown. A change that makes a plan possible may still be wrong: what fits your world only you can know.

Only the true world is explained; sensors are not used. Exit code 0: there is a plan; 1: there is none;
4: the limit was reached before that was known.
"""


@click.command(name="explain", short_help="Say why a task has no plan, and what would help.", epilog=EPILOG)
@task_arguments()
@seed_option("Seed with which the world of a contingent problem is drawn.")
@seconds_option("--timeout", "--max-seconds", "seconds", help="Limit in seconds for all of it.", default=30.0)
@max_memory_option
@json_option
def command(domain: Path, problem: Path, strict: bool, seed: int, seconds: float, as_json: bool) -> int:
    """Say why a task has no plan, and try which changes of its files make one possible."""
    from commonsense_planning.cli.output import Printer, print_json, progress, tell_warnings
    from commonsense_planning.methods.explain import explain
    from commonsense_planning.pddl.plan import cost_text
    from commonsense_planning.task import read_task

    task = read_task(domain, problem, seed=seed, strict=strict)
    tell_warnings(task.problem.warnings)
    printer = Printer(as_json)
    with progress(printer, quiet=False) as report:
        found = explain(task, seconds, report)
    printer.line(f"{found.status}: {found.reason}", "bold")
    for number, lines in enumerate(found.chains, start=1):
        printer.line(f"cause {number}" if len(found.chains) > 1 else "the cause")
        for line in lines:
            printer.line(f"  {line}")
    if found.suggestions:
        printer.line(f"what would help ({counted(found.tried, 'change')} tried)")
        for suggestion in found.suggestions:
            plan = f"{counted(suggestion.steps, 'step')}, cost {cost_text(suggestion.cost)}"
            printer.line(f"  {'; '.join(suggestion.texts)}")
            printer.line(f"    a plan: {plan}", "green")
    elif found.tried:
        printer.line(f"{counted(found.tried, 'change')} tried, and none makes a plan possible")
    if found.late:
        printer.line(f"the {seconds:g} s were up before every change was tried (--timeout)", "yellow")
    if as_json:
        print_json({**found.as_json(), **task.problem.warnings_as_json()})
    return found.status.exit_code
