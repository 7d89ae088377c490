"""The household tasks of "Large Language Models as Common-Sense Heuristics" (``tasks.toml``), and its variations.

Formulas are PDDL, except that quantifiers range over classes, as in ``(exists (?s - salmon) (heated ?s))``;
:func:`bind` replaces the classes by the things of a home."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.nodes import Group, Node, Symbol, render
from commonsense_planning.pddl.syntax import parse


@dataclass(frozen=True)
class HouseholdTask:
    """A task: the agent sees the sentence ``description``; only the simulator knows ``goal`` and ``failure``. The task
    fails as soon as ``failure`` holds; None where nothing can fail permanently. ``states``: class → the state in which
    all things of the class start, whatever the home says."""

    name: str
    description: str
    goal: str
    failure: str | None = None
    states: Mapping[str, str] = field(default_factory=dict)


_TABLE = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text(encoding="utf-8"))
TASKS = tuple(HouseholdTask(name, **entry) for name, entry in _TABLE.items())
"""In the order of the paper's table 2."""

ADVERSARIAL = {"tv": "ON", "garbagecan": "OPEN", "fridge": "OPEN", "microwave": "OPEN"}
"""The paper's adversarial environment (section 4.2): class → state."""

TOOTHPASTE_OPEN = {"toothpaste": "OPEN"}
"""A variation of the paper's error analysis (table 4): class → state."""

_NAMED = {task.name: task for task in TASKS}
_HINTS = {
    "throw-away-apple": "throw away apple. you must put the apple in the bin",
    "wash-the-plate": "wash the plate. don't forget to turn on the faucet!",
    "brush-teeth": "brush teeth. you will need a hand free to open the toothpaste.",
}
_IN_ADVERSITY = ("watch-tv", "throw-away-apple", "put-salmon-in-the-fridge", "microwave-salmon")
VARIANTS = (
    *(replace(_NAMED[name], name=f"{name}-adversarial", states=ADVERSARIAL) for name in _IN_ADVERSITY),
    *(replace(_NAMED[name], name=f"{name}-hint", description=told) for name, told in _HINTS.items()),
    replace(_NAMED["brush-teeth"], name="brush-teeth-toothpaste-open", states=TOOTHPASTE_OPEN),
)
"""The tasks of tables 3 and 4. The one without DROP is ``throw-away-apple`` with ``domain-no-drop.pddl``."""


def task_named(name: str) -> HouseholdTask:
    """Returns the task or variant of that name. Raises ``InputError``, which names all, if there is none."""
    known = _NAMED | {task.name: task for task in VARIANTS}
    if name not in known:
        raise InputError(f"there is no task {name!r}; there are {', '.join(known)}")
    return known[name]


def bind(formula: str, members: Mapping[str, Sequence[str]]) -> str:
    """Replaces each ``exists`` over classes by the alternatives among ``members`` (class → names). Raises
    ``InputError`` if a class has no member."""
    return render(_bind(parse(formula, define=False).root, {}, members))


def _bind(node: Node, values: Mapping[str, str], members: Mapping[str, Sequence[str]]) -> Node:
    if isinstance(node, Symbol):
        return Symbol(values.get(node.text, node.text))
    if node.head != "exists":
        return Group(tuple(_bind(part, values, members) for part in node.items))
    _, variables, body = node.items
    declared = render(variables).strip("()").split()
    names, kinds = declared[0::3], declared[2::3]
    missing = [kind for kind in kinds if not members.get(kind)]
    if missing:
        raise InputError(f"the task needs {' and '.join(missing)}, which the home does not have")
    choices = product(*(members[kind] for kind in kinds))
    bound = [_bind(body, {**values, **dict(zip(names, choice, strict=True))}, members) for choice in choices]
    return bound[0] if len(bound) == 1 else Group((Symbol("or"), *bound))
