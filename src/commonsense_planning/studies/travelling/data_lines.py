"""Lines of comma-separated data, each of which is read or set aside for a reason."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from commonsense_planning.errors import InputError

SHOWN = 5  # line numbers that are kept for a reason
_MISSING = re.compile(r"(?<![^,])\\N(?![^,])")  # a field that is \N and nothing else


@dataclass
class SetAside:
    """The lines not used for one reason: how many, and the numbers of the first ones, from 1."""

    count: int = 0
    first: list[int] = field(default_factory=list)


@dataclass
class Reading:
    """What became of a file's lines: ``lines`` are all, ``used`` those that were read, ``reasons`` the others."""

    path: Path
    lines: int = 0
    used: int = 0
    reasons: dict[str, SetAside] = field(default_factory=dict)

    def set_aside(self, number: int, reason: str) -> None:
        """Count a line as not used."""
        entry = self.reasons.setdefault(reason, SetAside())
        entry.count += 1
        if len(entry.first) < SHOWN:
            entry.first.append(number)


def read_lines(path: Path, fields: int, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    r"""The lines of a file with that number of fields, with their numbers; all others are set aside in ``reading``.

    UTF-8, fields in quotes where need be, ``\`` before a quote inside, ``\N`` for what is missing: it is given as an
    empty text, and all texts without blanks around them. Raises InputError if the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; give the file's place") from error
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        reading.lines += 1
        try:
            text = raw.decode("utf-8").rstrip("\r")
            values = next(csv.reader([_MISSING.sub("", text)], escapechar="\\", strict=True)) if text.strip() else []
        except UnicodeDecodeError:
            reading.set_aside(number, "not UTF-8")
            continue
        except csv.Error:
            reading.set_aside(number, "quotes that do not match")
            continue
        if not values:
            reading.set_aside(number, "empty line")
        elif len(values) != fields:
            reading.set_aside(number, f"not {fields} fields")
        else:
            yield number, [value.strip() for value in values]
