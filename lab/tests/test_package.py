"""The laboratory as a package: layers read from its source, words, version, and what is in its wheel."""

from configparser import ConfigParser
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import commonsense_lab
import commonsense_planning
from tests.data import REPOSITORY
from tests.test_layers import imported
from tests.test_words import classes_in, gone_in, gone_in_pages

PACKAGE = Path(commonsense_lab.__file__).parent
# Rooms on one line do not know each other.
FIRST = ["interfaces", "learning", "llm", "pddl", "planners", "plans", "programs", "runner"]
LAYERS = [FIRST, ["report"], ["cli"], ["studies"]]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
SHARED = {"homes", "bench_command", "solve_study"}
"""Shared by several studies."""
SOURCES = {path.relative_to(PACKAGE): list(imported(path, PACKAGE)) for path in sorted(PACKAGE.glob("*/**/*.py"))}

STUDIES = [path for path in SOURCES if path.parts[0] == "studies" and len(path.parts) > 2]


def test_every_room_has_its_place() -> None:
    assert {path.parts[0] for path in SOURCES} == {*RANK}


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_imports_only_from_before(path: Path) -> None:
    room = path.parts[0]
    for _, other, *_ in SOURCES[path]:
        assert other == room or RANK[other] < RANK[room], f"{path} is in {room}, which must not know {other}"


def test_no_module_imports_itself_through_others() -> None:
    names = {".".join((PACKAGE.name, *path.with_suffix("").parts)): path for path in SOURCES}
    graph = {
        module: {name for parts in SOURCES[path] for name in (".".join(parts), ".".join(parts[:-1])) if name in names}
        for module, path in names.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


@pytest.mark.parametrize("path", STUDIES, ids=str)
def test_a_study_knows_no_other_study(path: Path) -> None:
    studies = {parts[2] for parts in SOURCES[path] if parts[1] == "studies"}
    assert studies <= {path.parts[1], *SHARED}


def test_retired_words_stay_away() -> None:
    assert gone_in(PACKAGE) == []
    assert gone_in_pages((REPOSITORY / "lab" / "docs").rglob("*.md")) == []


def test_a_class_name_has_one_meaning() -> None:
    assert classes_in(PACKAGE) == {}


SETUP = ConfigParser()
SETUP.read(REPOSITORY / "lab" / "setup.cfg", encoding="utf-8")


def test_both_versions_are_equal() -> None:
    assert commonsense_lab.__version__ == commonsense_planning.__version__
    wanted = SETUP["options"]["install_requires"].strip().splitlines()
    assert f"commonsense-planning == {commonsense_planning.__version__}" in wanted


def test_every_package_is_in_the_wheel() -> None:
    found = {".".join(init.parent.relative_to(PACKAGE.parent).parts) for init in PACKAGE.rglob("__init__.py")}
    assert {*SETUP["options"]["packages"].split()} == found
