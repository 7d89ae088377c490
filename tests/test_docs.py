"""The core's documents are true in what a program can check: links lead somewhere, commands parse, files are there.

Of the laboratory, which need not be here, they may name what the core knows by name; ``lab/tests/test_docs.py`` parses
that, too, and looks at the laboratory's own documents.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from statistics import median

import click
import pytest

from commonsense_planning import METHODS, __version__
from commonsense_planning.cli import validate
from commonsense_planning.cli.main import PLUG_INS, cplan
from commonsense_planning.embedded import answers
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.heuristics.registry import HEURISTICS
from commonsense_planning.instructions import translate
from commonsense_planning.llm.adapters import MODELS
from commonsense_planning.matching.registry import MATCHERS
from commonsense_planning.methods import classical, registry
from commonsense_planning.support.registry import known_plug_ins, plug_ins
from commonsense_planning.validation.registry import PLAN_VALIDATORS
from tests.data import REPOSITORY
from tests.test_layers import RANK

LAB = REPOSITORY / "lab"
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [
    *REPOSITORY.glob("*.md"),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "examples").rglob("*.md")),
]
NAMES = [path.relative_to(REPOSITORY).as_posix() for path in DOCUMENTS]
COMMIT = "ec344c00"
"""Which has the programs that measured once."""

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
    arguments are missing. Raises click.UsageError, UsageError, and MissingError where it asks for the laboratory."""
    command: click.Command = cplan
    context = click.Context(cplan, info_name="cplan", **cplan.context_settings)  # a command keeps its first help option
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        name, found, arguments = command.resolve_command(context, arguments)
        assert found is not None
        command, context = found, click.Context(found, info_name=name, parent=context)
    with suppress(click.MissingParameter, click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
        command.parse_args(context, arguments)


def in_this_checkout(path: Path) -> bool:
    """Whether a path is in a part that this checkout has: the laboratory may be left out."""
    return LAB.is_dir() or not path.resolve().is_relative_to(LAB)


def check_links(path: Path) -> None:
    """Links between pages lead to what is there, their anchors to headings."""
    for link in LINK.findall(prose(path.read_text(encoding="utf-8"))):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if "://" not in link and in_this_checkout(target):
            assert target.exists(), link
            assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


def check_commands(path: Path) -> None:
    """Targets of make are there, and commands parse, or belong to the laboratory where that is not installed."""
    files = [file for file in (REPOSITORY / "Makefile", LAB / "lab.mk") if file.is_file()]
    makefiles = [file.read_text(encoding="utf-8") for file in files]
    targets = set(re.findall(r"^([\w-]+):", "\n".join(makefiles), re.MULTILINE))
    for command in commands(path.read_text(encoding="utf-8")):
        program, *arguments = words(command)
        if program == "make":
            wanted = {word for word in arguments if "=" not in word and "/" not in word}
            assert wanted <= targets or not LAB.is_dir(), command
            continue
        try:
            parse(arguments)
        except MissingError as error:
            assert "part of cplan's laboratory" in str(error), command
        except (click.UsageError, UsageError) as error:
            pytest.fail(f"{command}: {error}")


def check_modules(path: Path) -> None:
    """Modules of the repository that are run are there. ``benchmarks`` are those of a commit, which the page names."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"python -m ((?:benchmarks|lab|tests|website)\b[\w.]*\w)", text):
        module = REPOSITORY.joinpath(*name.split("."))
        if name.endswith("NAME"):
            continue
        if name.startswith("benchmarks"):
            assert f"`{COMMIT}`" in text, f"{name} is only at commit {COMMIT}"
        elif in_this_checkout(module):
            assert module.with_suffix(".py").is_file() or (module / "__main__.py").is_file(), name


def check_files(path: Path, files: list[str]) -> None:
    """Files that the text names by a path are among ``files``, from any folder on; ``benchmarks`` are of a commit."""
    text = path.read_text(encoding="utf-8")
    for code in CODE.findall(prose(text)):
        if "/" in code and "NAME" not in code and FILE.fullmatch(code) and in_this_checkout(REPOSITORY / code):
            there = any(f"/{file}".endswith(f"/{code}") for file in files)
            assert there or code.startswith("benchmarks/") and f"`{COMMIT}`" in text, code


def all_files() -> list[str]:
    """The files of both packages, from the repository's root."""
    folders = ["src", "tests", "examples", "docs", "pddl", "website", "lab"]
    found = [file for folder in folders for file in (REPOSITORY / folder).rglob("*.*")]
    return [file.relative_to(REPOSITORY).as_posix() for file in found]


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(path: Path) -> None:
    check_links(path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_commands_parse(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO()))  # which some of them read
    check_commands(path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_modules_that_are_run_are_there(path: Path) -> None:
    check_modules(path)


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_files_in_the_text_are_there(path: Path, files: list[str]) -> None:
    check_files(path, files)


@pytest.fixture(scope="module")
def files() -> list[str]:
    return all_files()


@pytest.mark.parametrize(("command", "fine"), [
    ("cplan solve d.pddl p.pddl --method llm-mcts --seed 3   # a comment", True),
    ("cplan check d.pddl p.pddl --deep | tail", True),
    ("cplan solve d.pddl p.pddl --method llm-hill-climb --guide low", True),
    ("cplan solve d.pddl p.pddl --method gbfs --guide low", False),
    ("cplan solve d.pddl p.pddl --no-such-option", False),
    ("cplan solve d.pddl p.pddl --seed one", False),
    ("cplan slove d.pddl p.pddl", False),
])  # fmt: skip
def test_a_wrong_command_is_seen(command: str, fine: bool) -> None:
    try:
        parse(words(command)[1:])
    except (click.UsageError, UsageError):
        assert not fine
    else:
        assert fine


def in_the_site() -> tuple[list[str], list[str]]:
    """The pages in the navigation of the site, and those that are only linked to."""
    site = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r": ([\w./-]+\.md)$", site, re.MULTILINE)
    return listed, re.findall(r"^  /([\w./-]+\.md)$", site, re.MULTILINE)


def check_the_site(names: list[str]) -> None:
    """The site leads to every one of these pages."""
    listed, linked = in_the_site()
    assert [page for page in names if page not in (*listed, *linked)] == [], "add it to nav in mkdocs.yml"


def test_the_site_leads_to_every_page() -> None:
    check_the_site([name for name in NAMES if name.count("/") < 2])  # deeper ones belong to one that links to them
    listed, linked = in_the_site()
    pages = [REPOSITORY / page for page in (*listed, *linked)]
    assert [page for page in pages if in_this_checkout(page) and not page.is_file()] == []
    reached = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in pages
        if in_this_checkout(page)
        for link in LINK.findall(page.read_text(encoding="utf-8"))
    }
    assert [page for page in linked if in_this_checkout(REPOSITORY / page) and REPOSITORY / page not in reached] == []


