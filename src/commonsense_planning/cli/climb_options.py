"""The options of hill climbing and of guides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from commonsense_planning.config import ClimbConfig, GuideKnowledge, GuideLevel

Function = TypeVar("Function", bound=Callable[..., Any])

_DEFAULT = ClimbConfig()
_OPTIONS = (
    click.option("--description", metavar="TEXT", help="The task in English [default: the problem's ;; description:]."),
    click.option(
        "--guide",
        type=click.Choice([str(level) for level in GuideLevel]),
        default=str(_DEFAULT.guide),
        show_default=True,
        help="A solution estimate that the model writes first: none, in the language of the actions, in English.",
    ),
    click.option(
        "--guide-knowledge",
        "knowledge",
        type=click.Choice([str(level) for level in GuideKnowledge]),
        default=str(_DEFAULT.knowledge),
        show_default=True,
        help="What its writer is told: nothing, the objects, and their properties that stay, and those that change.",
    ),
    click.option(
        "--partition", default=_DEFAULT.partition, show_default=True, help="Actions that one question lists at most."
    ),
    click.option(
        "--repeats", default=_DEFAULT.repeats, show_default=True, help="Questions that may be repeated in a run."
    ),
    click.option("--beam", default=_DEFAULT.beam, show_default=True, help="Sequences of actions that are kept."),
    click.option("--backtrack", is_flag=True, help="Leave dead ends and loops."),
    click.option("--think", is_flag=True, help="Let the model reason before it chooses."),
    click.option("--rules", is_flag=True, help="Tell the model what the actions need and bring about."),
)


def climb_options(function: Function) -> Function:
    """Add all of them to a command; their values are for ``take_climb``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_climb(values: dict[str, Any]) -> tuple[str, ClimbConfig]:
    """Take the values of these options out of a command's ``values``: the description, empty if none is given, and the
    settings."""
    description = values.pop("description") or ""
    settings = {name: values.pop(name) for name in ClimbConfig.__dataclass_fields__}
    settings["guide"], settings["knowledge"] = GuideLevel(settings["guide"]), GuideKnowledge(settings["knowledge"])
    return description, ClimbConfig(**settings)
