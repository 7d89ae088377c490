"""``cplan tasks``: the tasks of experiments, as problem files."""

from __future__ import annotations

import click

from commonsense_planning.cli.lazy import LazyGroup

EPILOG = """\b
Example:
  cplan tasks rearrangement -o tasks
  cplan solve pddl/household/domain.pddl tasks/seen-simple-0000.pddl
"""


@click.group(
    name="tasks",
    cls=LazyGroup,
    modules={"rearrangement": "tasks_rearrangement"},
    short_help="Write the tasks of an experiment as problem files.",
    epilog=EPILOG,
)
def command() -> None:
    """Write the tasks of an experiment as problem files. Equal seeds give equal files."""
