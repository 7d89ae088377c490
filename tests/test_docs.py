"""The documents are true in what a program can check: links lead somewhere, commands parse, files are there."""

from __future__ import annotations

import re
import shlex
from configparser import ConfigParser
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import click
import pytest

from commonsense_planning import METHODS
from commonsense_planning.cli.main import PLUG_INS, cplan, main
from commonsense_planning.errors import UsageError
from commonsense_planning.heuristics.registry import HEURISTICS
from commonsense_planning.llm.adapters import MODELS
from commonsense_planning.matching.registry import MATCHERS
from commonsense_planning.validation.registry import PLAN_VALIDATORS
from tests.data import REPOSITORY

DOCUMENTS = [
    *REPOSITORY.glob("*.md"),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "examples").rglob("*.md")),
]
NAMES = [str(path.relative_to(REPOSITORY)) for path in DOCUMENTS]
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"[\w./-]+\.(?:py|toml|pddl|jinja|sh|cfg)")


def prose(text: str) -> str:
    """The text without its blocks of code."""
    return BLOCK.sub("", text)


def anchors(text: str) -> set[str]:
    """The names that headings have in links."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def below(text: str, heading: str) -> str:
    """The section below a heading of the second level."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def commands(text: str) -> list[str]:
    """The command lines: in blocks of shell, whose lines may go on after a backslash, and in the text."""
    lines = [line for kind, block in BLOCK.findall(text) if kind in ("sh", "console", "") for line in joined(block)]
    return [line for line in [*lines, *CODE.findall(prose(text))] if line.startswith(("cplan ", "make "))]


def joined(block: str) -> list[str]:
    """The lines of a block of shell, without prompts."""
    return [line.strip().removeprefix("$ ") for line in block.replace("\\\n", " ").splitlines()]


def words(command: str) -> list[str]:
    """The words of a command line up to where its output goes elsewhere or another command begins."""
    read = shlex.shlex(command, posix=True, punctuation_chars=True)
    read.whitespace_split = True
    found = list(read)
    ends = [i for i, word in enumerate(found) if set(word) <= set("|<>&;()")]
    return found[: min(ends, default=len(found))]


def parse(arguments: list[str]) -> None:
    """Look up the command and parse its options and their values; whether files are there is not looked at, nor whether
    arguments are missing. Raises click.UsageError, UsageError."""
    command: click.Command = cplan
    context = click.Context(cplan, info_name="cplan", **cplan.context_settings)  # a command keeps its first help option
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
        found = command.get_command(context, name)
        if found is None:
            raise click.UsageError(f"no command {name}")
        command, context = found, click.Context(found, info_name=name, parent=context)
    with suppress(click.MissingParameter, click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
        command.parse_args(context, arguments)


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(path: Path) -> None:
    for link in LINK.findall(prose(path.read_text(encoding="utf-8"))):
        if "://" not in link:
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            assert target.exists(), link
            assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_commands_parse(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO()))  # which some of them read
    targets = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for command in commands(path.read_text(encoding="utf-8")):
        program, *arguments = words(command)
        if program == "make":
            assert {word for word in arguments if "=" not in word and "/" not in word} <= targets, command
        else:
            try:
                parse(arguments)
            except (click.UsageError, UsageError) as error:
                pytest.fail(f"{command}: {error}")


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_modules_that_are_run_are_there(path: Path) -> None:
    for name in re.findall(r"python -m (benchmarks[\w.]*)", path.read_text(encoding="utf-8")):
        module = REPOSITORY.joinpath(*name.split("."))
        assert module.with_suffix(".py").is_file() or (module / "__main__.py").is_file(), name


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_files_in_the_text_are_there(path: Path, files: list[str]) -> None:
    for code in CODE.findall(prose(path.read_text(encoding="utf-8"))):
        if "/" in code and "NAME" not in code and FILE.fullmatch(code):
            assert any(f"/{file}".endswith(f"/{code}") for file in files), code


@pytest.fixture(scope="module")
def files() -> list[str]:
    """All files of the source and its neighbours, from the repository's root."""
    folders = ["src", "tests", "examples", "docs", "pddl", "benchmarks"]
    found = [file for folder in folders for file in (REPOSITORY / folder).rglob("*.*")]
    return [file.relative_to(REPOSITORY).as_posix() for file in found]


@pytest.mark.parametrize(
    ("command", "fine"),
    [
        ("cplan solve d.pddl p.pddl --method llm-mcts --seed 3   # a comment", True),
        ("cplan bench household -o results | tail", True),
        ("cplan solve d.pddl p.pddl --method llm-hill-climb --guide low", True),
        ("cplan solve d.pddl p.pddl --method gbfs --guide low", False),
        ("cplan solve d.pddl p.pddl --no-such-option", False),
        ("cplan solve d.pddl p.pddl --seed one", False),
        ("cplan slove d.pddl p.pddl", False),
    ],
)
def test_a_wrong_command_is_seen(command: str, fine: bool) -> None:
    try:
        parse(words(command)[1:])
    except (click.UsageError, UsageError):
        assert not fine
    else:
        assert fine