def test_the_pages_for_readers_stay_few_and_short() -> None:
    """Except the README, which has a test of its own, and the laboratory, whose pages are of measurements."""
    site, _, _ = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("  - Laboratory:")
    listed = re.findall(r": ([\w./-]+\.md)$", site, re.MULTILINE)
    words = [len((REPOSITORY / page).read_text(encoding="utf-8").split()) for page in listed if page != "README.md"]
    assert len(words) <= 23
    assert sum(words) <= 31_500  # of which 4,400 are questions, word for word
    assert median(words) < 1_250


def check_examples(folder: Path, recipe: str) -> None:
    """Each example in a folder has its line in README.md there, and is run by the recipe."""
    listed = (folder / "README.md").read_text(encoding="utf-8")
    for path in folder.iterdir():
        if path.name not in ("README.md", "__pycache__"):
            assert f"]({path.name})" in listed, path
        if path.suffix in (".py", ".sh", ".ipynb"):
            assert path.relative_to(REPOSITORY).as_posix() in recipe, path


def recipe(makefile: Path, target: str) -> str:
    """What a makefile does for a target."""
    return makefile.read_text(encoding="utf-8").partition(f"\n{target}:")[2].partition("\n\n")[0]


def test_every_example_is_run_and_has_its_line() -> None:
    check_examples(REPOSITORY / "examples", recipe(REPOSITORY / "Makefile", "examples"))


def methods_below(heading: str) -> list[tuple[str, str, str]]:
    """The rows of a table of methods in docs/methods.md."""
    page = (REPOSITORY / "docs" / "methods.md").read_text(encoding="utf-8").replace(r"\*", "*")
    return METHOD.findall(below(page, heading))


