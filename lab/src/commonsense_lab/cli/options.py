"""Options that several of the laboratory's commands share, and options that take several values."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

import click

from commonsense_planning.cli.completion import pack_names
from commonsense_planning.cli.options import TRUSTED, Function, Whole
from commonsense_planning.config import Actions, PolicyAs
from commonsense_planning.errors import UsageError
from commonsense_planning.pddl.packs import pack_named

_PART = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?")


_MOST = 10_000


def names_option(flag: str, help: str, default: str = "") -> Callable[[Function], Function]:
    """Adds an option that takes several words separated by commas, see ``names``."""
    return click.option(flag, default=default, show_default=bool(default), metavar="A,B", help=help)


prior_samples_option = click.option(
    "--prior-samples",
    type=Whole(min=1),
    help="Answers per placement question [default: what suits the model; see cplan models].",
)


ray_option = click.option(
    "--ray",
    type=TRUSTED,
    metavar="ADDRESS",
    help="Run on a Ray cluster: auto, HOST:PORT or ray://HOST:PORT (lab/docs/cluster.md).",
)


def _member_option(flag: str, default: StrEnum, help: str) -> Callable[[Function], Function]:
    kind = type(default)
    return click.option(
        flag,
        type=click.Choice([str(member) for member in kind]),
        default=str(default),
        show_default=True,
        callback=lambda context, option, value: kind(value),
        help=help,
    )


def policy_options(function: Function) -> Function:
    """Add the options that say what a model's policy is asked, and what it is taken for."""
    what = (
        "Applicable actions that llm-policy and llm-mcts-paper list in a question: all, or those relevant to the goal."
    )
    how = "How llm-mcts uses the model's policy: as evidence of what is hidden, or only as a prior, as in 0.2.0."
    named = _member_option("--policy-as", PolicyAs.EVIDENCE, how)(function)
    return _member_option("--actions", Actions.ALL, what)(named)


def numbers(option: str, text: str, least: int, most: int) -> tuple[int, ...]:
    """The numbers of a text such as ``1-4,8``, each once, in growing order. Raises UsageError if it is not such a text,
    and for a number that is not from ``least`` to ``most``."""
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise UsageError(f"{option}: {part.strip()!r} is neither a number nor a range such as 1-4")
        first, last = int(match[1]), int(match[2] or match[1])
        for number in (first, last):
            if not least <= number <= most:
                raise UsageError(f"{option}: {number} is not from {least} to {most}")
        if last < first or last - first >= _MOST:
            raise UsageError(f"{option}: {part.strip()} is not a range of 1 to {_MOST} numbers, the smaller one first")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def pack_option(name: str) -> Callable[[Function], Function]:
    """Adds ``--pack`` to an experiment's command with the pack ``name`` as default; ``pack: Path`` is its folder."""
    return click.option(
        "--pack",
        default=name,
        show_default=True,
        callback=lambda context, parameter, value: pack_named(value).folder,
        shell_complete=pack_names,
        help=f"The {name} domain's pack, or a folder with one like it.",
    )
