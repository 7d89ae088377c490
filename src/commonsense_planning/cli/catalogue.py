"""``cplan packs``; ``cplan methods``, with a task those that can solve it; ``cplan models``, the language models and
the matchers."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import click

from commonsense_planning.cli.completion import pack_names
from commonsense_planning.cli.options import json_option
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import EXIT_SOLVED, UsageError

METHODS_EPILOG = """\b
Examples:
  cplan methods
  cplan methods household:demo
  cplan methods domain.pddl problem.pddl
"""

MODELS_EPILOG = """\b
Examples:
  cplan models
  cplan models --json
"""


PACKS_EPILOG = """\b
Examples:
  cplan packs
  cplan packs flights
  cplan solve household:two-apples
  cplan solve household my-problem.pddl
"""


@click.command(name="packs", short_help="List the domains and problems that ship with cplan.", epilog=PACKS_EPILOG)
@click.argument("pack", required=False, shell_complete=pack_names)
@json_option
def packs(pack: str | None, as_json: bool) -> int:
    """List the packs and their problems, or those of one PACK, a name or a folder.

    PACK:PROBLEM names a task wherever DOMAIN and PROBLEM do, and PACK alone its domain.
    """
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.pddl.packs import pack_named, packs

    printer = Printer(as_json)
    found = list(packs().values()) if pack is None else [pack_named(pack)]
    for number, one in enumerate(found):
        if number:
            printer.line()
        printer.parts((one.name, "bold"), (f"  {one.folder}", "dim"))
        printer.rows([(f"{one.name}:{name}", _about(file)) for name, file in one.problems.items()], "  ")
    if as_json:
        rows = [{"name": one.name, "folder": str(one.folder), "problems": list(one.problems)} for one in found]
        print_json({"packs": rows})
    return EXIT_SOLVED


def _about(problem: Path) -> str:
    """A problem's description, or else the first sentence of the first comment in its file."""
    from commonsense_planning.pddl.reader import description_in
    from commonsense_planning.support.reading import read_text

    text = read_text(problem, "a problem")
    comments = takewhile(lambda line: line.startswith(";"), text.splitlines())
    return description_in(text) or " ".join(line.strip("; ") for line in comments).partition(". ")[0].rstrip(".")


@click.command(name="methods", short_help="List the methods, or those that can solve a task.", epilog=METHODS_EPILOG)
@task_arguments(optional=True)
@json_option
def methods(domain: Path | None, problem: Path | None, strict: bool, as_json: bool) -> int:
    """List the methods; with a task, show which can solve it, why the others cannot, and which to try first."""
    from commonsense_planning.cli.output import Printer, print_json, tell_warnings
    from commonsense_planning.elicitation.initial_belief import unknown_places
    from commonsense_planning.methods.external import UP_ENGINES, UP_SUMMARY, up_engine
    from commonsense_planning.methods.method import Observability
    from commonsense_planning.methods.registry import METHODS, recommended, why_not
    from commonsense_planning.pddl.packs import heuristics_beside
    from commonsense_planning.planners.up_engine import UP
    from commonsense_planning.planners.up_files import advice, engines
    from commonsense_planning.task import read_task

    if domain is not None and problem is None:
        raise UsageError("a domain needs a problem: give both, or neither for the list of methods")
    task = read_task(domain, problem, strict=strict) if domain and problem else None
    if task is not None:
        tell_warnings(task.problem.warnings)
    methods = dict(METHODS)
    reasons = {name: why_not(method, task) if task else None for name, method in methods.items()}
    found = engines(task.problem) if task and task.needs else {}
    for engine, why in found.items():
        methods[f"{UP}:{engine}"], reasons[f"{UP}:{engine}"] = up_engine(engine), why
    printer = Printer(as_json)
    if task is None:
        printer.rows((name, method.summary) for name, method in methods.items())
    else:
        printer.rows((name, "no" if why else "yes", why or methods[name].summary) for name, why in reasons.items())
    printer.line(f"and {UP_ENGINES} for {UP_SUMMARY}")
    notes, unknown = unknown_places(task) if task and (task.sensors or task.contingent.atoms) else ([], False)
    best = (None, advice(found)) if found and advice(found) else recommended(task, unknown) if task else ()
    begin_with = dict(zip(("recommended", "because"), best, strict=False))
    for note in notes:
        printer.line(f"note: {note}", "yellow")
    if begin_with:
        begin = f"begin with {begin_with['recommended']}" if begin_with["recommended"] else "none can solve it here"
        printer.line(f"{begin}: {begin_with['because']}", "bold")
    written = heuristics_beside(domain.parent) if domain else {}
    for name, file in written.items():
        printer.line(f"the domain brings a heuristic: --method gbfs --heuristic {name}, the program {file}")
    if as_json:
        rows = [
            {
                "name": name,
                "summary": method.summary,
                "sees_all": method.world is Observability.KNOWN,
                **({} if task is None else {"possible": reasons[name] is None, "why_not": reasons[name]}),
            }
            for name, method in methods.items()
        ]
        more = {"notes": notes, "heuristics": [*written]}
        print_json({"methods": rows, **begin_with, **{name: found for name, found in more.items() if found}})
    return EXIT_SOLVED


@click.command(name="models", short_help="List the models and matchers, including plug-ins.", epilog=MODELS_EPILOG)
@json_option
def models(as_json: bool) -> int:
    """List the names for --model and --matcher, including plug-ins, with each model's defaults.

    A plug-in that cannot be loaded is listed with the reason.
    """
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.llm.adapters import MODELS
    from commonsense_planning.matching.registry import MATCHERS

    printer = Printer(as_json)
    printer.line("models, with their --prior-samples and --parallel", "bold")
    printer.rows(
        (", ".join(adapter.forms), str(adapter.prior_samples), str(adapter.parallel), adapter.summary)
        for adapter in MODELS.usable()
    )
    printer.line("matchers", "bold")
    printer.rows((", ".join(kind.forms), kind.summary) for kind in MATCHERS.usable())
    broken = [str(error) for error in (*MODELS.broken(), *MATCHERS.broken())]
    for error in broken:
        printer.line(error, "yellow")
    if as_json:
        models = [
            {
                "forms": adapter.forms,
                "summary": adapter.summary,
                "costs": adapter.costs,
                "reads_prompts": adapter.reads_prompts,
                "prior_samples": adapter.prior_samples,
                "parallel": adapter.parallel,
            }
            for adapter in MODELS.usable()
        ]
        matchers = [{"forms": kind.forms, "summary": kind.summary} for kind in MATCHERS.usable()]
        print_json({"models": models, "matchers": matchers, "broken": broken})
    return EXIT_SOLVED
