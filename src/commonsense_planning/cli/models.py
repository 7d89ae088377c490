"""``cplan models``: who can answer common-sense questions, and what can match the answers to names."""

from __future__ import annotations

import click

from commonsense_planning.cli.options import json_option
from commonsense_planning.errors import EXIT_SOLVED

EPILOG = """\b
Examples:
  cplan models
  cplan models --json
"""


@click.command(name="models", short_help="List the models and matchers, plug-ins' too.", epilog=EPILOG)
@json_option
def command(as_json: bool) -> int:
    """List what --model and --matcher may name, plug-ins' too, with the defaults that suit each model.

    A plug-in that cannot be loaded is named with its cause.
    """
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.llm.adapters import MODELS
    from commonsense_planning.matching.registry import MATCHERS

    printer = Printer(as_json)
    printer.line("models, with their --prior-samples and --parallel", "bold")
    printer.rows(
        (", ".join(adapter.forms), str(adapter.prior_samples), str(adapter.parallel), adapter.summary)
        for adapter in MODELS.values()
    )
    printer.line("matchers", "bold")
    printer.rows((", ".join(kind.forms), kind.summary) for kind in MATCHERS.values())
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
            for adapter in MODELS.values()
        ]
        matchers = [{"forms": kind.forms, "summary": kind.summary} for kind in MATCHERS.values()]
        print_json({"models": models, "matchers": matchers, "broken": broken})
    return EXIT_SOLVED
