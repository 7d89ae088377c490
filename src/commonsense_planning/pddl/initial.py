"""Checks ``:init``: ground atoms, values of functions, and what contingent PDDL leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from commonsense_planning.pddl.conditions import Checker
from commonsense_planning.pddl.problem import Feature
from commonsense_planning.pddl.syntax import Group, Node, Symbol, counted
from commonsense_planning.pddl.vocabulary import is_number, value_of


@dataclass
class InitialState:
    """The atoms that are true, the function terms with their values, and the contingent part, all as checked
    nodes.
    """

    atoms: list[Group] = field(default_factory=list)
    values: list[tuple[Group, Symbol]] = field(default_factory=list)
    oneof: list[tuple[Group, ...]] = field(default_factory=list)
    unknown: list[Group] = field(default_factory=list)


def check_init(checker: Checker, items: Sequence[Node]) -> InitialState:
    """Check the elements of ``:init``. Raises PddlError at the first that is wrong."""
    return _InitChecker(checker).check(items)


class _InitChecker:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.source = checker.source
        self.state = InitialState()
        self.true: dict[tuple[str, ...], Group] = {}
        self.false: dict[tuple[str, ...], Group] = {}
        self.values: dict[tuple[str, ...], float] = {}

    def check(self, items: Sequence[Node]) -> InitialState:
        for item in items:
            self._element(item)
        for key, group in self.false.items():
            if key in self.true:
                line = self.true[key].line
                raise self.source.error(
                    group, f"this fact is true on line {line} and false here", "one of them"
                )
        return self.state

    def _element(self, node: Node) -> None:
        if isinstance(node, Symbol):
            raise self.source.error(node, f"'{node.text}' where a fact belongs", "a ground atom in brackets")
        head, operands = node.head, node.items[1:]
        if head == "and":
            for operand in operands:
                self._element(operand)
        elif head == "=":
            self._value(node)
        elif head == "not":
            if len(operands) != 1:
                raise self.source.error(node, f"'not' has {counted(len(operands), 'operand')}", "one atom")
            atom = self.checker.atom(operands[0], {})
            self.false.setdefault(_key(atom), node)
        elif head == "oneof":
            self._oneof(node)
        elif head == "unknown":
            if len(operands) != 1:
                raise self.source.error(
                    node, f"'unknown' has {counted(len(operands), 'operand')}", "one atom"
                )
            self.state.unknown.append(self._literal(operands[0], "'unknown'"))
            self.checker.features.add(Feature.CONTINGENT)
        elif head in ("or", "forall", "exists", "imply", "when"):
            raise self.source.unsupported(
                node, f"formulas ('{head}') in ':init' are", "atoms, 'oneof', 'unknown'"
            )
        elif (
            head == "at" and len(operands) == 2 and is_number(operands[0]) and isinstance(operands[1], Group)
        ):
            raise self.source.unsupported(node, "timed initial literals are")
        else:
            atom = self.checker.atom(node, {})
            if self.true.setdefault(_key(atom), atom) is atom:
                self.state.atoms.append(atom)

    def _oneof(self, node: Group) -> None:
        if len(node.items) < 3:
            raise self.source.error(
                node, f"'oneof' has {counted(len(node.items) - 1, 'operand')}", "two or more atoms"
            )
        self.state.oneof.append(tuple(self._literal(operand, "'oneof'") for operand in node.items[1:]))
        self.checker.features.add(Feature.CONTINGENT)

    def _literal(self, node: Node, where: str) -> Group:
        if isinstance(node, Group) and node.head in ("and", "or", "not"):
            raise self.source.unsupported(node, f"'{node.head}' under {where} is", "an atom")
        return self.checker.atom(node, {})

    def _value(self, node: Group) -> None:
        if len(node.items) != 3:
            raise self.source.error(
                node, f"'=' has {counted(len(node.items) - 1, 'operand')}", "'(= (function …) number)'"
            )
        function, value = node.items[1:]
        if isinstance(function, Symbol):
            raise self.source.error(
                function, f"'{function.text}' where a function belongs", "'(= (function …) number)'"
            )
        term = self.checker.function_term(function, {})
        if not is_number(value) or not isinstance(value, Symbol):
            raise self.source.error(value, "no number as a function's value", "a number")
        number = value_of(self.source, value)
        if self.values.setdefault(_key(term), number) != number:
            raise self.source.error(node, "a second value of the same function", "one value")
        self.state.values.append((term, value))


def _key(group: Group) -> tuple[str, ...]:
    return tuple(item.key for item in group.items if isinstance(item, Symbol))
