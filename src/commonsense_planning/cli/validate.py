"""``cplan validate``: what three validators say about a plan."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_planning.cli.options import FILE, domain_argument, json_option, problem_argument
from commonsense_planning.errors import EXIT_MISSING, EXIT_SOLVED, EXIT_UNSOLVED, InputError, UsageError

if TYPE_CHECKING:
    from commonsense_planning.pddl.plan import Plan
    from commonsense_planning.pddl.problem import Problem
    from commonsense_planning.studies.virtualhome.virtualhome_judge import Judgement

EPILOG = """\b
Example:
  cplan validate domain.pddl problem.pddl plan.txt
  cplan validate domain.pddl problem.pddl plan.txt --with virtualhome --graph graph.json

\b
A plan is valid if VAL or unified-planning's validator accepts it and none objects. Exit code 0
valid, 1 invalid or the validators disagree, 3 if neither of these two could say anything.

\b
VAL and unified-planning's validator get 60 s each; a validator that takes longer is unavailable,
which is no objection.

\b
--with virtualhome asks VirtualHome's own executor, too: it carries the plan out as a script in
the graph that the problem was imported from, and compares what it records with the goal.
make virtualhome installs it.
"""


@click.command(name="validate", short_help="Have a plan checked by three validators.", epilog=EPILOG)
@domain_argument
@problem_argument
@click.argument("plan", type=FILE)
@click.option("--with", "another", type=click.Choice(["virtualhome"]), help="A fourth validator.")
@click.option("--graph", type=FILE, help="virtualhome: the environment graph that the problem was imported from.")
@json_option
def command(
    domain: Path, problem: Path, plan: Path, another: str | None, graph: Path | None, as_json: bool
) -> int:
    """Have a plan checked by VAL, by unified-planning's validator, and by a replay."""
    from commonsense_planning.cli.outcome import STYLES, print_validation, verdicts
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.pddl.plan import read_plan
    from commonsense_planning.pddl.reader import read_problem
    from commonsense_planning.validation.validate import validate
    from commonsense_planning.validation.verdict import Validation, Verdict

    if (another is None) != (graph is None):
        raise UsageError("--with virtualhome and --graph go together")
    task = read_problem(domain, problem)
    steps = read_plan(plan)
    judgement = None if graph is None else _ask_virtualhome(task, steps, graph)
    validation = validate(task, steps, everyone=True)
    if judgement is not None:
        validation = Validation((*validation.reports, judgement.report))
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
                **({} if judgement is None else {"virtualhome": _in_json(judgement)}),
            }
        )
    return {
        Verdict.VALID: EXIT_SOLVED,
        Verdict.INVALID: EXIT_UNSOLVED,
        Verdict.UNAVAILABLE: EXIT_MISSING,
    }[verdict]


def _ask_virtualhome(task: Problem, plan: Plan, graph: Path) -> Judgement:
    from commonsense_planning.studies.homes.scene_graph import load_graph
    from commonsense_planning.studies.virtualhome.virtualhome_judge import judge
    from commonsense_planning.validation.validate import DEFAULT_TIMEOUT

    scene = load_graph(graph)
    try:
        return judge(task, plan, scene, DEFAULT_TIMEOUT)
    except InputError as error:
        raise InputError(f"{graph}: {error}") from error


def _in_json(judgement: Judgement) -> dict[str, Any]:
    script = judgement.script
    return {
        "script": None if script is None else [line.text for line in script.lines],
        "left_out": [] if script is None else [str(step) for _, step in script.left_out],
        "compared": judgement.compared,
        "not_compared": list(judgement.not_compared),
    }
