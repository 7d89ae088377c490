"""Groups of commands whose modules are imported on demand: cplan's, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

from commonsense_planning.cli.settings import default_map, let_the_environment_set
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.support.registry import Registry, not_installed

_ROOM = "commonsense_planning.cli"


class LazyGroup(click.Group):
    """A group of commands that are loaded on demand. ``own``: heading in the help → command → ``module:object`` of this
    package. ``plug_ins``: the group of entry points with further commands, shown below the heading ``plug_ins_below``.
    ``moved``: former name → name; a former name raises a UsageError that gives the new one. A command of a known
    plug-in that is not installed raises MissingError.

    A plug-in that cannot be loaded is listed with the cause, and raises MissingError when called. Options take defaults
    from the environment and the user's files (``settings.py``).
    """

    def __init__(
        self,
        *args: Any,
        own: Mapping[str, Mapping[str, str]],
        plug_ins: str,
        plug_ins_below: str = "Commands",
        moved: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        places = {name: f"{_ROOM}.{place}" for commands in own.values() for name, place in commands.items()}
        self._commands = Registry("command", plug_ins, click.Command, places, _Broken)
        self._headings = {heading: list(commands) for heading, commands in own.items()}
        self._below, self._moved = plug_ins_below, moved

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self._by_heading().values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands below their headings, with their summaries in one column."""
        widest = max(map(len, self.list_commands(ctx)), default=0)
        for heading, names in self._by_heading().items():
            found = {name: self.get_command(ctx, name) for name in names}
            width = formatter.width - 6 - widest  # as in click
            rows = [(name, command.get_short_help_str(width)) for name, command in found.items() if command is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_spacing=2 + widest - max(map(len, names)))

    def _by_heading(self) -> dict[str, list[str]]:
        """The commands below each heading: heading → commands."""
        others = [name for name in self._commands if not any(name in names for names in self._headings.values())]
        below = {self._below: [*self._headings.get(self._below, []), *others]}
        return {**self._headings, **below}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = self._commands.get(cmd_name)
        if command is not None:
            let_the_environment_set(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self._moved:
            raise UsageError(f"{args[0]} is now {ctx.command_path} {self._moved[args[0]]}")
        if args[0] not in self._commands and (
            known := not_installed(self._commands.group, args[0], f"{ctx.command_path} {args[0]}")
        ):
            raise known
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None:
            ctx.default_map = {name: default_map(ctx, command, (*ctx.command_path.split()[1:], name))}
        return name, command, rest


class _Broken(click.Command):
    """Placeholder for a command that cannot be loaded."""

    def __init__(self, name: str, error: MissingError) -> None:
        super().__init__(name, short_help=f"BROKEN: {error.__cause__ or error}", add_help_option=False)
        self._error = error

    def main(self, *args: Any, **extra: Any) -> Any:
        raise self._error

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        raise self._error
