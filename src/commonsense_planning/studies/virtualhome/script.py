"""Plans of the virtualhome domain as VirtualHome's scripts: ``(grab salmon_311)`` is ``[GRAB] <salmon> (311)``.

Object names hold the class and the id of their node. Where the domain and VirtualHome differ:

- The three ways to walk are WALK; ``placeon`` is PUTBACK, the action that puts a thing on any other.
- ``watch`` is TURNTO and WATCH: VirtualHome wants the character to face what it watches, and walking ends that.
- ``use`` has no action in VirtualHome. It is left out, and stands in the script as a comment.

FIND is never written: walking does what it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "walk-to-room": ("WALK",),
    "walk-to-fixture": ("WALK",),
    "walk-to-movable": ("WALK",),
    "grab": ("GRAB",),
    "placeon": ("PUTBACK",),
    "putin": ("PUTIN",),
    "drop": ("DROP",),
    "open": ("OPEN",),
    "close": ("CLOSE",),
    "switchon": ("SWITCHON",),
    "switchoff": ("SWITCHOFF",),
    "plugin": ("PLUGIN",),
    "plugout": ("PLUGOUT",),
    "pour": ("POUR",),
    "wash": ("WASH",),
    "wipe": ("WIPE",),
    "use": (),
    "eat": ("EAT",),
    "drink": ("DRINK",),
    "watch": ("TURNTO", "WATCH"),
    "sit": ("SIT",),
    "standup": ("STANDUP",),
}
"""Action of the domain → VirtualHome's actions, each with all the arguments."""

_NODE = re.compile(r"(.+)_(\d+)")


@dataclass(frozen=True)
class ScriptLine:
    """One line of a script, ``text``, and the number of the plan's ``step`` that it carries out, from 1."""

    text: str
    step: int


@dataclass(frozen=True)
class Script:
    """A plan in VirtualHome's words. ``left_out`` are the steps that it has no action for, with their numbers."""

    lines: tuple[ScriptLine, ...]
    left_out: tuple[tuple[int, Step], ...]

    def render(self) -> str:
        """The text of a script file; what is left out is a comment at its place."""
        rows = [(line.step, line.text) for line in self.lines]
        rows += [(number, f"# {step}: VirtualHome has no such action") for number, step in self.left_out]
        return "".join(f"{text}\n" for _, text in sorted(rows, key=lambda row: row[0]))


def node_of(name: str) -> tuple[str, int]:
    """Class and id of the node that an object stands for. Raises ``InputError`` if the name holds no id."""
    found = _NODE.fullmatch(name.lower())
    if found is None:
        raise InputError(
            f"{name} names no node of VirtualHome: expected its class and id, such as salmon_311, "
            "as cplan import-virtualhome writes them"
        )
    return found[1], int(found[2])


def to_script(problem: Problem, plan: Plan) -> Script:
    """``plan`` as a script. Whether its steps can be carried out is not looked at.

    Raises ``InputError`` if the problem is of another domain, or a step is no action of the virtualhome domain or
    names no object of the problem.
    """
    if problem.domain_name.lower() != "virtualhome":
        raise InputError(
            f"{problem.domain_file}: the domain is {problem.domain_name}; "
            "only plans of the virtualhome domain are scripts of VirtualHome"
        )
    names = Formulas(problem).objects(problem.tarski.language.get_sort("object"))
    known = {problem.spell(name).lower() for name in names}
    lines: list[ScriptLine] = []
    left_out = []
    for number, step in enumerate(plan, start=1):
        where = f"step {number} {step}"
        actions = ACTIONS.get(step.action.lower())
        if actions is None:
            raise InputError(f"{where}: the virtualhome domain has no action {step.action}")
        for name in step.arguments:
            if name.lower() not in known:
                raise InputError(f"{where}: the problem has no object {name}")
        if not actions:
            left_out.append((number, step))
        nodes = "".join(f" <{kind}> ({i})" for kind, i in map(node_of, step.arguments))
        lines += [ScriptLine(f"[{action}]{nodes}", number) for action in actions]
    return Script(tuple(lines), tuple(left_out))
