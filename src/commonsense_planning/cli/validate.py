"""``cplan validate``: the verdicts of three validators on a plan."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.config import TOLERANCE
from commonsense_planning.errors import EXIT_MISSING, EXIT_SOLVED, EXIT_UNSOLVED, UsageError
from commonsense_planning.support.english import counted
from commonsense_planning.support.registry import plug_in, plug_ins

if TYPE_CHECKING:
    from commonsense_planning.validation.verdict import Validator

VALIDATORS = "commonsense_planning.validators"
"""The group of entry points whose objects are validators (``validation/verdict.py``)."""

EPILOG = """\b
Examples:
  cplan validate household:demo plan.txt
  cplan validate domain.pddl problem.pddl plan.txt
  cplan solve household:demo --plan - | cplan validate household:demo -

\b
A plan is valid if VAL or unified-planning's validator accepts it and none rejects it. Exit code 0: valid;
1: invalid, or the validators disagree; 3: neither of these two gave a verdict. A plan with a step
that is not an action of the task is invalid; only the replay is asked then.

\b
A plan file has actions in brackets, or is a listing of FF, Fast Downward, ENHSP, unified-planning or
Markdown. Actions with the same time follow each other as in the file.

\b
VAL and unified-planning's validator get 60 s each; one that takes longer counts as unavailable,
which is not a rejection.
"""

OTHERS = tuple(plug_ins(VALIDATORS))


@click.command(name="validate", short_help="Have a plan checked by three validators.", epilog=EPILOG)
@task_arguments("plan")
@click.option("--with", "another", hidden=not OTHERS, help=f"Another validator: {', '.join(OTHERS)}.")
@click.option("--graph", type=FILE, hidden=not OTHERS, help="The file of the world that the other validator knows.")
@click.option("--tolerance", default=TOLERANCE, show_default=True, help="VAL's tolerance of times, in time units.")
@json_option
def command(
    domain: Path,
    problem: Path,
    plan: Path,
    strict: bool,
    another: str | None,
    graph: Path | None,
    tolerance: float,
    as_json: bool,
) -> int:
    """Have a plan checked by VAL, by unified-planning's validator, and by a replay."""
    from commonsense_planning.cli.outcome import STYLES, print_validation
    from commonsense_planning.cli.output import Printer, print_json, tell_warnings
    from commonsense_planning.pddl.foreign import read_any
    from commonsense_planning.pddl.plan import read_plan
    from commonsense_planning.validation.validate import DEFAULT_TIMEOUT, validate
    from commonsense_planning.validation.verdict import Validation, Verdict, what_valid_means

    validator: Validator | None = None if another is None else plug_in(VALIDATORS, another, f"--with {another}")
    if (another is None) != (graph is None):
        raise UsageError("--with and --graph go together")
    task = read_any(domain, problem, strict=strict)
    tell_warnings(task.warnings)
    steps = replace(read_plan(plan), tolerance=tolerance)
    opinion = None
    if validator is not None and graph is not None:
        opinion = validator.validate(task, steps, graph, DEFAULT_TIMEOUT)
    validation = validate(task, steps, everyone=True)
    if opinion is not None:
        validation = Validation((*validation.reports, opinion.report))
    verdict = validation.verdict
    printer = Printer(as_json)
    printer.line(f"{verdict.worded(task)}: {plan}, {counted(len(steps), 'step')}", STYLES[verdict])
    print_validation(printer, validation, task)
    if as_json:
        print_json(
            {
                "verdict": str(verdict),
                **what_valid_means(task),
                "disagreement": validation.disagreement,
                "steps": len(steps),
                "validators": validation.verdicts,
                "reports": [asdict(report) for report in validation.reports],
                **task.warnings_as_json(),
                **({} if opinion is None else {str(another): dict(opinion.details)}),
            }
        )
    return {Verdict.VALID: EXIT_SOLVED, Verdict.INVALID: EXIT_UNSOLVED, Verdict.UNAVAILABLE: EXIT_MISSING}[verdict]
