"""The readers of experiments, against spoilt files: each is read, or refused with a message."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.tests.fuzz.readers import READERS
from tests.fuzz.reading import Run
from tests.fuzz.test_readers import EXAMPLES, NIGHTLY, check_found, check_spoilt, opened

__all__ = ["opened"]

FOUND = Path(__file__).with_name("found")  # inputs that found something, each named READER--WHAT


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if NIGHTLY or not reader.slow])
@settings(max_examples=EXAMPLES, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_a_spoilt_file_is_read_or_refused(
    name: str, rng: Random, opened: dict[str, tuple[Run, Path]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    check_spoilt(READERS, name, rng, opened, tmp_path_factory)


@pytest.mark.parametrize("file", sorted(FOUND.iterdir()), ids=lambda file: file.name)
def test_what_was_found_is_read_or_refused_now(file: Path, tmp_path: Path) -> None:
    check_found(READERS, file, tmp_path)
