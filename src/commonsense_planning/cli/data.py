"""``cplan data``: what policies learn from and prompts show."""

from __future__ import annotations

import click

from commonsense_planning.cli.lazy import LazyGroup

EPILOG = """\b
Example:
  cplan data expert -o D.jsonl --pool pool.jsonl
  cplan solve domain.pddl problem.pddl --model openai:gpt-4o-mini --examples pool.jsonl
"""


@click.group(
    name="data",
    cls=LazyGroup,
    modules={"expert": "data_expert"},
    short_help="Make data: an expert's trajectories.",
    epilog=EPILOG,
)
def command() -> None:
    """Make what policies learn from and what prompts show as examples. Equal seeds give equal files."""
