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
POST /agents makes an agent; POST /agents/ID/act tells it what was seen and says what to do next;
GET /agents/ID shows what it believes; DELETE /agents/ID lets go of it. The page at / says more, and
docs/robot.md. Only programs on this machine reach the server, unless --host says otherwise; then a
token is wanted. What a request says is never taken for a path. Ctrl-C ends it.
"""


@click.command(name="serve", cls=MethodCommand, short_help="Serve agents for robots, over HTTP.", epilog=EPILOG)
@task_arguments(several=True)
@click.option(
    METHOD, default=DEFAULT_METHOD, show_default=True, help="What decides; with --help, shows its own options too."
)
@click.option("--host", type=TRUSTED, default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=8000,
    show_default=True,
    help="Where to listen; 0 for one that is free.",
)
@click.option(
    "--token",
    type=Private(),
    envvar="CPLAN_TOKEN",
    default="",
    help="What a request must tell: Authorization: Bearer TOKEN [default: CPLAN_TOKEN, else nothing is wanted].",
)
@click.option(
    "--deadline",
    type=Number(min=0, min_open=True, max=3600),
    default=60.0,
    show_default=True,
    help="Most seconds for one decision; a call may name fewer.",
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
    """Serve agents that say what to do next in a world that they are told of, over HTTP with JSON."""
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
        raise UsageError(f"--host {host} lets other machines ask: --token or CPLAN_TOKEN says what they must tell")
    names = [problem.stem for problem in problems]
    if len(set(names)) < len(names):
        raise UsageError("two problems have the same name, which is what requests call them by")
    with listening(host, port) as here, ModelSession(model, limits) as models:
        limit = max_operators
        read = [read_task(domain, file, sensors, max_operators=limit, strict=strict) for file in problems]
        tell_warnings(warning for task in read for warning in task.problem.warnings)
        tasks = dict(zip(names, read, strict=True))
        for task in tasks.values():  # a rehearsal: what is wrong is said now; kernels are there, and all is grounded
            with Agent(task, method=chosen, options=options) as agent:
                agent.act(deadline=REHEARSAL)
        service = Service(tasks, chosen, options, models, deadline)
        serve(service, here, host, token, lambda address: click.echo(f"cplan serves {', '.join(names)} at {address}"))
    return EXIT_SOLVED
