"""The pages of the command line, made of the commands themselves: what ``--help`` says, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import groupby

import click

from commonsense_planning import METHODS
from commonsense_planning.cli.main import cplan
from commonsense_planning.cli.method_options import click_option
from commonsense_planning.cli.model_options import HELP_ALL


class MarkdownFormatter(click.HelpFormatter):
    """Takes what a command says of itself in its help, and writes it as Markdown below a heading of a level from 1."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self.level = level

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The command's name and what it takes."""
        self.write(f"{'#' * self.level} {prog}\n\n" + code("text", [f"{prog} {args}"]))

    def write_text(self, text: str) -> None:
        """Paragraphs. In one with click's mark for "leave the lines as they are", indented lines are examples."""
        for paragraph in re.split(r"\n\s*\n", text):
            lines = paragraph.strip("\n").splitlines()
            if lines and lines[0].strip() == "\b":
                for indented, run in groupby(lines[1:], lambda line: line.startswith("  ")):
                    part = list(run)
                    self.write(code("sh", (line[2:] for line in part)) if indented else escaped(part))
            else:
                self.write(escaped(lines))

    def write_paragraph(self) -> None:
        """Nothing: paragraphs end with an empty line here."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Options or commands, and what each does."""
        lines = (f"| `{name}` | {escaped([says]).strip()} |\n" for name, says in rows)
        self.write("".join(["| | |\n|---|---|\n", *lines, "\n"]))

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Writes a heading, below which options or commands follow."""
        self.write(f"{'#' * (self.level + 1)} {name}\n\n")
        yield


def code(language: str, lines: Iterable[str]) -> str:
    """Returns a block of code."""
    return "\n".join([f"```{language}", *lines, "```\n\n"])


def escaped(lines: Iterable[str]) -> str:
    """Returns a paragraph of plain text as Markdown."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", "\n".join(lines)) + "\n\n"


@cache
def command_pages() -> dict[str, str]:
    """Returns name → page: of ``cplan``, of each command with those below it, and of the methods' options."""
    top = click.Context(cplan, info_name="cplan", **cplan.context_settings)
    named = {name: cplan.get_command(top, name) for name in cplan.list_commands(top)}
    pages = {name: help_of(command, name, top) for name, command in named.items() if command is not None}
    return {"cplan": help_of(cplan, "cplan", None), "options-of-methods": options_of_methods(), **pages}


def help_of(command: click.Command, name: str, parent: click.Context | None, level: int = 1) -> str:
    """Returns the help of a command, and of those below it."""
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    context.meta[HELP_ALL] = True
    formatter = MarkdownFormatter(level)
    command.format_help(context, formatter)
    below = ""
    if isinstance(command, click.Group) and parent is not None:
        named = {name: command.get_command(context, name) for name in command.list_commands(context)}
        below = "".join(help_of(found, name, context, level + 1) for name, found in named.items() if found is not None)
    return formatter.getvalue() + below


def options_of_methods() -> str:
    """Writes the further options of each method."""
    formatter = MarkdownFormatter(1)
    formatter.write("# Options of methods\n\n")
    formatter.write_text("Besides the options that all methods share, cplan solve takes these.")
    context = click.Context(cplan)
    for name, method in METHODS.items():
        records = [click_option(setting).get_help_record(context) for setting in method.Options.settings()]
        with formatter.section(name):
            formatter.write_text(f"{method.summary}.")
            if records:
                formatter.write_dl([record for record in records if record is not None])
    return formatter.getvalue()
