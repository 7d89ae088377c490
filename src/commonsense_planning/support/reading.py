"""Reading the user's files: every fault in one becomes an InputError with its place, in one place for all readers.

A reader runs in ``with reading(path, "a lexicon")``, or with the number of its line. Its own errors are unchanged.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError

MOST_BYTES = 256 * 2**20
"""The largest file that is read as a whole: a device may have no end."""

LARGEST = 1e100
"""The largest absolute value of a number in a file: a float can represent it, and products of three."""

WRONG = (OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError)
"""What readers raise for a wrong file."""

_OURS = Path(__file__).parents[1]
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Text:
    """A text in place of a file: its ``content``. Messages use its ``name`` as they use those of files."""

    content: str = field(repr=False)
    name: str = ""

    def __str__(self) -> str:
        return self.name or "<text>"


@contextmanager
def reading(
    path: Path | Text, what: str, line: int = 0, hint: str = "", also: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """A context that turns errors while ``path`` is read, or one ``line`` of it (from 1), into an InputError: the file
    cannot be read, or where and why it is not ``what``, and the ``hint``. ``also``: other exceptions of a library for a
    wrong file."""
    wrong: tuple[type[Exception], ...] = (*WRONG, *also)
    try:
        yield
    except wrong as error:
        raise InputError(_message(path, what, line, error) + (hint and f"; {hint}")) from error


def within(folder: Path, path: Path) -> Path:
    """``path``, which was found in a ``folder``, not named by the user: the folder may be a stranger's, and what is
    read may be sent to an endpoint. Raises InputError for a link that leads out of the folder, unless it ships with
    cplan."""
    leads = Path(os.path.realpath(path))
    if leads.is_relative_to(os.path.realpath(folder)) or folder.absolute().is_relative_to(_OURS):
        return path
    raise InputError(f"{path}: a link that leads out of its folder, to {leads}: only a copy is read")


def read_bytes(path: Path, what: str, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, at most ``most``. Raises InputError, also for one that is larger."""
    with reading(path, what), path.open("rb") as file:
        data = file.read(most + 1)
    return at_most(path, data, what, most)


def at_most(path: Path, data: bytes, what: str, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file. Raises InputError if there are more than ``most``."""
    if len(data) > most:
        raise InputError(f"{path}: is larger than {most >> 20} MB; expected {what}")
    return data


def read_text(path: Path | Text, what: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark. Raises InputError."""
    with reading(path, what):
        text = path.content if isinstance(path, Text) else read_bytes(path, what).decode("utf-8-sig")
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_toml(path: Path | Text, what: str) -> dict[str, Any]:
    """The tables of a TOML file. Raises InputError."""
    text = read_text(path, what)
    with reading(path, what):
        return tomllib.loads(text)


def json_value(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError, and RecursionError if it is nested too deeply. Numbers beyond
    ``LARGEST``, and halves of surrogate pairs, which UTF-8 cannot encode, are errors, too."""
    text = text if isinstance(text, str) else text.decode()
    value = json.loads(text, parse_float=number, parse_int=_integer, parse_constant=number)
    if _SURROGATE.search(text):
        json.dumps(value, ensure_ascii=False).encode()
    return value


def number(text: str) -> float:
    """The number in a text. Raises ValueError if it is not a number, or larger than ``LARGEST``."""
    value = float(text)
    if not abs(value) <= LARGEST:
        raise ValueError(f"{_short(text, 20)} is beyond {LARGEST:g}")
    return value


def _integer(text: str) -> int:
    number(text)
    return int(text)


def _message(path: Path | Text, what: str, line: int, error: Exception) -> str:
    place = f"{path}:{line}:1" if line else str(path)
    match error:
        case OSError() if error.strerror:
            return f"{place}: cannot be read: {error.strerror}"
        case UnicodeDecodeError():
            byte = error.object[error.start]
            before = error.object[: error.start].decode("utf-8", errors="replace")
            row, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            return f"{path}:{line or row}:{column}: not {what}: byte 0x{byte:02x} is not UTF-8"
        case json.JSONDecodeError():
            row, column = line or error.lineno, error.colno
            return f"{path}:{row}:{column}: not {what}: {error.msg}"
    return f"{place}: not {what}: {why(error)}"


def why(error: Exception) -> str:
    """What an error from ``WRONG`` means for the file, in a few words."""
    match error:
        case UnicodeEncodeError():
            return "half of a surrogate pair, which is no text"
        case RecursionError():
            return "nested too deeply"
        case KeyError():
            return f"{error} is missing"
    return _short(next(iter(str(error).splitlines()), "")).partition(";")[0] or type(error).__name__


def wrong_field(found: Mapping[str, Any]) -> str:
    """An item of pydantic's ``errors()`` as text: ``turns.0.late: should be a valid tuple``."""
    match found["type"]:
        case "missing":
            said = "is missing"
        case "extra_forbidden":
            said = "there is no such field"
        case _:
            said = re.sub(r"^(?:Input|[A-Z]\w+) should", "should", found["msg"])
    return ": ".join(filter(None, (".".join(map(str, found["loc"])), said)))


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
