"""Files for the tests of PlanBench."""

from pathlib import Path

import pytest

from lab.tests.studies.planbench.blocks import DOMAIN, problem


@pytest.fixture
def towers(tmp_path: Path) -> list[Path]:
    """A domain and problems of two, three, four and five blocks."""
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    files = [tmp_path / f"tower-{number}.pddl" for number in (2, 3, 4, 5)]
    for number, file in enumerate(files, 2):
        file.write_text(problem(number))
    return [tmp_path / "domain.pddl", *files]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that is laid out like a checkout of PlanBench, with the domain."""
    place = tmp_path / "plan-bench" / "instances" / "blocksworld"
    place.mkdir(parents=True)
    (place / "generated_domain.pddl").write_text(DOMAIN)
    return tmp_path
