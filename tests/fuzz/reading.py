"""What is fuzzed: a reader, what it reads, how that is spoilt, and what may result from it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from commonsense_planning import CplanError, InputError, Problem, Task, read_problem, read_task
from commonsense_planning.errors import LocatedError
from tests.data import APPLE, REPOSITORY
from tests.fuzz.spoiling import Json, Mutator, Tokens

HOUSEHOLD = REPOSITORY / "pddl" / "household"
MOST_CHARACTERS = 100_000  # of an error: what a file is warned of, line by line, is said before it
JSON, JSON_LINES = Json(), Json(lines=True)
WORDS = Tokens(
    r"\n|[^\S\n]+|\w+|.",
    (
        *("inside", "on", "fridge", "the", "a", "or", "and", "not", "kitchen table", "ANSWER:", "Answer:", "1.", "- "),
        *("```", "```python\n", "Question:", "apple", "two", "all", "every", "none", "*", "**", "9" * 12, "(1)", "of"),
    ),
    "()[]{}",
)
TOML = Tokens(
    r'#[^\n]*|\n|[^\S\n]+|"[^"\n]*"|[\w.-]+|.',
    (
        *("1", "-1.5", "1e400", "inf", "nan", "true", '"text"', "'text'", '"{a} {b}"', "[]", "[1]", '["a", "b"]', "{}"),
        *("{a = 1}", "[[1]]", "1979-05-27", "07:32:00", '"""', "[table]", "[[array]]", "\n[a.b.c]\n", "= 1"),
    ),
    "[]{}",
)
Run = Callable[[bytes], None]


@dataclass(frozen=True, eq=False)
class Reader:
    """A reader of cplan.

    ``seeds``: files, as texts. ``spoil`` makes an input of them. ``open`` gets a folder and gives what reads one
    input; it may raise what is ``allowed``, and nothing else. Where it ``names`` its files, the message of an error has
    to say which one, in that folder. ``slow``: only for the nightly run.
    """

    seeds: Callable[[], Sequence[str]]
    spoil: Mutator
    open: Callable[[Path], Run]
    allowed: tuple[type[Exception], ...] = (InputError,)
    names: bool = True
    slow: bool = False

    def input(self, rng: Random) -> bytes:
        """A spoilt input."""
        return self.spoil(rng, _seeds(self))

    def check(self, run: Run, folder: Path, data: bytes) -> None:
        """Read an input, which raises what is lost: an error that is not allowed, or that tells a user nothing."""
        try:
            run(data)
        except self.allowed as error:
            said = error.line if isinstance(error, CplanError) else str(error)
            said.encode()
            assert said.strip(), "an error without words"
            assert not self.names or str(folder) in said, f"an error that does not say in which file: {said}"
            assert len(said) <= MOST_CHARACTERS, "an error without end"
            if isinstance(error, LocatedError):
                assert error.place.line >= 1 and error.place.column >= 1, "an error at no place"


@cache
def _seeds(reader: Reader) -> Sequence[str]:
    return reader.seeds()


def given(*texts: str) -> Callable[[], Sequence[str]]:
    """Seeds that are written here."""
    return lambda: texts


def files(*patterns: str) -> Callable[[], Sequence[str]]:
    """Real files of the repository."""
    return lambda: [f.read_text("utf-8") for pattern in patterns for f in sorted(REPOSITORY.glob(pattern))]


def of_file(name: str, read: Callable[[Path], object]) -> Callable[[Path], Run]:
    """What reads one file of that name."""

    def open_in(folder: Path) -> Run:
        file = folder / name

        def run(data: bytes) -> None:
            file.write_bytes(data)
            read(file)

        return run

    return open_in


def of_text(read: Callable[[str], object]) -> Callable[[Path], Run]:
    """What reads a text that came as one, such as a model's answer: what is no UTF-8 is replaced."""
    return lambda folder: lambda data: void(read(data.decode("utf-8", "replace")))


def void(_: object) -> None:
    """Nothing, whatever was read."""


@contextmanager
def accepted(what: str) -> Iterator[None]:
    """What was read already, and is written or read again here, must not be refused."""
    try:
        yield
    except CplanError as error:
        raise AssertionError(f"{what} was read, and is refused afterwards: {error}") from error


@cache
def household() -> Problem:
    """The problem that sensors, goals and plans are of."""
    return read_problem(*APPLE)


@cache
def household_task() -> Task:
    """The same, with its sensors and lexicon."""
    return read_task(*APPLE)
