"""A file of rows, one JSON object with a ``key`` per line, to which a run adds each result as soon as it is there.

A killed process leaves at most one torn last line, which readers skip. A run locks the file, so that no two runs do the
same work.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.reading import json_value, read_bytes, reading, wrong_field

REMOVE = "remove the line, and the same command does its work again"

Row = TypeVar("Row")


@dataclass(frozen=True)
class Line:
    """A line of the file: its place, its text and its ``data``, which has at least a key."""

    path: Path
    number: int
    text: bytes
    data: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The row's key."""
        return str(self.data["key"])

    @property
    def error(self) -> str:
        """The error that the row tells of, empty without one."""
        return str(self.data.get("error") or "")

    def row(self, kind: type[Row]) -> Row:
        """Returns the line as a dataclass, or one of a union of them. Raises InputError, with the line, for fields that
        are missing or of another type."""
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(kind).validate_json(self.text, strict=True)
        except ValidationError as error:
            wrong = wrong_field(error.errors()[0])
            raise InputError(f"{self.path}:{self.number}:1: not a row: {wrong}; {REMOVE}") from error


class RowFile:
    """The file at ``path``, opened to append to; it and its folder are made if need be. Raises InputError if that
    cannot be done, or if another run uses it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise InputError(f"{path}: cannot open the results: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise InputError(f"{path}: another run is writing here; wait for it, or choose another folder") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def append(self, row: Mapping[str, Any]) -> None:
        """Adds a row, on a separate line even after a torn one. Raises InputError if the disk is full or the file has
        gone."""
        try:
            append(self.path, self._file, dict(row))
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the results: {error.strerror}") from error


def read_lines(path: Path) -> list[Line]:
    """Reads the lines of a file, one per key, in the order of the keys' first lines; of several lines with one key the
    last counts; torn lines are skipped. Raises InputError for a file that cannot be read, and for lines with numbers,
    texts or lists that no row has."""
    data = read_bytes(path, "results")
    found: dict[str, Line] = {}
    for number, text in enumerate(data.split(b"\n"), start=1):
        with reading(path, "a row", number, REMOVE):
            try:
                row = json_value(text)
            except (json.JSONDecodeError, UnicodeDecodeError):
                continue  # torn
        if isinstance(row, dict) and isinstance(row.get("key"), str):
            found[row["key"]] = Line(path, number, text, row)
    return list(found.values())
