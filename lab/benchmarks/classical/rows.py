"""What was measured: a row for each table, planner and problem, one a line in a file that is only added to."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter, ValidationError

from commonsense_planning.support.json_lines import append


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Under which a table's rows were taken, the same for all of them: ``limit`` seconds and ``memory`` MB for each
    process, on this ``machine``; ``jobs`` at a time. ``load``: the machine's load average when the run began.
    ``processor``: the seconds are a processor's, since others use the machine, too."""

    limit: float
    memory: int
    machine: str
    jobs: int
    load: float
    date: str
    processor: bool = False

    def same(self, other: Conditions) -> bool:
        """Whether rows under both can stand in one table."""
        own, others = ((c.limit, c.processor, c.memory, c.machine) for c in (self, other))
        return own == others


@dataclass(frozen=True, kw_only=True)
class Row:
    """``planner``, in that ``version``, on ``problem``, whose ``files`` are the domain's and its own.

    ``outcome``: "solved" (a plan that VAL accepts; for a translator, that it came to its end), "wrong" (a plan that it
    rejects), "unjudged" (one that it says nothing of), "none" (it ended without a plan), "time", or "left out" (not
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


class Unfit(Exception):
    """Rows that cannot be read, or cannot stand beside each other; says which."""


def read(path: Path) -> list[Row]:
    """The rows of a file, without lines that are torn; none if there is no file. Raises Unfit for a line that is no
    row."""
    kind = TypeAdapter(Row)
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else (), 1):
        try:
            rows.append(kind.validate_python(json.loads(line)))
        except json.JSONDecodeError:
            continue
        except ValidationError as error:
            raise Unfit(f"{path}:{number}: no row of these tables: {error}") from error
    return rows


class RowFile:
    """The rows of a file, and more of them. Raises Unfit where another run writes to it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.rows = read(path)
        self._keys = {row.key for row in self.rows}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._lock = threading.Lock()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise Unfit(f"{path}: another run is writing here") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def has(self, key: tuple[str, str, str]) -> bool:
        """Whether there is such a row already."""
        return key in self._keys

    def fits(self, table: str, conditions: Conditions) -> None:
        """Raises Unfit if the table has rows under other conditions."""
        for row in self.rows:
            if row.table == table and not row.conditions.same(conditions):
                told, asked = (f"{c.limit:g} s, {c.memory} MB, {c.machine}" for c in (row.conditions, conditions))
                raise Unfit(f"{table} has rows under other conditions: {told}; now {asked}: give another --out")

    def add(self, row: Row) -> None:
        """Add a row, at once and whole."""
        row = replace(row, seconds=round(row.seconds, 3), processor=round(row.processor, 3))
        with self._lock:
            append(self.path, self._file, asdict(row))
            self.rows.append(row)
            self._keys.add(row.key)
