"""``cplan completion``: the script for shell completion, and the functions that list the words.

Click determines what is allowed at a position, and asks the functions below for tasks, methods, models and matchers.
They must be quick, so they import only the names.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

from commonsense_planning.cli.options import COMPLETION
from commonsense_planning.errors import EXIT_SOLVED

EPILOG = """\b
Examples:
  cplan completion bash
  cplan completion fish > ~/.config/fish/completions/cplan.fish

\b
In ~/.bashrc:  eval "$(cplan completion bash)"
In ~/.zshrc:   eval "$(cplan completion zsh)", below compinit
"""

WHOLE_WORDS = "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n"
"""Completion for bash, which ends words at a colon, as in household:demo."""


@click.command(name="completion", short_help="Print a script for completion in your shell.", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, /, shell: str) -> int:
    """Print the script that lets a shell complete commands, options, methods, models, problems of packs and files."""
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(context.find_root().command, {}, "cplan", COMPLETION).source()
    click.echo(WHOLE_WORDS + script if shell == "bash" else script)
    return EXIT_SOLVED


def tasks(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Domains and problems: those of packs, and files, which bash offers if no pack fits."""
    from commonsense_planning.pddl.packs import packs

    names = [f"{pack.name}:{problem}" for pack in packs().values() for problem in pack.problems]
    return [CompletionItem(incomplete, type="file"), *_beginning(incomplete, names)]


def pack_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The packs that ship with cplan, and folders."""
    from commonsense_planning.pddl.packs import packs

    return [CompletionItem(incomplete, type="dir"), *_beginning(incomplete, packs())]


def methods(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The methods."""
    from commonsense_planning.methods.registry import METHODS

    return _beginning(incomplete, METHODS)


def models(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The models; for those that need another word, such as openai:NAME, the part before it."""
    from commonsense_planning.llm.adapters import MODELS

    return _beginning(incomplete, _starts(form for adapter in MODELS.usable() for form in adapter.forms))


def matchers(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The matchers, in the same way."""
    from commonsense_planning.matching.registry import MATCHERS

    return _beginning(incomplete, _starts(form for kind in MATCHERS.usable() for form in kind.forms))


def _beginning(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _starts(forms: Iterable[str]) -> list[str]:
    parts = [form.partition(":") for form in forms]
    return list(dict.fromkeys(name + colon for name, colon, _ in parts))
