"""``cplan mcp``: the planner as tools for agents, over standard input and output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import STANDARD, max_memory_option, seconds_option
from commonsense_planning.errors import EXIT_SOLVED, InputError, MissingError
from commonsense_planning.support.processes import temporary_folder

EPILOG = """\b
Examples:
  cplan mcp
  cplan mcp --timeout 20 --max-memory 2000
  cplan mcp --model local

\b
The client, such as an editor or an agent, starts it, and speaks the Model Context Protocol over
standard input and output until that is closed; docs/agents.md explains how to register it there.
Its tools: check, ground, solve, explain, validate, belief; begin and act, for an agent that reports
what it observes. They take texts; no file that a call names is opened. Limits on calls, tokens and money
apply to each call of a tool.
"""


@click.command(name="mcp", cls=AskingCommand, short_help="Offer the planner to agents as MCP tools.", epilog=EPILOG)
@seconds_option("--timeout", "seconds", help="Limit in seconds for one call of a tool.", default=60.0)
@max_memory_option
@model_options
def command(seconds: float, **values: Any) -> int:
    """Offer check, ground, solve, explain, validate, belief, begin and act by the Model Context Protocol (MCP)."""
    model, budget = take_model(values)
    try:
        from commonsense_planning.interfaces.mcp_server import serve, server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "mcp":
            raise
        raise MissingError("cplan mcp needs the package mcp: pip install 'commonsense-planning[mcp]'") from error
    if sys.stdin is None:
        raise InputError(f"{STANDARD}: standard input is closed")
    if sys.stdin.isatty():
        click.echo("cplan mcp: waiting for a client's messages on standard input; Ctrl-C ends it", err=True)
    with temporary_folder("mcp") as folder:
        serve(server(model, budget, seconds, Path(folder)))
    return EXIT_SOLVED
