"""``cplan serve``: agents for robots and other programs, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.method_options import DEFAULT_METHOD, METHOD, MethodCommand, take_options
from commonsense_planning.cli.model_options import model_options, take_model
from commonsense_planning.cli.options import (
    TRUSTED,
    Number,
    Private,
    Whole,
    max_memory_option,
    max_operators_option,
    sensors_option,
)
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import EXIT_SOLVED, MissingError, UsageError

REHEARSAL = 0.1  # seconds

EPILOG = """\b
Examples:
  cplan serve household:demo
  cplan serve domain.pddl problem.pddl --method llm-replan --port 9000
  cplan serve domain.pddl problems/*.pddl --deadline 2 --simulations 500
  CPLAN_TOKEN=secret cplan serve domain.pddl problem.pddl --host 0.0.0.0

\b
POST /agents makes an agent; POST /agents/ID/act reports what was observed and returns the next
action; GET /agents/ID shows what the agent believes; DELETE /agents/ID removes it. The page at /
and docs/robot.md tell more. Without --host, only programs on this machine can reach the server;
with it, a token is required. Text in a request is never used as a path. Ctrl-C ends the server.
"""


@click.command(name="serve", cls=MethodCommand, short_help="Serve agents for robots, over HTTP.", epilog=EPILOG)
@task_arguments(several=True)
@click.option(
    METHOD,
    default=DEFAULT_METHOD,
    show_default=True,
    help="Method that decides; --method METHOD --help also shows its own options.",
)
@click.option("--host", type=TRUSTED, default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=Whole(0, 65535), default=8000, show_default=True, help="Port to listen on; 0 for a free one."
)
@click.option(
    "--token",
    type=Private(),
    envvar="CPLAN_TOKEN",
    default="",
    help="Token that requests must send, as Authorization: Bearer TOKEN [default: CPLAN_TOKEN, else none].",
)
@click.option(
    "--deadline",
    type=Number(min=0, min_open=True, max=3600),
    default=60.0,
    show_default=True,
    help="Limit in seconds for one decision; a call may ask for less.",
)
@max_memory_option
@max_operators_option
@model_options
@sensors_option
def command(
    domain: Path,
    problems: tuple[Path, ...],
    strict: bool,
    method: str,
    host: str,
    port: int,
    token: str,
    deadline: float,
    max_operators: int,
    sensors: Path | None,
    **values: Any,
) -> int:
    """Serve agents over HTTP with JSON: a program reports what it observes, and an agent answers with the next
    action."""
    from commonsense_planning.agent.agent import Agent
    from commonsense_planning.cli.output import tell_warnings
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.methods.registry import method_named
    from commonsense_planning.task import read_task

    chosen = method_named(method)
    model, limits = take_model(values)
    options = take_options(chosen.Options, values)
    try:
        from commonsense_planning.interfaces.http_server import Service, is_loopback, listening, serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("fastapi", "uvicorn", "starlette"):
            raise
        how = "pip install 'commonsense-planning[serve]'"
        raise MissingError(f"cplan serve needs the packages fastapi and uvicorn: {how}") from error
    if not token and not is_loopback(host):
        raise UsageError(f"--host {host} lets other machines connect, which needs a token: --token or CPLAN_TOKEN")
    names = [problem.stem for problem in problems]
    if len(set(names)) < len(names):
        raise UsageError("two problems have the same name, by which requests refer to them")
    with listening(host, port) as here, ModelSession(model, limits) as models:
        limit = max_operators
        read = [read_task(domain, file, sensors, max_operators=limit, strict=strict) for file in problems]
        tell_warnings(warning for task in read for warning in task.problem.warnings)
        tasks = dict(zip(names, read, strict=True))
        for task in tasks.values():  # a rehearsal: reports errors now, loads kernels, grounds every task
            with Agent(task, method=chosen, options=options) as agent:
                agent.act(deadline=REHEARSAL)
        service = Service(tasks, chosen, options, models, deadline)
        serve(service, here, host, token, lambda address: click.echo(f"cplan serves {', '.join(names)} at {address}"))
    return EXIT_SOLVED
