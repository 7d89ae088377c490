"""The documents of both packages are true in what a program can check, with all commands and options that there are."""

import re
import subprocess
from configparser import ConfigParser
from io import BytesIO, TextIOWrapper
from pathlib import Path
from statistics import median

import click
import pytest

import commonsense_lab
from commonsense_planning import METHODS
from commonsense_planning.cli.main import LABORATORY, cplan
from commonsense_planning.errors import UsageError
from commonsense_planning.methods import registry
from tests import test_docs as core
from tests.data import REPOSITORY
from tests.test_face import check_page, imported, reaches_deeper

PAGES = [*sorted((core.LAB / "docs").rglob("*.md")), core.LAB / "examples" / "README.md"]
DOCUMENTS = [*core.DOCUMENTS, *PAGES]
NAMES = [path.relative_to(REPOSITORY).as_posix() for path in DOCUMENTS]


@pytest.fixture(scope="module")
def files() -> list[str]:
    return core.all_files()


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_a_document_is_true(path: Path, files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO()))  # which some commands read
    core.check_links(path)
    core.check_commands(path)
    core.check_modules(path)
    core.check_files(path, files)


def git(*words: str, tag: str) -> str:
    """What git says of what a tag has; skips the test if this clone has no such tag."""
    command = ["git", "-C", str(REPOSITORY)]
    if subprocess.run([*command, "cat-file", "-e", tag], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"no tag {tag} in this clone")
    return subprocess.run([*command, *words], capture_output=True, text=True, check=True).stdout


def test_programs_that_only_the_tag_has_are_listed() -> None:
    told = [re.findall(r"python -m (benchmarks\b[\w.]*\w)", path.read_text(encoding="utf-8")) for path in PAGES]
    named = {name for names in told for name in names}
    listed = (core.LAB / "docs" / "measured.md").read_text(encoding="utf-8").partition("\n## At the tag\n")[2]
    assert named <= {*re.findall(r"`(benchmarks\.[\w.]+)`", listed)}
    files = git("ls-tree", "-r", "--name-only", core.TAG, tag=core.TAG).splitlines()
    assert named <= {file.removesuffix(".py").removesuffix("/__main__").replace("/", ".") for file in files}


@pytest.mark.parametrize(
    ("command", "fine"),
    [
        ("cplan bench household -o results | tail", True),
        ("cplan bench no-such-experiment", False),
        ("cplan bench household --no-such-option", False),
        ("cplan solve d.pddl p.pddl --method llm-program --no-such-option", False),
    ],
)
def test_a_wrong_command_of_the_laboratory_is_seen(command: str, fine: bool) -> None:
    try:
        core.parse(core.words(command)[1:])
    except (click.UsageError, UsageError):
        assert not fine
    else:
        assert fine


def test_the_core_knows_the_commands_and_methods_of_the_laboratory_by_name() -> None:
    setup = lab_setup()
    assert {*setup["commonsense_planning.commands"]} == {*LABORATORY}
    assert {*setup["commonsense_planning.methods"]} == {*registry.LABORATORY}
    assert {*LABORATORY} <= {*cplan.list_commands(click.Context(cplan))}


def lab_setup() -> dict[str, dict[str, str]]:
    """The laboratory's entry points: group → name → place."""
    setup = ConfigParser()
    setup.optionxform = str  # type: ignore[assignment, method-assign]
    setup.read(core.LAB / "setup.cfg", encoding="utf-8")
    lines = {group: text.strip().splitlines() for group, text in setup["options.entry_points"].items()}
    return {group: dict(re.split(" *= *", line, maxsplit=1) for line in found) for group, found in lines.items()}


def test_the_page_of_plug_ins_lists_the_groups_of_both() -> None:
    assert core.groups() == {*core.OF_THE_CORE, *lab_setup()}


def test_the_page_of_methods_lists_those_of_the_laboratory() -> None:
    rows = [(name, METHODS[name].summary, str(METHODS[name].world)) for name in registry.LABORATORY]
    assert core.methods_below("Methods of the laboratory") == rows


def test_the_page_of_the_architecture_has_every_room() -> None:
    rooms = {init.parent.name for init in Path(commonsense_lab.__file__).parent.glob("*/__init__.py")}
    assert sorted(core.rooms_below(core.LAB / "docs" / "architecture.md", "The rooms")) == sorted(rooms)


def test_the_site_leads_to_every_page() -> None:
    core.check_the_site([name for name in NAMES if name.startswith("lab/") and name.count("/") < 3])


def test_every_example_is_run_and_has_its_line() -> None:
    run = [core.recipe(core.LAB / "lab.mk", target) for target in ("lab-examples", "test-inspect")]
    core.check_examples(core.LAB / "examples", "\n".join(run))


def test_the_first_page_says_where_the_long_pages_are() -> None:
    first = (core.LAB / "docs" / "measured.md").read_text(encoding="utf-8")
    (where,) = re.findall(r"`git show (pages-[\d-]+:\S+)`", first)
    git("cat-file", "-e", where, tag=where.partition(":")[0])


def test_pages_that_a_command_names_are_there() -> None:
    told = (core.LAB / "tests" / "goldens" / "expected" / "help.txt").read_text(encoding="utf-8")
    named = {*re.findall(r"(?:lab/)?docs/[\w-]+\.md", told)}
    assert [name for name in sorted(named) if not (REPOSITORY / name).is_file()] == []


HOW_TO = ("architecture", "cluster", "experiments", "results")
MEASURED = [path.stem for path in sorted((core.LAB / "docs").glob("*.md")) if path.stem not in HOW_TO]
MARK = re.compile(r"^Measured at (`[0-9a-f]{7}`.*) on (an? .+): .*`.+`.*\.$", re.MULTILINE)


@pytest.mark.parametrize("name", MEASURED)
def test_a_page_of_measurements_names_commit_machine_and_command(name: str) -> None:
    assert MARK.search((core.LAB / "docs" / f"{name}.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["performance", "alfworld"])
def test_the_examples_of_a_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    check_page(core.LAB / "docs" / f"{name}.md", tmp_path)


def test_the_pages_stay_few_and_short() -> None:
    """Words as ``wc -w`` counts them, over all pages, bars of tables among them."""
    words = [len(path.read_text(encoding="utf-8").split()) for path in (core.LAB / "docs").rglob("*.md")]
    assert len(words) < 20
    assert sum(words) <= 15_000 and median(words) < 1_000


@pytest.mark.parametrize("path", sorted((core.LAB / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_use_the_public_face_alone(path: Path) -> None:
    assert {name for name in imported(path.read_text(encoding="utf-8")) if reaches_deeper(name)} == set()
