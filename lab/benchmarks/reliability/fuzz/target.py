"""What is fuzzed: a reader, what it reads, how that is spoilt, and what may come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from commonsense_planning.errors import CplanError, InputError, LocatedError
from lab.benchmarks.reliability.fuzz.mutation import Mutator

ROOT = Path(__file__).parents[4]
PACKS = ROOT / "pddl"
FOUND = Path(__file__).with_name("found")  # inputs that found something, each named TARGET--WHAT

MOST_CHARACTERS = 100_000  # of an error: what a file is warned of, line by line, is said before it

Run = Callable[[bytes], None]


@dataclass(frozen=True, eq=False)
class Target:
    """A reader of cplan.

    ``weight``: its share of the inputs. ``seeds``: files, as texts; real ones too, where they are on this machine
    (``CPLAN_DATA``). ``spoil`` makes an input of them. ``open`` gets a folder of its own and gives what reads one
    input; it may raise what is ``allowed``, and nothing else. Where it ``names`` its files, the message of an error has
    to say which one, in that folder.
    """

    name: str
    weight: int
    seeds: Callable[[], Sequence[str]]
    spoil: Mutator
    open: Callable[[Path], Run]
    allowed: tuple[type[Exception], ...] = (InputError,)
    names: bool = True

    @cached_property
    def known(self) -> Sequence[str]:
        """The seeds, read once."""
        return self.seeds()

    def input(self, rng: Random) -> bytes:
        """The next input."""
        return self.spoil(rng, self.known)


def text(data: bytes) -> str:
    """An input as a text that came as one, such as a model's answer: what is no UTF-8 is replaced."""
    return data.decode("utf-8", "replace")


@contextmanager
def accepted(what: str) -> Iterator[None]:
    """What was read already, and is written or read again here, must not be refused."""
    try:
        yield
    except CplanError as error:
        raise AssertionError(f"{what} was read, and is refused afterwards: {error}") from error


def complaint(target: Target, error: BaseException, folder: Path) -> str:
    """What is wrong with an error that a user would be shown; empty if nothing is."""
    if not isinstance(error, target.allowed):
        return type(error).__name__
    said = error.line if isinstance(error, CplanError) else str(error)
    if not said.strip():
        return "an error without words"
    if target.names and str(folder) not in said:
        return "an error that does not say in which file"
    if len(said) > MOST_CHARACTERS:
        return f"an error of more than {MOST_CHARACTERS:,} characters"
    if isinstance(error, LocatedError) and not (error.place.line >= 1 and error.place.column >= 1):
        return "an error at no place"
    if not _writable(said):
        return "an error that cannot be written"
    return ""


def _writable(said: str) -> bool:
    try:
        said.encode()
    except UnicodeEncodeError:
        return False
    return True
