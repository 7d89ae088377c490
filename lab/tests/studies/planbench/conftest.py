"""Files for the tests of PlanBench."""

from pathlib import Path

import pytest

from lab.tests.studies.planbench.blocks import DOMAIN, problem


@pytest.fixture
def towers(tmp_path: Path) -> list[Path]:
    """A domain and problems of two, three, four and five blocks."""
    texts = {"domain.pddl": DOMAIN, **{f"tower-{number}.pddl": problem(number) for number in (2, 3, 4, 5)}}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]
