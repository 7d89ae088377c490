"""The options that the commands of all experiments share: where results go, and on which machines it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from commonsense_planning.cli.options import FILE, json_option, ray_option

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Running:
    """The values of these options, by their names: where results go, how many processes there are or which cluster
    takes their place, whether failed episodes are run again, and what is printed."""

    out: Path
    workers: int | None
    ray: str | None
    again: bool
    quiet: bool
    as_json: bool


_OPTIONS = (
    click.option("-o", "--out", type=FILE, required=True, help="The folder of the results; it is made."),
    click.option("--workers", type=click.IntRange(min=1), help="Processes [default: one for each core]."),
    ray_option,
    click.option("--again", is_flag=True, help="Run episodes that ended in an error once more."),
    click.option("--quiet", is_flag=True, help="No progress, no tables."),
    json_option,
)


def experiment_options(function: Function) -> Function:
    """Add all of them to a command; their values are for ``take_running``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_running(values: dict[str, Any]) -> Running:
    """Take the values of these options out of a command's ``values``."""
    return Running(**{name: values.pop(name) for name in Running.__dataclass_fields__})
