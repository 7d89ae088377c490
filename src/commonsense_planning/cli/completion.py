"""``cplan completion``: the script that has a shell complete the words of cplan's command lines; what these words are.

Click finds out what may stand at a place, and asks the functions below for tasks, methods, models and matchers. They
must be quick, so they import no more than the names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

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


@click.command(name="completion", short_help="Print a script that completes words in your shell.", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, /, shell: str) -> int:
    """Print the script with which a shell completes commands, options, methods, models, problems of packs and files."""
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "cplan", COMPLETION).source())
    return EXIT_SOLVED


def tasks(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a domain or a problem may be: those of packs, and files."""
    from commonsense_planning.pddl.packs import packs

    names = [f"{pack.name}:{problem}" for pack in packs().values() for problem in pack.problems]
    return [*_beginning(incomplete, names), CompletionItem(incomplete, type="file")]


def pack_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Our packs, and folders."""
    from commonsense_planning.pddl.packs import packs

    return [*_beginning(incomplete, packs()), CompletionItem(incomplete, type="dir")]


def methods(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The methods."""
    from commonsense_planning.methods.registry import METHODS

    return _beginning(incomplete, METHODS)


def models(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The models; of those that need one more word, such as openai:NAME, what comes before it."""
    from commonsense_planning.llm.adapters import MODELS

    return _beginning(incomplete, _starts(form for adapter in MODELS.values() for form in adapter.forms))


def matchers(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The matchers, likewise."""
    from commonsense_planning.matching.registry import MATCHERS

    return _beginning(incomplete, _starts(form for kind in MATCHERS.values() for form in kind.forms))


def _beginning(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _starts(forms: Iterable[str]) -> list[str]:
    parts = [form.partition(":") for form in forms]
    return list(dict.fromkeys(name + colon for name, colon, _ in parts))


class Bash(BashComplete):
    """Click's, with words that hold colons: bash takes a colon for the end of a word, so the line is split here, and
    what stands before the last colon is left out of the answer. Files are offered beside other words."""

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' line kind value response files=()
    response=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
        %(complete_var)s=bash_complete "$1")
    COMPREPLY=()
    for line in $response; do
        kind=${line%%%%,*} value=${line#*,}
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            file) files=($(compgen -f -- "$value")) ;;
            dir) files=($(compgen -d -- "$value")) ;;
        esac
    done
    if [[ ${#COMPREPLY[@]} == 0 ]]; then compopt -o filenames; fi  # which escapes colons
    COMPREPLY+=("${files[@]}")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]]; then compopt -o nospace; fi
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)
        incomplete = "" if line[-1:].isspace() or not words else words.pop()
        self._said = incomplete[: incomplete.rfind(":") + 1] if ":" in os.environ["COMP_WORDBREAKS"] else ""
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        said = self._said if item.type == "plain" else ""
        return f"{item.type},{str(item.value).removeprefix(said)}"


class _WholeWords(ShellComplete):
    """Click's answer to ``--method=look`` is ``look-greedy``, which bash puts behind the sign; others put it in place
    of the whole word, which must therefore be there."""

    _said = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        self._said = incomplete[: incomplete.find("=") + 1] if incomplete.startswith("--") else ""
        return args, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        return super().format_completion(CompletionItem(self._said + str(item.value), item.type, item.help))


class Zsh(_WholeWords, ZshComplete):
    """Click's, with whole words."""


class Fish(_WholeWords, FishComplete):
    """Click's, with whole words."""


for kind in (Bash, Zsh, Fish):
    add_completion_class(kind)
