"""``cplan check`` finds errors in files and lists what they use; ``cplan ground`` gives the size of the grounded
task."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_planning.cli.options import (
    FILE,
    json_option,
    max_memory_option,
    max_operators_option,
    seconds_option,
    sensors_option,
)
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import (
    EXIT_BUDGET,
    EXIT_INPUT,
    EXIT_SOLVED,
    BudgetError,
    InputError,
    PddlError,
    PddlWarning,
    Status,
    UsageError,
)
from commonsense_planning.support.english import counted
from commonsense_planning.support.limits import within_seconds

if TYPE_CHECKING:
    from commonsense_planning.pddl.problem import Problem

DEEP_SECONDS = 60
TIMEOUT = "--timeout", "--max-seconds", "seconds"
_NO_PROBLEM = "(define (problem none) (:domain {domain}) (:init) (:goal (and)))"  # a domain alone is checked with it
_WORLDS = {Status.SOLVED: "has a plan", Status.UNSOLVABLE: "has no plan", Status.BUDGET: "may have a plan or none"}

CHECK_EPILOG = """\b
Examples:
  cplan check domain.pddl
  cplan check domain.pddl problems/*.pddl
  cplan check household:demo --deep

\b
Every error gives file:line:column, what is wrong and what was expected. sensors.pddl and
lexicon.toml beside the domain are checked too. A deviation from PDDL whose meaning is
clear, such as a missing blank, gives a warning that tells how it was read; with --strict it is an error.
A domain without a problem is checked with its own constants as the only objects.
"""

GROUND_EPILOG = """\b
Examples:
  cplan ground household:demo
  cplan ground domain.pddl problem.pddl
  cplan ground domain.pddl problem.pddl --sensors sensors.pddl --json
"""


@click.command(name="check", short_help="Check domain and problem files for errors.", epilog=CHECK_EPILOG)
@task_arguments(several=True, optional=True)
@sensors_option
@seconds_option(*TIMEOUT, help="Limit in seconds, for all files together.")
@click.option("--deep", is_flag=True, help="Also search for a plan in the true world, for at most a minute.")
@json_option
def check(
    domain: Path,
    problems: tuple[Path, ...],
    strict: bool,
    sensors: Path | None,
    seconds: float | None,
    deep: bool,
    as_json: bool,
) -> int:
    """Check a domain file, and problem files with it, for errors."""
    from commonsense_planning.cli.output import Printer, complain, print_json, tell_warnings

    if deep and not problems:
        raise UsageError("--deep searches for a plan, and needs a problem")
    printer = Printer(as_json)
    worst = EXIT_SOLVED
    errors: list[InputError] = []
    warnings: dict[PddlWarning, None] = {}  # each once, in order
    files = []
    late, path = "", None
    try:
        with within_seconds(seconds):
            for path in problems or (None,):
                try:
                    found, tolerated = (
                        _problem(domain, path, sensors, strict, deep) if path else _domain(domain, strict)
                    )
                except InputError as error:
                    warnings.update(dict.fromkeys(error.warnings if isinstance(error, PddlError) else ()))
                    known = {*map(str, errors)}  # a broken domain is one error, not one per problem
                    every = (error, *(error.others if isinstance(error, PddlError) else ()))
                    errors += [one for one in every if str(one) not in known]
                    continue
                files.append(found)
                warnings.update(dict.fromkeys(tolerated))
                counts = [(key.removesuffix("s"), value) for key, value in found.items() if isinstance(value, int)]
                words = ", ".join(counted(value, key) for key, value in counts)
                uses = f"; uses {', '.join(found['features'])}" if found.get("features") else ""
                printer.line(f"{found['file']}: fine: {words}{uses}{found['reason'] if 'needs' in found else ''}")
                if "true world" in found:
                    reason = f": {found['reason']}" if found["reason"] else ""
                    printer.line(f"{found['file']}: the true world {_WORLDS[found['true world']]}{reason}")
                    worst = max(worst, Status(found["true world"]).exit_code)
    except BudgetError as error:
        late = f"{path or domain}: not checked to its end: {error}"
    tell_warnings(warnings, harmless=True)
    for wrong in errors:
        complain(str(wrong))
    if late:
        complain(f"cplan: {late}")
    if as_json:
        print_json(
            {
                "ok": not errors and not late,
                "files": files,
                "warnings": [warning.as_json() for warning in warnings],
                "errors": [*map(_as_json, errors), *([{"message": late}] if late else [])],
            }
        )
    return EXIT_BUDGET if late else EXIT_INPUT if errors else worst


def _domain(path: Path, strict: bool) -> tuple[dict[str, Any], Iterable[PddlWarning]]:
    from commonsense_planning.pddl.check import check_domain, check_task
    from commonsense_planning.pddl.syntax import parse, read_source

    domain = check_domain(read_source(path, strict, "domain"))
    check_task(domain, parse(_NO_PROBLEM.format(domain=domain.symbol.text), path))
    return {"file": str(path), "name": domain.symbol.text, "actions": len(domain.actions)}, domain.source.warnings


def _problem(
    domain: Path, path: Path, sensors: Path | None, strict: bool, deep: bool
) -> tuple[dict[str, Any], Iterable[PddlWarning]]:
    from commonsense_planning.pddl.check_sensors import check_sensors
    from commonsense_planning.task import lexicons_of, read_task
    from commonsense_planning.wording.check_lexicon import check_lexicon

    task = read_task(domain, path, sensors, strict=strict)
    if task.needs:
        return _with_needs(task.problem, path), task.problem.warnings
    found = {
        "file": str(path),
        "name": task.problem.problem_name,
        "actions": len(task.problem.action_names),
        "objects": len(task.problem.tarski.language.constants()),
        "features": sorted(str(feature) for feature in task.problem.features),
    }
    task.check_costs()
    if deep:
        from commonsense_planning.methods.classical import in_the_true_world

        status, why = in_the_true_world(task, DEEP_SECONDS)
        found["reason"], found["true world"] = str(why), str(status)
    lexicons = lexicons_of(domain, path)
    warnings = (*task.problem.warnings, *check_lexicon(lexicons, task.lexicon, task.problem, task.sensors, strict))
    if task.sensors is None:
        return found, warnings
    found["hidden patterns"] = len(task.sensors.hidden)
    found["sensing rules"] = len(task.sensors.rules)
    return found, (*warnings, *check_sensors(task.sensors, task.problem, strict))


def _with_needs(problem: Problem, path: Path) -> dict[str, Any]:
    """What a task has that only other planners solve: its needs, and the engines that may solve it."""
    from commonsense_planning.planners.up_files import advice, engines

    reasons = engines(problem)
    able = [f"up:{name}" for name, why in reasons.items() if why is None]
    way = f"{', '.join(able)} can plan it" if able else advice(reasons)
    needs = [{"need": one.need, **_as_json(one)} for one in problem.needs]
    return {"file": str(path), "needs": needs, "planned by": able, "reason": f"{problem.beyond}; {way}"}


def _as_json(error: InputError) -> dict[str, Any]:
    if not isinstance(error, PddlError):
        return {"message": str(error)}
    place = error.place
    return {
        "file": str(place.path),
        "line": place.line,
        "column": place.column,
        "message": error.problem,
        "expected": error.expected,
        "hint": error.hint,
    }


@click.command(name="ground", short_help="Count a task's operators and facts.", epilog=GROUND_EPILOG)
@task_arguments()
@click.option("--sensors", type=FILE, help="Ground the task for an agent with these sensors.")
@seconds_option(*TIMEOUT, help="Limit in seconds.")
@max_memory_option
@max_operators_option
@json_option
def ground(
    domain: Path,
    problem: Path,
    strict: bool,
    sensors: Path | None,
    seconds: float | None,
    max_operators: int,
    as_json: bool,
) -> int:
    """Count a task's reachable operators and facts."""
    from commonsense_planning.cli.output import Printer, print_json, tell_warnings
    from commonsense_planning.grounding.grounding import ground
    from commonsense_planning.grounding.partial_observability import ground_pomdp
    from commonsense_planning.pddl.reader import read_problem
    from commonsense_planning.pddl.sensors import read_sensors

    started = time.perf_counter()
    with within_seconds(seconds):
        task = read_problem(domain, problem, strict=strict)
        tell_warnings(task.warnings)
        seen = read_sensors(sensors, task) if sensors else None
        read = time.perf_counter()
        if seen is None and not task.contingent.atoms:
            grounded, hidden = ground(task, max_operators), 0
        else:
            grounded, hidden_part = ground_pomdp(task, seen, max_operators=max_operators)
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
        print_json({**found, **task.warnings_as_json()})
    return EXIT_SOLVED
