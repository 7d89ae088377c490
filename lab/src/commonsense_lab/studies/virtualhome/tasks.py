"""The ten household tasks of the paper "Large Language Models as Common-Sense Heuristics", and its variations.

The names are those of its tables 2, 3 and 4. The paper prints the conditions of ``microwave salmon`` only; the other
goals and failure conditions are ours. Formulas are PDDL, except that quantifiers range over classes:
``(exists (?s - salmon) (heated ?s))``; :func:`bind` puts the things of a home in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.syntax import Group, Node, Symbol, parse, render


@dataclass(frozen=True)
class HouseholdTask:
    """What to do: ``description`` is the sentence that the agent sees, ``goal`` and ``failure`` are what only the
    simulator knows. The task fails as soon as ``failure`` holds; None where nothing can go wrong for good.

    ``states``: class → state that all things of the class start in, against what the home says.
    """

    name: str
    description: str
    goal: str
    failure: str | None
    states: Mapping[str, str] = field(default_factory=dict)


# In the order of the paper's table 2: by the length of the shortest plan. Our lengths, in the apartment that ships
# and in TestScene1, the paper's:
#
#   watch-tv                         3  3    our WATCH is an action of its own
#   turn-off-light                   2  2
#   throw-away-apple                 5  5
#   make-toast                       5  5
#   eat-chips-on-the-sofa            5  5
#   put-salmon-in-the-fridge         5  5
#   brush-teeth                      6  6
#   wash-the-plate                   6  6
#   microwave-salmon                 6  5    in TestScene1 the salmon lies on the microwave: one walk less
#   bring-items-to-the-coffee-table  7  7
TASKS = (
    HouseholdTask(
        "watch-tv",
        "watch tv",
        "(exists (?t - tv) (and (watched ?t) (switched-on ?t)))",
        "(exists (?t - tv) (and (watched ?t) (not (switched-on ?t))))",
    ),
    HouseholdTask("turn-off-light", "turn off light", "(exists (?l - lightswitch) (not (switched-on ?l)))", None),
    HouseholdTask(
        "throw-away-apple",
        "throw away apple",
        "(exists (?a - apple ?b - garbagecan) (inside ?a ?b))",
        "(exists (?a - apple) (eaten ?a))",
    ),
    HouseholdTask(
        "make-toast",
        "make toast",
        "(exists (?b - breadslice ?t - toaster) (and (heated ?b) (inside ?b ?t) (switched-on ?t)))",
        "(exists (?b - breadslice) (and (heated ?b) (not (exists (?t - toaster) (switched-on ?t)))))",
    ),
    HouseholdTask(
        "eat-chips-on-the-sofa",
        "eat chips on the sofa",
        "(exists (?c - chips ?s - sofa) (and (eaten ?c) (sitting-on ?s)))",
        "(exists (?c - chips) (and (eaten ?c) (not (exists (?s - sofa) (sitting-on ?s)))))",
    ),
    HouseholdTask(
        "put-salmon-in-the-fridge",
        "put salmon in the fridge",
        "(exists (?s - salmon ?f - fridge) (inside ?s ?f))",
        "(exists (?s - salmon) (eaten ?s))",
    ),
    HouseholdTask(
        "brush-teeth",
        "brush teeth",
        "(exists (?b - toothbrush ?p - toothpaste) (and (used ?b) (poured ?p ?b)))",
        "(exists (?b - toothbrush) (and (used ?b) (not (exists (?p - toothpaste) (poured ?p ?b)))))",
    ),
    HouseholdTask(
        "wash-the-plate",
        "wash the plate",
        "(exists (?p - plate) (washed ?p))",
        "(exists (?p - plate) (and (clean ?p) (not (washed ?p))))",
    ),
    HouseholdTask(
        "microwave-salmon",
        "microwave salmon",
        "(exists (?s - salmon ?m - microwave) (and (heated ?s) (switched-on ?m)))",
        "(exists (?s - salmon) (and (heated ?s) (not (exists (?m - microwave) (switched-on ?m)))))",
    ),
    HouseholdTask(
        "bring-items-to-the-coffee-table",
        "bring the coffeepot and the cupcake to the coffee table",
        "(exists (?p - coffeepot ?c - cupcake ?t - coffeetable) (and (on ?p ?t) (on ?c ?t)))",
        "(exists (?c - cupcake) (eaten ?c))",
    ),
)

ADVERSARIAL = {"tv": "ON", "garbagecan": "OPEN", "fridge": "OPEN", "microwave": "OPEN"}
"""The paper's adversarial environment (section 4.2): class → state."""

TOOTHPASTE_OPEN = {"toothpaste": "OPEN"}
"""A variation of the paper's error analysis (table 4): class → state."""

_NAMED = {task.name: task for task in TASKS}

VARIANTS = (
    *(
        replace(_NAMED[name], name=f"{name}-adversarial", states=ADVERSARIAL)
        for name in ("watch-tv", "throw-away-apple", "put-salmon-in-the-fridge", "microwave-salmon")
    ),
    *(
        replace(_NAMED[name], name=f"{name}-hint", description=description)
        for name, description in (
            ("throw-away-apple", "throw away apple. you must put the apple in the bin"),
            ("wash-the-plate", "wash the plate. don't forget to turn on the faucet!"),
            ("brush-teeth", "brush teeth. you will need a hand free to open the toothpaste."),
        )
    ),
    replace(_NAMED["brush-teeth"], name="brush-teeth-toothpaste-open", states=TOOTHPASTE_OPEN),
)
"""The tasks of tables 3 and 4. The one without DROP is ``throw-away-apple`` with ``domain-no-drop.pddl``."""


def task_named(name: str) -> HouseholdTask:
    """The task or variant of that name. Raises ``InputError`` naming all if there is none."""
    for task in (*TASKS, *VARIANTS):
        if task.name == name:
            return task
    raise InputError(f"there is no task {name!r}; there are {', '.join(task.name for task in (*TASKS, *VARIANTS))}")


def bind(formula: str, members: Mapping[str, Sequence[str]]) -> str:
    """PDDL without quantifiers: each ``exists`` over classes becomes the alternatives among ``members`` (class →
    names). Raises ``InputError`` if a class has no member.
    """
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
