"""Where kernels are kept, and that they are compiled once per version of all their sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commonsense_planning.kernels import compiling
from commonsense_planning.kernels.compiling import cache_folder, folder_name

ROOM = Path(compiling.__file__).parent
FULL_DISK = "import argparse, shutil; shutil.disk_usage = lambda _: argparse.Namespace(free=2**20)"
SOLVE = """
import numpy as np
from commonsense_planning.kernels.engine import random_below
print(random_below(np.zeros(1, np.uint64), 100), *random_below.stats.cache_misses.values())
"""


def pythons(number: int, program: str, folder: Path, **environment: str) -> list[tuple[str, str]]:
    """What a program in so many processes at once prints on stdout and stderr, with Numba's cache in ``folder``."""
    told = {**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment}
    command, pipe = [sys.executable, "-c", program], subprocess.PIPE
    processes = [subprocess.Popen(command, env=told, stdout=pipe, stderr=pipe, text=True) for _ in range(number)]
    ended = [process.communicate() for process in processes]
    assert not any(process.returncode for process in processes), ended
    return [(out.strip(), err.strip()) for out, err in ended]


def python(program: str, folder: Path, **environment: str) -> tuple[str, str]:
    """What it prints in a process alone."""
    return pythons(1, program, folder, **environment)[0]


def test_the_folder_goes_by_all_sources(tmp_path: Path) -> None:
    names = []
    for text in ("one", "two", "one"):
        (tmp_path / "called.py").write_text(text)
        (tmp_path / "calling.py").write_text("the same")
        names.append(folder_name(tmp_path))
    assert names[0] == names[2] != names[1]
    (tmp_path / "called.py").rename(tmp_path / "other.py")
    assert folder_name(tmp_path) != names[0]


@pytest.mark.processes
def test_of_two_processes_one_compiles_and_what_is_damaged_is_made_anew(tmp_path: Path) -> None:
    assert sorted(out for out, _ in pythons(2, SOLVE, tmp_path)) == ["85", "85 1"]
    index, code = (next(tmp_path.rglob(f"*.{ending}")) for ending in ("nbi", "nbc"))
    for damaged in (index.write_bytes, code.write_bytes):
        damaged(b"")
    anew = "cplan: the kept kernels are damaged: compiling them anew: up to a minute in all …"
    assert python(SOLVE, tmp_path) == ("85 1", anew)
    assert python(FULL_DISK + SOLVE, tmp_path) == ("85", "")


@pytest.mark.processes
def test_on_a_full_disk_kernels_are_compiled_for_the_process_alone(tmp_path: Path) -> None:
    out, err = python(FULL_DISK + SOLVE, tmp_path)
    assert out == "85 1"
    assert err.startswith(f"cplan: no room for kernels in {tmp_path}/{folder_name()}: compiling them for this run")
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.processes
def test_what_was_compiled_from_other_sources_is_not_taken(tmp_path: Path) -> None:
    """Numba alone would go on with the old ``holds`` in a function of another file."""
    package = tmp_path / "commonsense_planning"
    shutil.copytree(ROOM.parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    program = """
import numpy as np
from commonsense_planning.kernels.sampling import Draws, draw_world
state = np.zeros(1, np.uint64)
none, zero = np.zeros((0, 1), np.int32), np.zeros(0, np.int32)
draw_world(Draws(1, zero, none, np.zeros((0, 1)), 0, np.array([0], np.int32), np.array([0.5])), np.zeros(1), state)
print(state[0])
"""
    told = {"PYTHONPATH": str(tmp_path)}
    assert python(program, tmp_path / "cache", **told)[0] == "1"
    source = package / "kernels" / "engine.py"
    before, after = "|= _ONE << np.uint64(fact & 63)", "|= _ONE << np.uint64(fact + 2 & 63)"
    assert before in source.read_text()
    source.write_text(source.read_text().replace(before, after))
    assert python(program, tmp_path / "cache", **told)[0] == "4"


@pytest.mark.processes
def test_where_numba_was_imported_before_the_folder_is_the_same(tmp_path: Path) -> None:
    python("import numba" + SOLVE, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [folder_name()]


@pytest.mark.processes
def test_a_folder_that_cannot_be_written_takes_no_kernel_away(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert python(SOLVE, tmp_path / "file")[0] == "85 1"


@pytest.mark.processes
def test_kernels_can_be_left_as_they_are(tmp_path: Path) -> None:
    program = """
import numpy as np
from commonsense_planning.kernels.engine import holds
print(holds(np.array([4], np.uint64), 2), type(holds).__name__)
"""
    assert python(program, tmp_path, NUMBA_DISABLE_JIT="1") == ("True function", "")


def test_folders_of_old_versions_go_and_those_in_use_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    now = time.time()
    for name, days in (("kernels-old", 30), ("kernels-other", 3), ("somebody-else's", 300)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (now, now - days * 24 * 3600))
    assert cache_folder("kernels-new") == tmp_path / "kernels-new"
    assert {path.name for path in tmp_path.iterdir()} == {"kernels-new", "kernels-other", "somebody-else's"}


def test_a_child_process_keeps_them_beside_its_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels-parent"))
    assert cache_folder("kernels-child") == tmp_path / "kernels-child"


def test_without_a_word_it_is_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder("kernels-x") == tmp_path / "cplan" / "kernels-x"


WITH_KERNELS = [path for path in sorted(ROOM.glob("*.py")) if "@njit(" in path.read_text()]


@pytest.mark.parametrize("path", WITH_KERNELS, ids=lambda path: path.stem)
def test_kernels_are_made_of_this_room_alone(path: Path) -> None:
    """So that the folder's name, a hash of this room, goes by all that machine code is made of."""
    for line in path.read_text().splitlines():
        if line.startswith("from commonsense_planning") and "import njit" not in line:
            module, names = line.removeprefix("from ").split(" import ")
            of_tasks = set(names.split(", ")) <= {"Int32", "Int64", "Lists", "by_item", "lists_of", "owners_of"}
            assert of_tasks or module.startswith("commonsense_planning.kernels"), line


def test_no_other_room_has_kernels() -> None:
    assert WITH_KERNELS
    for path in ROOM.parent.rglob("*.py"):
        assert path in WITH_KERNELS or path.parent == ROOM or "njit" not in path.read_text(), path
