"""Real input that is not part of the project: one folder for all tests and benchmarks, ``CPLAN_DATA``.

Small inputs with their right values lie in the folder above it, ``CPLAN_SHARED``.
A test that reads them is marked ``data``, and ``make test-data`` runs it. The default run finds nothing outside of the
checkout: ``hide_data`` sees to it, whatever lies next to it.
"""

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]
HOUSEHOLD = REPOSITORY / "pddl" / "household"
APPLE = HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl"
VARIABLE = "CPLAN_DATA"
SHARED = "CPLAN_SHARED"  # the folder above the data, where cases and tools lie
HIDDEN = "hidden"
APPLE_PLAN = """\
(walk-to-room kitchen)
(walk-to-place fridge kitchen)
(open-container fridge)
(grab-from-container apple_1 fridge)
(walk-to-place kitchentable kitchen)
(put-on apple_1 kitchentable)
"""
"""Solves ``household:small-apple``."""


def write_task(folder: Path, domain: str, problem: str, **others: str) -> tuple[Path, Path]:
    """Write the files of a domain, of a problem and of ``others``, such as ``sensors``; the first two."""
    for name, text in {"domain": domain, "problem": problem, **others}.items():
        (folder / f"{name}.pddl").write_text(text, encoding="utf-8")
    return folder / "domain.pddl", folder / "problem.pddl"


def data_root() -> Path:
    """The folder that ``CPLAN_DATA`` names, relative to the repository; ``../shared/data`` if it names none."""
    return (REPOSITORY / (os.environ.get(VARIABLE) or "../shared/data")).resolve()


def shared_root() -> Path:
    """The folder that ``CPLAN_SHARED`` names, relative to the repository; the one above the data if it names none."""
    return (REPOSITORY / (os.environ.get(SHARED) or data_root().parent)).resolve()


def shared_tool(name: str) -> Path:
    """A program of the folder ``tools`` next to the data; skips the test if it is not there."""
    tool = shared_root() / "tools" / name
    if not tool.is_file():
        pytest.skip(f"no {tool}: make test-data {SHARED}=FOLDER, with tools/{name} below it")
    return tool


def shared_cases() -> dict[str, tuple[Path, dict[str, Any]]]:
    """Small inputs with their right values, in the folder ``cases``: the name of a case → its folder, and what is
    right; none if there is no such folder."""
    expected = shared_root() / "cases" / "expected.toml"
    if os.environ.get(VARIABLE) == HIDDEN or not expected.is_file():
        return {}
    rows = tomllib.loads(expected.read_text(encoding="utf-8"))
    return {name: (expected.parent / "pddl" / name, row) for name, row in rows.items()}


def hide_data() -> None:
    """From now on there is no data, here and in processes that are started."""
    os.environ[VARIABLE] = HIDDEN


def shared_data(name: str) -> Path:
    """The folder ``name`` of the data; skips the test if it is not there."""
    assert os.environ.get(VARIABLE) != HIDDEN, "a test that reads the data is marked so: @pytest.mark.data"
    folder = data_root() / name
    if not folder.is_dir():
        pytest.skip(f"no {folder}: make test-data {VARIABLE}=FOLDER, with {name} below it")
    return folder


def ipc_tasks() -> list[tuple[Path, Path]]:
    """Every (domain file, problem file) of the IPC sample; none if the sample is not there."""
    tasks = []
    for problem in sorted((data_root() / "ipc").glob("*/*.pddl")):
        if "domain" not in problem.name:
            own = problem.with_name(f"{problem.stem}-domain.pddl")
            tasks.append((own if own.exists() else problem.with_name("domain.pddl"), problem))
    return tasks


def as_data(tasks: Iterable[tuple[Path, Path]]) -> list[Any]:
    """Tasks as parameters of tests that are run with the data alone."""
    return [pytest.param(*task, marks=pytest.mark.data) for task in tasks]


def ipc_task(name: str) -> tuple[Path, Path]:
    """The domain file and the problem file of ``DOMAIN/PROBLEM`` of the IPC sample; skips if it is not there."""
    problem = shared_data("ipc") / f"{name}.pddl"
    own = problem.with_name(f"{problem.stem}-domain.pddl")
    return own if own.exists() else problem.with_name("domain.pddl"), problem
