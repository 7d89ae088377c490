"""The layers of the laboratory, read from its source as those of the core are: any room may use the core, and of the
laboratory its own room and rooms before it."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import commonsense_lab
from tests.test_layers import imported

PACKAGE = Path(commonsense_lab.__file__).parent
# Rooms on one line do not know each other.
LAYERS = [
    ["interfaces", "learning", "llm", "pddl", "planners", "programs", "runner"],
    ["report"],
    ["cli"],
    ["studies"],
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
SHARED = {"homes", "bench_command", "solve_study"}
"""What several studies have in common."""
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
