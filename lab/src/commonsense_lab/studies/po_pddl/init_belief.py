"""``:init-belief`` of PO-PDDL (section 8.4 of its specification): factors, independent of each other.

    (p a) (not (q a))                                certain
    (prob (p a) 0.3)                                 so with this probability
    (joint 0.7 (and …)) (joint 0.3 (and …))          one of the cases; what it does not mention is not so in it
    (oneof (and …) (and …))                          one of the cases, equally probable

What comes to one fact that is open, or to facts of which exactly one is so in each case, is read; other facts that hang
together are refused. ``:init`` is the true world, and must be possible."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from commonsense_planning.pddl.conditions import Checker, conjuncts
from commonsense_planning.pddl.initial import InitialState, key_of
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, render
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.vocabulary import probability

TOLERANCE = 1e-3  # of what the numbers of a factor sum to

Key = tuple[str, ...]
"""A ground atom's words, in lower case."""


@dataclass
class _Factor:
    """The joint belief about the atoms of a ``scope``: case, the set of those that are true → its probability."""

    node: Group
    scope: dict[Key, Group] = field(default_factory=dict)
    cases: dict[frozenset[Key], float] = field(default_factory=dict)
    total: float = 0.0

    def add(self, chance: float, atoms: Mapping[Key, tuple[Group, bool]]) -> None:
        """Takes in a case: its atoms, and whether each is true."""
        self.scope.update((key, atom) for key, (atom, _) in atoms.items())
        case = frozenset(key for key, (_, true) in atoms.items() if true)
        self.cases[case] = self.cases.get(case, 0.0) + chance
        self.total += chance


class InitBelief:
    """What ``:init-belief`` says, once it is ``read``. ``hidden``: the atoms that are not certain; ``chances``: how
    probable each is; ``groups``: ``:exactly-one`` sections of a sensors file."""

    def __init__(self, checker: Checker, initial: InitialState) -> None:
        self.checker, self.source = checker, checker.source
        self.true = {key_of(atom): atom for atom in initial.atoms}
        self.said: dict[Key, tuple[int, bool | None]] = {}  # where, and how it is if it is certain
        self.hidden: dict[Key, Group] = {}
        self.chances: dict[Key, float] = {}
        self.groups: list[Group] = []

    @property
    def section(self) -> Group:
        """The ``:hidden`` section of a sensors file, with these probabilities."""
        pairs = ((atom, repr(self.chances[key])) for key, atom in self.hidden.items())
        return bracketed(":hidden", *(item for pair in pairs for item in pair))

    def read(self, sections: Sequence[Group] | None) -> None:
        """Reads the section, if there is one. Raises PddlError."""
        source = self.source
        if sections is None:
            taken = "as if all that ':init' says were known"
            source.warn(source.root, "no ':init-belief' section", "'(:init-belief …)'", taken)
            return
        if Feature.CONTINGENT in self.checker.features:
            problem = "':init-belief' with an ':init' that leaves something open"
            raise source.error(sections[0], problem, "an ':init' that is the true world")
        joint: _Factor | None = None
        for node in sections[0].items[1:]:
            if isinstance(node, Group) and node.head == "joint":
                joint = self._joint(joint, node)
                continue
            self._close(joint)
            joint = None
            self._settle(self._factor(node))
        self._close(joint)
        left = [atom for key, atom in self.true.items() if key not in self.said]
        if left:
            problem = f"'{render(left[0])}' is so, and ':init-belief' leaves it out, as what is certainly not so"
            source.warn(left[0], problem, "it in ':init-belief', too", "as known to be so, it and others like it")

    def _factor(self, node: Node) -> _Factor:
        """Reads an element other than ``joint``."""
        if isinstance(node, Symbol):
            raise self.source.error(node, f"'{node.text}' where a belief belongs", "a fact, 'prob', 'joint' or 'oneof'")
        factor = _Factor(node)
        if node.head == "prob":
            atom, chance = self._two(node, "'(prob (fact) p)'")
            value, literal = probability(self.source, chance), self._case(atom)
            factor.add(value, literal)
            factor.add(1 - value, {key: (found, not true) for key, (found, true) in literal.items()})
        elif node.head == "oneof":
            if len(node.items) == 1:
                raise self.source.error(node, "'oneof' without cases", "'(oneof (and (fact) (not (fact))) …)'")
            for case in node.items[1:]:
                factor.add(1 / (len(node.items) - 1), self._case(case))
        else:
            factor.add(1.0, self._case(node))
        return factor

    def _joint(self, factor: _Factor | None, node: Group) -> _Factor:
        """Returns the factor with a further case, or the next factor if the last is complete."""
        chance, case = self._two(node, "'(joint p (and (fact) (not (fact))))'")
        value, literals = probability(self.source, chance), self._case(case)
        if factor is None or (factor.total > 1 - TOLERANCE and not factor.scope.keys() >= literals.keys()):
            self._close(factor)
            factor = _Factor(node)
        factor.add(value, literals)
        return factor

    def _close(self, factor: _Factor | None) -> None:
        if factor is None:
            return
        if abs(factor.total - 1) > TOLERANCE:
            problem = f"'joint' from here on with numbers that sum to {factor.total:g}"
            raise self.source.error(factor.node, problem, "numbers that sum to 1")
        self._settle(factor)

    def _settle(self, factor: _Factor) -> None:
        """Takes a factor as certain facts, an independent fact, or a group of which exactly one is true."""
        source, scope = self.source, factor.scope
        cases = {case: chance for case, chance in factor.cases.items() if chance > 0}
        chances = {key: math.fsum(p for case, p in cases.items() if key in case) / factor.total for key in scope}
        known = {key: all(key in case for case in cases) for key in scope}
        open_ = [key for key in scope if not known[key] and any(key in case for case in cases)]
        for key, atom in scope.items():
            line, earlier = self.said.get(key, (0, known[key]))
            if line and (earlier is None or key in open_ or earlier != known[key]):
                raise source.error(atom, f"more of '{render(atom)}', of which line {line} speaks", "each fact once")
            self.said[key] = atom.line, None if key in open_ else known[key]
        if frozenset(scope.keys() & self.true.keys()) not in cases:
            expected = "the true world among what has a probability above 0"
            raise source.error(factor.node, "':init' is impossible by this", expected)
        if len(open_) > 1:
            if any(len(case.intersection(open_)) != 1 for case in cases):
                what = "facts that depend on each other otherwise than as exactly one true one are"
                raise source.unsupported(factor.node, what, "cases in each of which one is so, or 'prob' for each fact")
            self.groups.append(bracketed(":exactly-one", *(scope[key] for key in open_)))
        for key in open_:
            self.hidden[key], self.chances[key] = scope[key], chances[key]

    def _two(self, node: Group, wanted: str) -> tuple[Node, Node]:
        if len(node.items) != 3:
            raise self.source.error(node, f"'{node.head}' with other than two operands", wanted)
        return node.items[1], node.items[2]

    def _case(self, node: Node) -> dict[Key, tuple[Group, bool]]:
        """Returns the atoms of a case, a literal or an ``and`` of some, and whether each is true in it."""
        found: dict[Key, tuple[Group, bool]] = {}
        for part in conjuncts(node):
            inner = part.items[1] if isinstance(part, Group) and part.head == "not" and len(part.items) == 2 else None
            atom = self.checker.basic_atom(inner or part, {})
            if found.setdefault(key_of(atom), (atom, inner is None))[1] != (inner is None):
                raise self.source.error(part, f"'{render(atom)}' both so and not so", "one of them")
        return found
