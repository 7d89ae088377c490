"""``--dry-run``: what a run would cost, before anything is spent."""

from __future__ import annotations

from dataclasses import asdict

from commonsense_planning.cli.output import Printer, print_json
from commonsense_planning.methods.estimate import estimate
from commonsense_planning.methods.registry import Request


def show_estimate(request: Request, printer: Printer, as_json: bool) -> None:
    """Print the estimate; nobody is asked."""
    found = estimate(request)
    limits = request.models.limits
    rows = [
        ("calls", f"{found.calls[0]} to {found.calls[1]}", f"{found.placements} of them about where things are"),
        ("tokens of prompts", f"{found.prompt_tokens[0]} to {found.prompt_tokens[1]}", ""),
        ("tokens of answers", f"about {found.completion_tokens[0]} to {found.completion_tokens[1]}", ""),
        ("US dollars", "price not known" if found.usd is None else f"{found.usd[0]:.4f} to {found.usd[1]:.4f}", ""),
    ]
    printer.line(f"{request.method.name} with {request.models.config.name} would need")
    printer.rows(rows, "  ")
    printer.line("The lower numbers are those of a short episode, the upper ones are never exceeded, retries apart.")
    if limits.max_calls is None and limits.max_tokens is None and limits.max_usd is None:
        printer.line("--max-calls, --max-tokens and --max-usd set limits.")
    if as_json:
        print_json(asdict(found))
