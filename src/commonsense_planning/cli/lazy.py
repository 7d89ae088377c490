"""Groups of commands whose modules are imported when they are asked for: our own, and those of plug-ins."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from commonsense_planning.cli.settings import default_map, let_the_environment_set
from commonsense_planning.errors import MissingError
from commonsense_planning.support.registry import load, plug_ins


class LazyGroup(click.Group):
    """``own``: command → ``module:object`` of this package. ``plug_ins``: the group of entry points that has others.

    A plug-in that cannot be loaded is listed with the cause, and asking for it is a MissingError. Options get what the
    environment and the user's files say of them (``settings.py``).
    """

    def __init__(self, *args: Any, own: Mapping[str, str], plug_ins: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._own, self._group = own, plug_ins

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys([*self._own, *plug_ins(self._group)]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = self._loaded(cmd_name)
        if command is not None:
            let_the_environment_set(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None:
            ctx.default_map = {name: default_map(ctx, command, (*ctx.command_path.split()[1:], name))}
        return name, command, rest

    def _loaded(self, cmd_name: str) -> click.Command | None:
        if cmd_name in self._own:
            module, _, name = self._own[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(f"commonsense_planning.cli.{module}"), name)
            return command
        entry = plug_ins(self._group).get(cmd_name)
        if entry is None:
            return None
        try:
            found: click.Command = load(entry)
        except MissingError as error:
            return _Broken(cmd_name, error)
        return found


class _Broken(click.Command):
    """Stands for a command that cannot be loaded."""

    def __init__(self, name: str, error: MissingError) -> None:
        super().__init__(name, short_help=f"BROKEN: {error.__cause__}", add_help_option=False)
        self._error = error

    def main(self, *args: Any, **extra: Any) -> Any:
        raise self._error

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        raise self._error
