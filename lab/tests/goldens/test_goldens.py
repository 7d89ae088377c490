"""Every golden run of the laboratory gives what it gave; ``python -m lab.tests.goldens --write`` takes on what it gives
now."""

from pathlib import Path

import pytest

from lab.tests.goldens.runs import GOLDENS
from lab.tests.shortcuts import shortcuts, sketches
from tests.goldens.comparing import HELP, difference, expected_file
from tests.goldens.recording import all_help, record

__all__ = ["shortcuts", "sketches"]
EXPECTED = Path(__file__).parent / "expected"
CORE = expected_file(HELP).read_text(encoding="utf-8")


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize("name", GOLDENS)
def test_a_golden_run(name: str) -> None:
    told = difference(name, record(GOLDENS[name]), EXPECTED)
    assert not told, f"\n{told}"


def test_the_help_of_every_command() -> None:
    told = difference(HELP, all_help(CORE), EXPECTED)
    assert not told, f"\n{told}"


def test_no_record_is_left_over() -> None:
    kept = {str(path.relative_to(EXPECTED).with_suffix("")) for path in EXPECTED.rglob("*.txt")}
    assert kept == {HELP, *GOLDENS}


@pytest.mark.parametrize("name", [name for name in GOLDENS if name.startswith("bench/")])
def test_the_golden_run_of_an_experiment_is_one_that_succeeds(name: str) -> None:
    assert "\n--- exit code\n0\n" in expected_file(name, EXPECTED).read_text(encoding="utf-8")
