"""Every golden run gives what it gave; ``python -m tests.goldens --write`` takes on what it gives now."""

import pytest

from tests.goldens.comparing import EXPECTED, HELP, difference
from tests.goldens.recording import all_help, record
from tests.goldens.runs import GOLDENS
from tests.shortcuts import shortcuts

__all__ = ["shortcuts"]


@pytest.mark.parametrize("name", GOLDENS)
def test_a_golden_run(name: str) -> None:
    told = difference(name, record(GOLDENS[name]))
    assert not told, f"\n{told}"


def test_the_help_of_every_command() -> None:
    told = difference(HELP, all_help())
    assert not told, f"\n{told}"


def test_no_record_is_left_over() -> None:
    kept = {str(path.relative_to(EXPECTED).with_suffix("")) for path in EXPECTED.rglob("*.txt")}
    assert kept == {HELP, *GOLDENS}
