"""Tasks in a store: a few departments, some of their sections, three to eight items to collect, all drawn by a seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.household import comment_lines, joined, problem_text
from commonsense_lab.studies.store.products import Products
from commonsense_planning.errors import InputError

PACK = Path(__file__).parent
DEPARTMENTS = 4  # of a store, at most
SECTIONS = 8  # of a department, at most
ITEMS = (3, 8)  # to collect
ENTRANCE = "entrance"  # a department without sections, where the robot is at first


@dataclass(frozen=True)
class StoreTask:
    """``departments``: name → its sections; ``placed``: each item to collect → its section."""

    name: str
    departments: dict[str, tuple[str, ...]]
    placed: dict[str, str]

    @property
    def sections(self) -> tuple[str, ...]:
        """All sections."""
        return tuple(section for sections in self.departments.values() for section in sections)

    @property
    def problem(self) -> str:
        """The text of a problem file of the store domain."""
        objects = {"department": (ENTRANCE, *self.departments), "section": self.sections, "item": tuple(self.placed)}
        init = [
            [f"(robot-in {ENTRANCE})"],
            [f"(part-of {section} {d})" for d, sections in self.departments.items() for section in sections],
            [f"(in {item} {section})" for item, section in self.placed.items()],
        ]
        goal = joined("and", [f"(collected {item})" for item in self.placed])
        head = comment_lines(f"Collect {len(self.placed)} items in a store of {len(self.sections)} sections.")
        return problem_text(head, self.name, "store", objects, init, goal)


def draw_task(products: Products, seed: int, index: int) -> StoreTask:
    """Draws task number ``index`` of a seed: departments and sections uniformly, for each item a section uniformly and
    then one of its items. Raises InputError for too few products."""
    rng = np.random.default_rng([seed, index])
    names = rng.permutation(sorted(products.departments)).tolist()[:DEPARTMENTS]
    departments = {
        name: tuple(rng.permutation(sorted(products.departments[name])).tolist()[:SECTIONS]) for name in names
    }
    left = {s: sorted(products.departments[name][s]) for name, sections in departments.items() for s in sections}
    least, most = ITEMS
    number = int(rng.integers(least, most + 1))
    if sum(map(len, left.values())) < number:
        raise InputError(f"the departments {', '.join(names)} have less than {number} items to collect")
    placed: dict[str, str] = {}
    while len(placed) < number:
        section = str(rng.choice([s for s, items in left.items() if items]))
        placed[left[section].pop(int(rng.integers(len(left[section]))))] = section
    return StoreTask(f"store-{seed}-{index:04d}", departments, placed)
