"""Names that want to break out of where they stand. ``python -m benchmarks.reliability.hostile`` tries many more."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from tests.hostile import names, phrases, try_names


@settings(max_examples=4)
@given(called=names(13), said=phrases(5))
def test_names_are_names(called: list[str], said: list[str]) -> None:
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said, quick=True)


@pytest.mark.processes
@settings(max_examples=10)
@given(called=names(13), said=phrases(5))
def test_names_are_names_for_other_programs_too(called: list[str], said: list[str]) -> None:
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said)
