"""``cplan validate``: what three validators say about a plan."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, domain_argument, json_option, problem_argument
from commonsense_planning.errors import EXIT_MISSING, EXIT_SOLVED, EXIT_UNSOLVED

EPILOG = """\b
Example:
  cplan validate domain.pddl problem.pddl plan.txt

\b
A plan is valid if at least one validator accepts it and none objects. Exit code 0 valid,
1 invalid or the validators disagree, 3 if no validator could say anything.
"""


@click.command(name="validate", short_help="Have a plan checked by three validators.", epilog=EPILOG)
@domain_argument
@problem_argument
@click.argument("plan", type=FILE)
@json_option
def command(domain: Path, problem: Path, plan: Path, as_json: bool) -> int:
    """Have a plan checked by VAL, by unified-planning's validator, and by a replay."""
    from commonsense_planning.cli.outcome import verdicts
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.cli.reports import STYLES, print_validation
    from commonsense_planning.pddl.plan import read_plan
    from commonsense_planning.pddl.reader import read_problem
    from commonsense_planning.pddl.validate import validate
    from commonsense_planning.pddl.verdict import Verdict

    task = read_problem(domain, problem)
    steps = read_plan(plan)
    validation = validate(task, steps)
    verdict = validation.verdict
    printer = Printer(as_json)
    printer.line(f"{verdict}: {plan}, {len(steps)} steps", STYLES[verdict])
    print_validation(printer, validation)
    if as_json:
        print_json(
            {
                "verdict": str(verdict),
                "disagreement": validation.disagreement,
                "steps": len(steps),
                "validators": verdicts(validation),
                "reports": [asdict(report) for report in validation.reports],
            }
        )
    return {
        Verdict.VALID: EXIT_SOLVED,
        Verdict.INVALID: EXIT_UNSOLVED,
        Verdict.UNAVAILABLE: EXIT_MISSING,
    }[verdict]
