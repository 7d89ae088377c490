"""The file that an experiment's results go to: a JSON object a line, one line per episode, found again by its key.

A process that is killed leaves at worst one torn last line, which readers skip. A run holds the file's lock as long as
it lasts, so that no two runs do the same episodes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append

NAME = "episodes.jsonl"

Row = dict[str, Any]
"""What came of an episode: ``key``, the labels of its cell, what was measured; ``error`` where it failed."""


def solved(row: Row) -> bool:
    """Whether the episode reached its goal; not where its plan was found invalid."""
    return bool(row["status"] == "solved")


class RowFile:
    """The file of ``folder``, which is made where it is missing, opened for adding to it.

    Raises InputError if that cannot be done, or if another run is at it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise InputError(f"{self.path}: cannot open the results: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise InputError(
                f"{self.path}: another run is writing here; wait for it, or choose another folder"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def append(self, row: Row) -> None:
        """Add a row, on a line of its own even where the last line is torn. Raises InputError if the disk is full."""
        try:
            append(self._file, row)
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the results: {error.strerror}") from error


def read_rows(folder: Path) -> list[Row]:
    """The rows of a folder, one per key, in the order of the keys' first lines; of several lines with one key the last
    counts. Raises InputError if there is no file that can be read."""
    path = folder / NAME
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read the results: {error.strerror}") from error
    return list({row["key"]: row for row in _rows(text.split(b"\n"))}.values())


def _rows(lines: Iterable[bytes]) -> Iterable[Row]:
    """What the lines hold, without torn ones."""
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("key"), str):
            yield row
