"""Every reader against spoilt files: each is read, or refused with a message. The nightly profile tries many more."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from commonsense_planning.errors import InputError
from tests.fuzz import other_readers, pddl_readers
from tests.fuzz.reading import Reader, Run
from tests.fuzz.reading import given as seeds
from tests.fuzz.spoiling import Tokens

READERS = {**pddl_readers.READERS, **other_readers.READERS}
FOUND = Path(__file__).with_name("found")  # inputs that found something, each named READER--WHAT
NIGHTLY = settings().max_examples > 100  # more than by default and in this project
EXAMPLES = 500 if NIGHTLY else 8
Folders = pytest.TempPathFactory


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, Path]]:
    """What runs an input of a reader, and its folder, of those that were opened before."""
    return {}


def check_spoilt(
    readers: Mapping[str, Reader], name: str, rng: Random, opened: dict[str, tuple[Run, Path]], folders: Folders
) -> None:
    """Fails unless a spoilt input of the reader of that name is read or refused."""
    if name not in opened:
        folder = folders.mktemp(name)
        opened[name] = readers[name].open(folder), folder
    data = readers[name].input(rng)
    note(repr(data))
    readers[name].check(*opened[name], data)


def check_found(readers: Mapping[str, Reader], file: Path, folder: Path) -> None:
    """As ``check_spoilt``, for an input that found something once."""
    reader = readers[file.name.partition("--")[0]]
    reader.check(reader.open(folder), folder, file.read_bytes())


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if NIGHTLY or not reader.slow])
@settings(max_examples=EXAMPLES, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_a_spoilt_file_is_read_or_refused(
    name: str, rng: Random, opened: dict[str, tuple[Run, Path]], tmp_path_factory: Folders
) -> None:
    check_spoilt(READERS, name, rng, opened, tmp_path_factory)


@pytest.mark.parametrize("file", sorted(FOUND.iterdir()), ids=lambda file: file.name)
def test_what_was_found_is_read_or_refused_now(file: Path, tmp_path: Path) -> None:
    check_found(READERS, file, tmp_path)


@pytest.mark.parametrize(
    ("raised", "expected"), [(KeyError("a"), KeyError), (InputError("something is wrong"), AssertionError)]
)
def test_what_is_no_message_for_a_user_is_lost(
    raised: Exception, expected: type[BaseException], tmp_path: Path
) -> None:
    def run(data: bytes) -> None:
        raise raised

    with pytest.raises(expected):
        Reader(seeds("a (b)"), Tokens(r"\w+|."), lambda folder: run).check(run, tmp_path, b"")
