"""``cplan ground``: how large a task is, and how long reading and grounding take."""

from __future__ import annotations

import time
from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, domain_argument, json_option, problem_argument
from commonsense_planning.errors import EXIT_SOLVED

EPILOG = """\b
Examples:
  cplan ground domain.pddl problem.pddl
  cplan ground domain.pddl problem.pddl --sensors sensors.pddl --json
"""


@click.command(name="ground", short_help="Count a task's operators and facts.", epilog=EPILOG)
@domain_argument
@problem_argument
@click.option("--sensors", type=FILE, help="Ground it for an agent that sees no more than this.")
@json_option
def command(domain: Path, problem: Path, sensors: Path | None, as_json: bool) -> int:
    """Count a task's reachable operators and facts."""
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.grounding.grounding import ground
    from commonsense_planning.grounding.partial_observability import ground_pomdp
    from commonsense_planning.pddl.reader import read_problem
    from commonsense_planning.pddl.sensors import read_sensors

    started = time.perf_counter()
    task = read_problem(domain, problem)
    seen = read_sensors(sensors, task) if sensors else None
    read = time.perf_counter()
    if seen is None:
        grounded, hidden = ground(task), 0
    else:
        grounded, hidden_part = ground_pomdp(task, seen)
        hidden = int(hidden_part.hidden.sum())
    done = time.perf_counter()
    found = {
        "domain": task.domain_name,
        "problem": task.problem_name,
        "operators": grounded.operator_count,
        "facts": grounded.fact_count,
        "hidden": hidden,
        "seconds_read": round(read - started, 3),
        "seconds_ground": round(done - read, 3),
    }
    printer = Printer(as_json)
    printer.rows((name.replace("_", " "), str(value)) for name, value in found.items())
    if as_json:
        print_json(found)
    return EXIT_SOLVED
