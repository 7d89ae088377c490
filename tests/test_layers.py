"""The layers of the package: a module imports only from its own room and from rooms before it.

Read from the top, the list is the way of the data: text in, task, world, search, plan out. Imports are read
from the source, those inside functions and those for types alone too.
"""

import ast
import re
from collections.abc import Iterator
from configparser import ConfigParser
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import commonsense_planning
from tests.data import REPOSITORY, data_root

PACKAGE = Path(commonsense_planning.__file__).parent
NAME = "commonsense_planning"

# Rooms on one line do not know each other. A room is a module or a folder of modules.
LAYERS = [
    ["errors"],
    ["config", "support"],
    ["pddl"],
    ["validation"],
    ["grounding"],
    ["kernels"],
    ["state"],
    ["heuristics"],
    ["matching"],
    ["wording"],
    ["embedded"],
    ["llm"],
    ["pomdp"],
    ["task"],
    ["instructions"],
    ["elicitation"],
    ["search", "planners"],
    ["methods"],
    ["agent"],
    ["testing"],
    ["view"],
    ["interfaces"],
    ["cli"],
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}


def room_of(path: Path) -> str:
    """The room of a source file."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path, package: Path = PACKAGE) -> Iterator[list[str]]:
    """What a source file of ``package`` imports from it, by its parts."""
    rooms = {room.stem for room in package.iterdir()}
    folders = [package.name, *path.relative_to(package).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = folders[: len(folders) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{origin}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == package.name and parts[1] in rooms:
                yield parts


def imports(path: Path) -> Iterator[str]:
    """The rooms that a source file imports from."""
    return (parts[1] for parts in imported(path))


SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.name != "__init__.py")


def test_every_room_has_its_place() -> None:
    assert {room_of(path) for path in SOURCES} == set(RANK)


def test_every_package_is_in_the_wheel() -> None:
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg", encoding="utf-8")
    folders = [init.parent.relative_to(PACKAGE.parent) for init in PACKAGE.rglob("__init__.py")]
    found = {".".join(folder.parts) for folder in folders}
    assert {*setup["options"]["packages"].split()} == {*found, f"{NAME}.packs"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_only_from_before(path: Path) -> None:
    room = room_of(path)
    for other in imports(path):
        fine = other == room or RANK[other] < RANK[room]
        assert fine, f"{path.relative_to(PACKAGE)} is in {room}, which must not know {other}"


def test_no_module_imports_itself_through_others() -> None:
    names = {".".join((NAME, *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in SOURCES}
    graph = {
        module: {name for parts in imported(path) for name in (".".join(parts), ".".join(parts[:-1])) if name in names}
        for module, path in names.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def test_nothing_knows_the_laboratory() -> None:
    """It is found through its entry points, where it is installed."""
    for path in SOURCES:
        assert not re.search(r"\bcommonsense_lab\b|\blaborator", path.read_text(), re.IGNORECASE), path.name


def test_only_the_episode_lets_environment_and_search_meet() -> None:
    for path in SOURCES:
        if room_of(path) == "search":
            assert "pomdp.environment import Environment" not in path.read_text(), path.name
        if room_of(path) == "pomdp":
            assert "search" not in set(imports(path)), path.name


def test_only_the_transition_model_carries_operators_out() -> None:
    """Elsewhere states are looked at through a ``StateView``, and what comes of an operator is asked of T."""
    for path in SOURCES:
        if RANK[room_of(path)] > RANK["pomdp"]:
            text, taken = path.read_text(), r"kernels.engine import .*\b(progress|is_applicable|goal_reached|failed)\b"
            assert ".half" not in text and not re.search(taken, text), path.name


def test_language_knows_no_states() -> None:
    for path in SOURCES:
        if room_of(path) in ("wording", "matching", "embedded", "llm", "instructions"):
            assert not {"pomdp", "search"} & set(imports(path)), path.name


def test_the_default_run_is_the_same_without_data_beside_the_checkout() -> None:
    assert not data_root().exists()


def test_ci_runs_the_first_commands_of_the_readme_as_they_stand_there() -> None:
    commands = re.search(r"```sh\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    first = [line.partition("#")[0].strip() for line in commands[1].splitlines()[:2]]
    script = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    start = script.index('cd "$empty/cplan"')
    assert [line for line in script[start:] if line.startswith("make ")][:2] == first


def test_the_belief_is_made_in_one_place() -> None:
    made = [path for path in SOURCES if re.search(r"(?<!\w)Belief\(", path.read_text())]
    assert made == [PACKAGE / "elicitation" / "prior.py"]


def test_only_code_and_what_it_reads_is_in_the_package() -> None:
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
    kinds = {path.suffix for path in files} - {".so", ""}  # compiled kernels, and the mark of when that was
    assert kinds <= {".py", ".toml", ".lark", ".jinja", ".js", ".css", ".txt", ".typed"}


def test_the_package_data_has_all_grammars() -> None:
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg", encoding="utf-8")
    data = setup["options.package_data"].items()
    listed = {file for name, globs in data for glob in globs.split(", ") for file in folder_of(name).glob(glob)}
    assert {*PACKAGE.rglob("*.lark")} <= listed


def folder_of(package: str) -> Path:
    return PACKAGE.joinpath(*package.split(".")[1:])
