"""How large the project may be, in lines of Python; ``pytest -s`` prints how large it is. Who adds, takes away."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.data import REPOSITORY

LAB = REPOSITORY / "lab"
CEILINGS = {
    "core": ((REPOSITORY / "src",), 47_800),  # 43,400 is the aim
    "laboratory": ((LAB / "src",), 21_870),
    "tests": ((REPOSITORY / "tests", LAB / "tests"), 50_300),
    "benchmarks": ((LAB / "benchmarks",), 6_920),
    "all": ((REPOSITORY,), 128_250),  # 124,800 is the aim
}


def lines(folders: Iterable[Path]) -> int:
    """Of all Python files below the folders, but for those of environments and builds."""
    files = {file for folder in folders for file in folder.rglob("*.py")}
    aside = {".venv", "build", "out", ".git"}
    ours = [file for file in files if not aside & {*file.relative_to(REPOSITORY).parts} and not file.is_symlink()]
    return sum(file.read_bytes().count(b"\n") for file in ours)


@pytest.mark.parametrize("part", CEILINGS)
def test_it_stays_below_its_ceiling(part: str) -> None:
    folders, most = CEILINGS[part]
    found = lines(folders)
    print(f"{part}: {found:,} of {most:,} lines")
    assert found <= most, f"{part}: {found - most:,} lines too many"
