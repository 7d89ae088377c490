"""Where tests find data that is not part of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


def shared_data() -> Path:
    """The data folder beside the repository; skips the test if there is none."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}")
    return folder


def ipc_tasks() -> list[tuple[Path, Path]]:
    """Every (domain file, problem file) of the IPC sample; none if the sample is not there."""
    tasks = []
    for problem in sorted((REPOSITORY.parent / "shared" / "data" / "ipc").glob("*/*.pddl")):
        if "domain" not in problem.name:
            own = problem.with_name(f"{problem.stem}-domain.pddl")
            tasks.append((own if own.exists() else problem.with_name("domain.pddl"), problem))
    return tasks
