"""Products by department and section of a store, from a table such as the leaves of a product taxonomy."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import read_text

HEAD = ["department", "section", "item"]


class Half(StrEnum):
    """Which departments of a table: every other one in alphabetical order, from the first (train) or from the second
    (held-out), or all."""

    TRAIN = "train"
    HELD_OUT = "held-out"
    ALL = "all"


@dataclass(frozen=True)
class Products:
    """Department → section → its items, all as PDDL names. No name occurs twice. ``left_out``: items whose name is that
    of another item, a section or a department, or is no PDDL name."""

    departments: dict[str, dict[str, tuple[str, ...]]]
    left_out: int

    @property
    def sections(self) -> dict[str, tuple[str, ...]]:
        """Section → its items."""
        return {section: items for sections in self.departments.values() for section, items in sections.items()}

    def half(self, half: Half) -> Products:
        """Returns the departments of a half."""
        first, step = {Half.TRAIN: (0, 2), Half.HELD_OUT: (1, 2), Half.ALL: (0, 1)}[half]
        names = sorted(self.departments)[first::step]
        return Products({name: self.departments[name] for name in names}, self.left_out)


def symbol(name: str) -> str:
    """Returns a PDDL name of the same words: "Print, Copy & Scan" is ``print-copy-and-scan``."""
    plain = unicodedata.normalize("NFKD", name.replace("&", " and ").replace("'", ""))
    return re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode().lower()).strip("-")


def read_products(path: Path) -> Products:
    """Reads a table of department, section and item, tab-separated, with these heads. A section of a name that several
    departments have gets the department's name before its own. Raises InputError for another table."""
    rows = list(csv.reader(read_text(path, "a table of products").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    for number, row in enumerate(rows or [[]], start=1):
        if len(row) != len(HEAD) or not all(map(symbol, row)) or (number == 1 and row != HEAD):
            expected = " and ".join((", ".join(HEAD[:-1]), HEAD[-1]))
            raise InputError(f"{path}:{number}:1: not a row of a table of products: expected {expected} between tabs")
    named = [[symbol(cell) for cell in row] for row in rows[1:]]
    shared = Counter(section for _, section in {(department, section) for department, section, _ in named})
    named = [[d, s if shared[s] == 1 else f"{d}-{s}", item] for d, s, item in named]
    taken = Counter(item for _, _, item in named) + Counter({name for d, s, _ in named for name in (d, s)})
    found: dict[str, dict[str, list[str]]] = {}
    for department, section, item in named:
        if taken[item] == 1 and item[0].isalpha():
            found.setdefault(department, {}).setdefault(section, []).append(item)
    departments = {d: {s: tuple(items) for s, items in sections.items()} for d, sections in found.items()}
    kept = sum(len(items) for sections in departments.values() for items in sections.values())
    return Products(departments, len(named) - kept)