KNOWN = known_plug_ins()["laboratory"]["groups"]
METHOD = re.compile(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", re.MULTILINE)


def test_the_page_of_methods_lists_every_method() -> None:
    rows = methods_below("All methods")
    assert rows == [(name, METHODS[name].summary, str(METHODS[name].world)) for name in registry.BUILT_IN]
    assert [name for name, _, _ in methods_below("Methods of the laboratory")] == [*KNOWN[registry.GROUP]]


def groups() -> set[str]:
    """The groups of entry points that the page of plug-ins lists."""
    page = (REPOSITORY / "docs" / "plugins.md").read_text(encoding="utf-8")
    row = r"^\| `(commonsense_planning\.\w+)`(?:, of the laboratory)? \|"
    return set(re.findall(row, below(page, "Hooks"), re.MULTILINE))


OF_THE_CORE = {
    *(one.group for one in (METHODS, MODELS, MATCHERS, HEURISTICS, PLAN_VALIDATORS)),
    *(PLUG_INS, validate.VALIDATORS, answers.PLUG_INS, translate.NOTATIONS, classical.HEURISTIC_FILES),
    "commonsense_planning.environments",
}
"""The groups of entry points that the core looks at."""


def test_the_page_of_plug_ins_lists_every_group_of_entry_points() -> None:
    assert groups() >= OF_THE_CORE


def rooms_below(page: Path, heading: str) -> list[str]:
    """The rooms in a table of a page, from the top."""
    cells = re.findall(r"^\| (`.+?) \|", below(page.read_text(encoding="utf-8"), heading), re.MULTILINE)
    return [room.removesuffix("/") for cell in cells for room in CODE.findall(cell)]


def test_the_page_of_the_architecture_has_every_room_in_its_place() -> None:
    rooms = rooms_below(REPOSITORY / "docs" / "architecture.md", "The rooms")
    assert sorted(rooms) == sorted(RANK)
    assert [RANK[room] for room in rooms] == sorted(RANK[room] for room in rooms)


def test_every_command_is_told_of() -> None:
    told = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    names = {*cplan.list_commands(click.Context(cplan))} - {*plug_ins(PLUG_INS)}
    assert [name for name in sorted({*names, *KNOWN[PLUG_INS]}) if f"`cplan {name}" not in told] == []


def test_every_method_has_its_publication() -> None:
    page = (REPOSITORY / "docs" / "methods.md").read_text(encoding="utf-8")
    printed = below(page, "Where each method is published")
    named = set(CODE.findall("\n".join(re.findall(r"^\| (`.+?) \|", printed, re.MULTILINE))))
    assert {*registry.BUILT_IN, *KNOWN[registry.GROUP]} <= named


def test_the_readme_is_short_and_in_order() -> None:
    assert len(README.split()) <= 655
    sections = ["Install and first plan", "The same in Python", "Why", "What it cannot do", "Where next", "How to cite"]
    assert re.findall(r"^## (.+)$", README, re.MULTILINE) == [*sections, "Licence"]
    assert len(LINK.findall(below(README, "Where next").partition("\n\n`make docs`")[0])) == 6
    assert {"CHANGELOG.md", "docs/architecture.md", "CONTRIBUTING.md"} <= {*LINK.findall(README)}


def test_every_picture_of_the_readme_is_there_and_is_shown() -> None:
    shown = {*re.findall(r'(?:src|srcset)="([^"]+)"', README), *re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)}
    there = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs" / "pictures").iterdir()}
    assert len(shown) >= 3 and shown <= there
    assert all(re.search(r'alt="[^"]+"', image) for image in re.findall(r"<img .+?>", README))


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = (block for kind, block in BLOCK.findall(README) if kind == "python")
    assert len(code.splitlines()) <= 10
    exec(code, {})
    *steps, last = capsys.readouterr().out.splitlines()
    assert last == f"solved {len(steps)} steps valid"


def test_the_citation_is_of_this_version() -> None:
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    papers = re.findall(r"url: (\S+)$", citation, re.MULTILINE)
    assert papers == re.findall(r"\]\((https://arxiv.org/\S+)\)", README)
