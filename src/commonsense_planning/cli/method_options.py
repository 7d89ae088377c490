"""The options of ``cplan solve`` that belong to a method, made from the fields of its ``Options``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from commonsense_planning.cli.model_options import HELP_ALL, AskingCommand
from commonsense_planning.cli.options import COMPLETION, click_option
from commonsense_planning.cli.settings import values, variables_of
from commonsense_planning.config import Options
from commonsense_planning.errors import UsageError

Taken = TypeVar("Taken", bound=Options)

METHOD = "--method"
DEFAULT_METHOD = "llm-mcts"


def take_options(kind: type[Taken], values: dict[str, Any]) -> Taken:
    """Takes the values of a method's options out of a command's ``values``. Raises UsageError for a value out of its
    range."""
    return kind.of({setting.name: values.pop(setting.name) for setting in kind.settings()})


class MethodCommand(AskingCommand):
    """A command with ``--method`` that also takes the options of that method.

    Its help shows them if a method is named. An option of another method is an error that names that method.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = _named(args)
        ctx.meta[METHOD] = named
        if COMPLETION in os.environ:  # a shell is waiting
            return super().parse_args(ctx, args)
        chosen = named or self._set(ctx) or DEFAULT_METHOD
        if named is not None or {*ctx.help_option_names, HELP_ALL}.isdisjoint(args):
            own = ctx.meta["own"] = own_options(chosen)
            _check_names(chosen, own, self.params)
            ctx.default_map = {**(ctx.default_map or {}), **values(ctx, own, tuple(ctx.command_path.split()[1:]))}
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            _say_whose(error.option_name, chosen)
            raise

    def _set(self, ctx: click.Context) -> str | None:
        """The method that the environment or a settings file names."""
        option = next(parameter for parameter in self.params if METHOD in parameter.opts)
        found = option.value_from_envvar(ctx) or ctx.lookup_default(option.name or "")
        return None if found is None else str(found)

    @property
    def possible_params(self) -> list[click.Parameter]:
        """All options, including those of all methods."""
        from commonsense_planning.methods.registry import METHODS

        own = [click_option(setting) for method in METHODS.values() for setting in method.Options.settings()]
        return [*self.params, *own]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The options, including the method's if one is named or no other option begins like this: they take longer to
        load."""
        found = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-") or (found and ctx.meta[METHOD] is None):
            return found
        ctx.meta["own"] = own_options(ctx.meta[METHOD] or DEFAULT_METHOD)
        return super().shell_complete(ctx, incomplete)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*ctx.meta.get("own", ()), *super().get_params(ctx)]

    def group(self, ctx: click.Context, name: str, every: bool = True) -> str:
        return f"Options of {ctx.meta[METHOD]}" if _is_own(ctx, name) else super().group(ctx, name, every)

    def is_usual(self, ctx: click.Context, name: str) -> bool:
        return _is_own(ctx, name) or super().is_usual(ctx, name)


def _is_own(context: click.Context, name: str) -> bool:
    """Whether a parameter belongs to the method."""
    return name in [option.name for option in context.meta.get("own", ())]


def _named(args: Sequence[str]) -> str | None:
    """The method that a command line names; None if it names none."""
    for place, word in enumerate(args):
        if word == METHOD and place + 1 < len(args):
            return args[place + 1]
        if word.startswith(f"{METHOD}="):
            return word.partition("=")[2]
    return None


def own_options(method: str) -> list[click.Option]:
    """The options of a method. Raises UsageError for an unknown one, MissingError for one that is not installed."""
    from commonsense_planning.methods.registry import method_named

    options = [click_option(setting) for setting in method_named(method).Options.settings()]
    for option in options:
        option.envvar = variables_of(option)
    return options


def _check_names(method: str, own: Sequence[click.Option], shared: Sequence[click.Parameter]) -> None:
    """Raises UsageError if a method's option has the name or the flag of an option that all methods share."""
    for option in own:
        for other in shared:
            if option.name == other.name or not {*option.opts}.isdisjoint(other.opts):
                raise UsageError(
                    f"the option {option.opts[0]} ({option.name}) of the method {method} conflicts with "
                    f"{other.opts[0]} ({other.name}) of all methods: rename the field of its Options"
                )


def _say_whose(flag: str, method: str) -> None:
    """Raises UsageError if an option belongs to another method."""
    from commonsense_planning.methods.registry import METHODS

    owners = [name for name, other in METHODS.items() if flag in [setting.flag for setting in other.Options.settings()]]
    if owners:
        raise UsageError(f"{flag} belongs to {', '.join(owners)}, not to {method}")
