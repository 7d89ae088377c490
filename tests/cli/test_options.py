"""Options of commands: a method's, in its help, of the right type, and no other method's."""

import re
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from commonsense_planning import Options, UsageError, option
from commonsense_planning.cli.method_options import take_options
from commonsense_planning.cli.options import click_option
from commonsense_planning.cli.solve import command as solve
from commonsense_planning.config import GuideLevel
from commonsense_planning.methods.registry import METHODS
from tests.cli.running import Run


@dataclass(frozen=True)
class Own(Options):
    """A setting of each type."""

    number: int | None = option(None, "A number.", least=1)
    share: float = option(0.5, "A share.", "--part", above=0, most=1)
    level: GuideLevel = option(GuideLevel.LOW, "A word.")
    folder: Path | None = option(None, "A folder.", needed=True)
    text: str = option("", "Words.", metavar="WORDS")
    quick: bool = option(False, "Be quick.")
    careful: bool = option(True, "Do not be careful.")


@click.command(params=[click_option(setting) for setting in Own.settings()])
def command(**values: object) -> Options:
    return take_options(Own, values)


def given(*args: str) -> Options:
    found: Options = command.main(list(args), standalone_mode=False)
    return found


def test_what_is_not_given_is_the_default() -> None:
    assert given() == Own()


def test_every_type_of_setting() -> None:
    words = ["--number=3", "--part=1", "--level=high", "--folder=here", "--text=so", "--quick", "--no-careful"]
    said = given(*words)
    assert said == Own(3, 1.0, GuideLevel.HIGH, Path("here"), "so", quick=True, careful=False)


def test_the_help_says_defaults_and_ranges() -> None:
    told = " ".join(command.get_help(click.Context(command, max_content_width=200)).split())
    for words in (
        "--number INTEGER A number. [at least 1]",
        "--part FLOAT A share. [default: 0.5; in (0, 1]]",
        "--level [none|low|high] A word. [default: low]",
        "--folder PATH A folder. [required]",
        "--text WORDS Words.",
        "--no-careful Do not be careful.",
    ):
        assert words in told


def test_a_number_out_of_range_is_refused_in_the_words_of_python() -> None:
    for refused in (lambda: given("--part", "0"), lambda: Own(share=0)):
        with pytest.raises(UsageError, match=r"^part must be in \(0, 1\], not 0(\.0)?$"):
            refused()


@pytest.mark.usefixtures("own_methods")
@pytest.mark.parametrize(
    ("method", "option", "other"),
    [
        ("pausing", "--pause (pause)", "--retry-pause (pause) of all methods"),
        ("seeding", "--seed (own_seed)", "--seed (seed) of all methods"),
    ],
)
def test_an_option_that_all_methods_have_is_refused(
    method: str, option: str, other: str, cplan: Run, tiny: tuple[Path, Path]
) -> None:
    for args in (("solve", *tiny, "--method", method), ("solve", "--method", method, "--help")):
        cplan(*args).says(2, f"the option {option} of the method {method} conflicts with {other}")


def test_help_shows_ten_options_and_help_all_every_option_once_in_a_group(cplan: Run) -> None:
    for named in ((), ("--method", "llm-mcts")):
        few, every = (
            re.findall(r"^  (?:-\w, )?(--[\w-]+)", cplan("solve", *named, flag).out, re.MULTILINE)
            for flag in ("--help", "--help-all")
        )
        own = {setting.flag for setting in METHODS["llm-mcts"].Options.settings()} if named else set()
        assert len({*few} - own - {"--help", "--help-all"}) == 10
        shared = {option.opts[0] for option in solve.params if isinstance(option, click.Option)}
        assert len(every) == len({*every}) and {*every} == shared | own | {"--help", "--help-all"}
    every = cplan("solve", "--help-all").out
    assert every.count("\nOptions:") == 1 and every.partition("\nOptions:\n")[2].startswith("  -h, --help ")
