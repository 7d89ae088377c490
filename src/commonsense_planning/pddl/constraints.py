"""The section ``(:constraints …)``: which conditions must hold in every state that a plan passes through.

Of PDDL3's operators on trajectories there is ``always``, alone or several joined by ``and``: what it says can be
judged state by state. The others, and preferences, are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonsense_planning.pddl.conditions import TRAJECTORIES, Checker
from commonsense_planning.pddl.problem import Feature
from commonsense_planning.pddl.syntax import Group, Node, counted, near

_EXPECTED = "'(always …)' or '(and …)' of such"


def check_constraints(checker: Checker, sections: Sequence[Group]) -> tuple[Node, ...]:
    """The conditions under ``always`` in the ``:constraints`` of a file, in their order. Raises PddlError."""
    found: list[Node] = []
    for section in sections:
        if len(section.items) != 2:
            problem = f"':constraints' has {counted(len(section.items) - 1, 'constraint')}"
            raise checker.source.error(section, problem, "one; join several by '(and …)'")
        found.extend(_always(checker, section.items[1]))
    if found:
        checker.features.add(Feature.CONSTRAINTS)
    return tuple(found)


def _always(checker: Checker, node: Node) -> Iterator[Node]:
    source = checker.source
    head = node.head if isinstance(node, Group) else node.key
    if not isinstance(node, Group) or not head:
        raise source.error(node, f"'{head or '('}' where a constraint belongs", _EXPECTED)
    operands = node.items[1:]
    if head == "and":
        for operand in operands:
            yield from _always(checker, operand)
    elif head == "always":
        if len(operands) != 1:
            raise source.error(node, f"'always' has {counted(len(operands), 'operand')}", "one condition")
        checker.condition(operands[0], {})
        yield operands[0]
    elif head == "forall":
        raise source.unsupported(node.items[0], "'forall' before 'always' is", "'(always (forall …))'")
    elif head == "preference":
        raise source.unsupported(node.items[0], "preferences are")
    elif head in TRAJECTORIES:
        raise source.unsupported(node.items[0], f"trajectory constraints ('{head}') are", _EXPECTED)
    else:
        hint = near(head, TRAJECTORIES)
        raise source.error(node.items[0], f"'{head}' where a constraint belongs", _EXPECTED, hint)
