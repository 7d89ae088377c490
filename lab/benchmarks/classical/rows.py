"""What was measured: a row for each table, planner and problem, one a line in a file that is only added to."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Under which a table's rows were taken, the same for all of them: ``limit`` seconds and ``memory`` MB for each
    process, on this ``machine``; ``jobs`` at a time. ``load``: the machine's load average when the run began."""

    limit: float
    memory: int
    machine: str
    jobs: int
    load: float
    date: str

    @property
    def told(self) -> str:
        """What is the same for all rows of a table."""
        return f"{self.limit:g} s, {self.memory} MB, {self.machine}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """``planner``, in that ``version``, on ``problem``, whose ``files`` are the domain's and its own.

    ``outcome``: "solved" (a plan that VAL accepts; for a translator, that it came to its end), "wrong" (a plan that it
    rejects), "unjudged" (one without a verdict), "none" (it ended without a plan), "time", or "left out" (not
    asked). ``said``: why, or VAL's words. ``seconds`` and ``processor`` (its time): of the whole process. ``peak``:
    bytes of its largest process. ``cost``: VAL's value of the plan. ``expanded``: states, and ``searched``: seconds of
    the search alone, where the planner tells.
    """

    table: str
    planner: str
    version: str
    problem: str
    files: tuple[str, str]
    conditions: Conditions
    outcome: str
    said: str = ""
    seconds: float = 0.0
    processor: float = 0.0
    peak: int = 0
    cost: float | None = None
    steps: int | None = None
    expanded: int | None = None
    searched: float | None = None

    @property
    def solved(self) -> bool:
        """Whether there is a plan that nothing is wrong with."""
        return self.outcome in ("solved", "unjudged")

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is about: there is one row of it."""
        return self.table, self.planner, self.problem


def read(path: Path) -> list[Row]:
    """Returns the rows of a file, without lines that are torn; none if there is no file. Raises InputError for a line
    that is no row."""
    kind, rows = TypeAdapter(Row), []
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else (), 1):
        try:
            rows.append(kind.validate_python(json.loads(line)))
        except json.JSONDecodeError:
            continue
        except ValidationError as error:
            raise InputError(f"{path}:{number}: no row of these tables: {error}") from error
    return rows


class RowFile:
    """The rows of a file, and more of them. Raises InputError where another run writes to it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.rows, self._lock = path, read(path), threading.Lock()
        self._keys = {row.key for row in self.rows}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise InputError(f"{path}: another run is writing here") from error

    def close(self) -> None:
        """Lets others write to the file."""
        os.close(self._file)

    def has(self, key: tuple[str, str, str]) -> bool:
        """Returns whether there is such a row already."""
        return key in self._keys

    def fits(self, table: str, conditions: Conditions) -> None:
        """Raises InputError if the table has rows under other conditions."""
        for row in self.rows:
            if row.table == table and row.conditions.told != conditions.told:
                told = f"{row.conditions.told}; now {conditions.told}"
                raise InputError(f"{table} has rows under other conditions: {told}: give another --out")

    def add(self, row: Row) -> None:
        """Adds a row, at once and whole."""
        row = replace(row, seconds=round(row.seconds, 3), processor=round(row.processor, 3))
        with self._lock:
            append(self.path, self._file, asdict(row))
            self.rows.append(row)
            self._keys.add(row.key)
