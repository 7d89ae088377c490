"""Checks ``:init``: ground atoms, values of functions, and the open facts of contingent PDDL.

The contingent part is in the notation of Contingent-FF (Hoffmann and Brafman 2005), shared by POND, CLG and others:

    (unknown (p a))                  it may be true or false
    (oneof (p a) (p b) …)            exactly one of the alternatives holds
    (or (not (p a)) (q b) …)         at least one of them holds

An alternative is a literal, or several joined by ``and``. An atom that ``:init`` also states, as true or as ``(not
…)``, is known; the alternatives then determine the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from commonsense_planning.errors import collected
from commonsense_planning.pddl.conditions import Checker
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.source import Mend, Source
from commonsense_planning.pddl.vocabulary import is_number, value_of
from commonsense_planning.support.english import counted

Alternative = tuple[tuple[Group, bool], ...]
"""Atoms with their truth values: a conjunction."""


@dataclass
class InitialState:
    """The true atoms, the values of function terms, and the contingent part, all as checked nodes."""

    atoms: list[Group] = field(default_factory=list)
    values: list[tuple[Group, Symbol]] = field(default_factory=list)
    oneof: list[tuple[Alternative, ...]] = field(default_factory=list)
    clauses: list[tuple[Alternative, ...]] = field(default_factory=list)
    unknown: list[Group] = field(default_factory=list)


def check_init(checker: Checker, items: Sequence[Node]) -> InitialState:
    """Checks the elements of ``:init``. Raises PddlError at the first that is wrong, or adds all to the checker's
    ``errors``."""
    return _InitChecker(checker).check(items)


class _InitChecker:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.source = checker.source
        self.state = InitialState()
        self.true: dict[tuple[str, ...], Group] = {}
        self.false: dict[tuple[str, ...], Group] = {}
        self.values: dict[tuple[str, ...], float] = {}
        self.joined: list[Group] = []

    def check(self, items: Sequence[Node]) -> InitialState:
        for item in items:
            with collected(self.checker.errors):
                self._element(item)
        if Feature.CONTINGENT not in self.checker.features:  # where 'and' is usual
            for node in self.joined:
                with collected(self.checker.errors):
                    mends = unjoined(self.source, node)
                    self.source.warn(node, "'and' in ':init'", "facts alone", "as its facts", *mends)
        for key, group in self.false.items():
            if key in self.true:
                line = self.true[key].line
                with collected(self.checker.errors):
                    raise self.source.error(group, f"this fact is true on line {line} and false here", "one of them")
        self._settle()
        return self.state

    def _settle(self) -> None:
        """Adds the stated value of each atom that is also in a contingent part, as a clause."""
        state = self.state
        mentioned = {
            key_of(atom): atom
            for alternatives in (*state.oneof, *state.clauses)
            for alternative in alternatives
            for atom, _ in alternative
        }
        mentioned.update((key_of(atom), atom) for atom in state.unknown)
        for key, atom in mentioned.items():
            if key in self.true or key in self.false:
                state.clauses.append((((atom, key in self.true),),))

    def _element(self, node: Node) -> None:
        if isinstance(node, Symbol):
            raise self.source.error(node, f"'{node.text}' where a fact belongs", "a ground atom in brackets")
        head, operands = node.head, node.items[1:]
        if head == "and":
            self.joined.append(node)
            for operand in operands:
                with collected(self.checker.errors):
                    self._element(operand)
        elif head == "=":
            self._value(node)
        elif head == "not":
            self.checker.require(node, 1, "one atom")
            atom = self.checker.basic_atom(operands[0], {})
            self.false.setdefault(key_of(atom), node)
        elif head == "oneof":
            self.state.oneof.append(self._alternatives(node, "two or more alternatives", 2))
        elif head == "or":
            self.state.clauses.append(self._alternatives(node, "one or more alternatives", 1))
        elif head == "unknown":
            self.checker.require(node, 1, "one atom")
            if isinstance(operands[0], Group) and operands[0].head in ("and", "or", "not"):
                raise self.source.unsupported(operands[0], f"'{operands[0].head}' under 'unknown' is", "an atom")
            self.state.unknown.append(self.checker.basic_atom(operands[0], {}))
            self.checker.features.add(Feature.CONTINGENT)
        elif head in ("forall", "exists", "imply", "when", "probabilistic"):
            wanted = "atoms, 'oneof', 'or', 'unknown'"
            raise self.source.unsupported(node, f"formulas ('{head}') in ':init' are", wanted)
        elif head == "at" and len(operands) == 2 and is_number(operands[0]) and isinstance(operands[1], Group):
            raise self.source.unsupported(node, "timed initial literals are")
        else:
            atom = self.checker.basic_atom(node, {})
            if self.true.setdefault(key_of(atom), atom) is atom:
                self.state.atoms.append(atom)

    def _alternatives(self, node: Group, wanted: str, least: int) -> tuple[Alternative, ...]:
        if len(node.items) <= least:
            raise self.source.error(node, f"'{node.head}' has {counted(len(node.items) - 1, 'operand')}", wanted)
        self.checker.features.add(Feature.CONTINGENT)
        return tuple(tuple(self._literals(operand, node.head)) for operand in node.items[1:])

    def _literals(self, node: Node, where: str) -> Iterator[tuple[Group, bool]]:
        """The literals of one alternative, which is a literal or a conjunction of literals."""
        head = node.head if isinstance(node, Group) else ""
        if isinstance(node, Group) and head == "and":
            if len(node.items) == 1:
                raise self.source.error(node, f"an empty alternative under '{where}'", "literals")
            for operand in node.items[1:]:
                yield from self._literals(operand, where)
        elif isinstance(node, Group) and head == "not":
            self.checker.require(node, 1, "one atom")
            yield self.checker.basic_atom(node.items[1], {}), False
        elif head in ("or", "oneof", "unknown", "imply", "forall", "exists", "when"):
            raise self.source.unsupported(node, f"'{head}' under '{where}' is", "literals, or 'and' of literals")
        else:
            yield self.checker.basic_atom(node, {}), True

    def _value(self, node: Group) -> None:
        self.checker.require(node, 2, "'(= (function …) number)'")
        function, value = node.items[1:]
        if isinstance(function, Symbol):
            problem = f"'{function.text}' where a function belongs"
            raise self.source.error(function, problem, "'(= (function …) number)'")
        term = self.checker.function_term(function, {})
        if not is_number(value) or not isinstance(value, Symbol):
            raise self.source.error(value, "no number as a function's value", "a number")
        number = value_of(self.source, value)
        if self.values.setdefault(key_of(term), number) != number:
            raise self.source.error(node, "a second value of the same function", "one value")
        self.state.values.append((term, value))


def unjoined(source: Source, node: Group) -> tuple[Mend, Mend]:
    """The corrections that leave only the facts of an ``and``."""
    (start, end), inner = source.span(node), source.offset(node.items[0])
    return (start, inner + len("and"), ""), (end - 1, end, "")


def key_of(group: Group) -> tuple[str, ...]:
    """The words of an atom or a function term, as PDDL compares words."""
    return tuple(item.key for item in group.items if isinstance(item, Symbol))
