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
from commonsense_planning.cli.main import PLUG_INS, cplan
from commonsense_planning.errors import UsageError
from commonsense_planning.methods import registry
from commonsense_planning.support.registry import known_plug_ins
from lab.benchmarks.recordings import FIRST, RECORDINGS, listed
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


def git(*words: str, commit: str) -> str:
    """What git says of what a commit has; skips the test if this clone has no such commit."""
    command = ["git", "-C", str(REPOSITORY)]
    if subprocess.run([*command, "cat-file", "-e", commit], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"no commit {commit} in this clone")
    return subprocess.run([*command, *words], capture_output=True, text=True, check=True).stdout


def test_programs_that_only_a_commit_has_are_listed() -> None:
    told = [re.findall(r"python -m (benchmarks\b[\w.]*\w)", path.read_text(encoding="utf-8")) for path in PAGES]
    named = {name for names in told for name in names}
    listed = (
        (core.LAB / "docs" / "measured.md")
        .read_text(encoding="utf-8")
        .partition("\n## Programs that measured once\n")[2]
    )
    assert named <= {*re.findall(r"`(benchmarks\.[\w.]+)`", listed)}
    files = git("ls-tree", "-r", "--name-only", core.COMMIT, commit=core.COMMIT).splitlines()
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
    setup, known = lab_setup(), known_plug_ins()["laboratory"]["groups"]
    assert {group: {*names} for group, names in known.items()} == {group: {*setup[group]} for group in known}
    assert {*known[PLUG_INS]} <= {*cplan.list_commands(click.Context(cplan))}


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
    rows = [
        (name, METHODS[name].summary, str(METHODS[name].world))
        for name in known_plug_ins()["laboratory"]["groups"][registry.GROUP]
    ]
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
    (where,) = re.findall(r"`git show ([0-9a-f]{8}:\S+)`", first)
    git("cat-file", "-e", where, commit=where.partition(":")[0])


def test_pages_name_commits_that_are_there_and_no_tags() -> None:
    """Only commits are published."""
    texts = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}
    assert [
        path for path, text in texts.items() if re.search(r"at (?:the|a) (?:git )?tag|git show (?![0-9a-f]{8}:)", text)
    ] == []
    for commit in sorted({found for text in texts.values() for found in re.findall(r"`([0-9a-f]{7,8})`", text)}):
        git("merge-base", "--is-ancestor", commit, "HEAD", commit=core.COMMIT)


def test_pages_that_a_command_names_are_there() -> None:
    told = (core.LAB / "tests" / "goldens" / "expected" / "help.txt").read_text(encoding="utf-8")
    named = {*re.findall(r"(?:lab/)?docs/[\w-]+\.md", told)}
    assert [name for name in sorted(named) if not (REPOSITORY / name).is_file()] == []


NAMED = re.compile(r"large (?:language )?models?\b|large-2026-11|\b2[36] November\b|\$CPLAN_DATA/recordings")


def false_replays(text: str) -> list[str]:
    """Sentences on recorded answers of large models, in a paragraph that names them, that say that they replay, where
    ``replays.toml`` says otherwise: all of them do, or none does, or so many of so many do."""
    known = listed()
    sums = [tuple(sum(one[n] for one in known.values()) for n in ("replayed", "episodes"))]
    wrong = []
    for paragraph in re.split(r"\n\s*\n|\n- ", core.prose(text)):
        about = {name for name in known if re.search(rf"`{name}`", paragraph)}
        for sentence in re.split(r"(?<=[.!?])\s+", paragraph) if about or NAMED.search(paragraph) else ():
            if re.search(r"\breplay(?:s|ed|ing)?\b(?!\.toml)", sentence):
                dated = {
                    n for n, one in RECORDINGS.items() if ("23 Nov" if one.date == FIRST else "26 Nov") in sentence
                }
                shares = [(known[name]["replayed"], known[name]["episodes"]) for name in about or dated or known]
                told = [
                    tuple(int(n.replace(",", "")) for n in pair)
                    for pair in re.findall(r"([\d,]+) of ([\d,]+)", sentence)
                ]
                whole = all(some == every for some, every in shares)
                says_not = re.search(r"\bn[o']t\b|\bno longer\b|\bless than half\b|\bin part\b", sentence)
                if not {*told} <= {*shares, *sums} if told else whole == bool(says_not):
                    wrong.append(" ".join(sentence.split()))
    return wrong


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_what_is_said_to_replay_does(path: Path) -> None:
    assert path.name == "CHANGELOG.md" or false_replays(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("said", "fine"), [
    ("The answers are those of one large model, recorded and replayed: [tables](x.md).", False),
    ("Two large models answered recorded questions; runs replay the answers.", False),
    ("`large-2026-11` answered on 23 November. The tables replay these answers.", False),
    ("A large model answered; 6 of 150 episodes replay.", True),
    ("A large model answered; 149 of 150 episodes replay.", False),
    ("The large model's answers no longer replay, since prompts have changed.", True),
    ("All of `flights` is replayed.", True),
    ("`rearrangement-2` is replayed.", False),
    ("`--replay FILE` needs no key.", True),
])  # fmt: skip
def test_a_false_claim_to_replay_is_seen(said: str, fine: bool) -> None:
    assert (false_replays(said) == []) == fine


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
    assert len(words) <= 21
    assert sum(words) <= 16_700 and median(words) < 1_000


@pytest.mark.parametrize("path", sorted((core.LAB / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_use_the_public_face_alone(path: Path) -> None:
    assert {name for name in imported(path.read_text(encoding="utf-8")) if reaches_deeper(name)} == set()