def test_the_site_leads_to_every_page() -> None:
    site = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r": ([\w./-]+\.md)$", site, re.MULTILINE)
    linked = re.findall(r"^  /([\w./-]+\.md)$", site, re.MULTILINE)  # from the README, and not in the navigation
    pages = [name for name in NAMES if name.count("/") < 2]  # those deeper down belong to one that links to them
    assert [page for page in pages if page not in (*listed, *linked)] == [], "add it to nav in mkdocs.yml"
    assert [page for page in (*listed, *linked) if not (REPOSITORY / page).is_file()] == []
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert [page for page in linked if f"]({page})" not in readme] == []


def test_the_pages_for_readers_stay_few_and_short() -> None:
    """But for the laboratory, whose pages are of measurements."""
    site, _, _ = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("  - Laboratory:")
    listed = re.findall(r": ([\w./-]+\.md)$", site, re.MULTILINE)
    words = sum(len((REPOSITORY / page).read_text(encoding="utf-8").split()) for page in listed)
    assert len(listed) <= 16 and words <= 25_000


def test_every_example_is_run_and_has_its_line() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    recipes = [makefile.partition(f"\n{target}:")[2].partition("\n\n")[0] for target in ("examples", "test-inspect")]
    listed = (REPOSITORY / "examples" / "README.md").read_text(encoding="utf-8")
    for path in (REPOSITORY / "examples").iterdir():
        if path.name not in ("README.md", "__pycache__"):
            assert f"]({path.name})" in listed, path
        if path.suffix in (".py", ".sh", ".ipynb"):
            assert any(f"examples/{path.name}" in recipe for recipe in recipes), path


def test_the_page_of_methods_lists_every_method_and_the_readme_some() -> None:
    row = re.compile(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", re.MULTILINE)
    page = (REPOSITORY / "docs" / "methods.md").read_text(encoding="utf-8").replace(r"\*", "*")
    rows = row.findall(below(page, "All methods"))
    assert rows == [(m.name, m.summary, str(m.world)) for m in METHODS.values()]
    some = row.findall((REPOSITORY / "README.md").read_text(encoding="utf-8").replace(r"\*", "*"))
    assert some and set(some) <= set(rows)


def test_the_page_of_plug_ins_lists_every_group_of_entry_points() -> None:
    page = (REPOSITORY / "docs" / "plugins.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(commonsense_planning\.\w+)` \|", below(page, "Hooks"), re.MULTILINE)
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg", encoding="utf-8")
    ours = [group for group in setup["options.entry_points"] if group.startswith("commonsense_planning.")]
    registries = (MODELS, MATCHERS, HEURISTICS, PLAN_VALIDATORS)
    assert {*listed} == {*ours, PLUG_INS, *(registry.group for registry in registries)}


def test_every_command_is_told_of() -> None:
    told = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    assert [name for name in cplan.list_commands(click.Context(cplan)) if f"`cplan {name}" not in told] == []


def test_every_method_has_its_place_in_print() -> None:
    page = (REPOSITORY / "docs" / "methods.md").read_text(encoding="utf-8")
    printed = below(page, "Where each method stands in print")
    named = set(CODE.findall("\n".join(re.findall(r"^\| (`.+?) \|", printed, re.MULTILINE))))
    assert set(METHODS) <= named


def test_the_transcript_of_the_readme_is_what_one_sees(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    block = next(block for _, block in BLOCK.findall(readme) if block.startswith("$ cplan "))
    command, _, shown = block.partition("\n")
    monkeypatch.chdir(REPOSITORY)
    assert main(words(command)[2:]) == 0
    out = capsys.readouterr().out
    assert re.sub(r"[\d.]+ s\n", "… s\n", out) == re.sub(r"[\d.]+ s\n", "… s\n", shown)


MEASURED = (
    *("classical", "contingent", "flights", "flights-import", "heuristics"),
    *("household", "language-models", "large-model", "learned-policy", "measured", "multiplication", "pddl-tools"),
    *("performance", "rearrangement", "rearrangement-tasks", "reliability", "search"),
)
MARK = re.compile(r"^Measured at (`[0-9a-f]{7}`.*) on (an? .+): .*`.+`.*\.$", re.MULTILINE)


@pytest.mark.parametrize("name", MEASURED)
def test_a_page_of_measurements_names_commit_machine_and_command(name: str) -> None:
    assert MARK.search((REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8"))
