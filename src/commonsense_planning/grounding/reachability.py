"""Which facts and operators can ever be reached, deletes ignored: a logic program, grounded by gringo.

The program follows Helmert (2009), section 6, as Tarski's ``ReachabilityLPCompiler`` does; here objects are
numbers, so that the answer is read as arrays, and an existential condition keeps its free variables.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from commonsense_planning.errors import MissingError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.grounding.lifted import (
    FALSE,
    TRUE,
    And,
    Equal,
    Formula,
    Lifted,
    Literal,
    Quantified,
    free_variables,
    simplify,
    substitute,
)


@dataclass(frozen=True)
class Reachable:
    """Rows are unique. ``atoms[p]``: int32 (count, arity of p), sorted by the last argument, then the one before:
    what lies at one place then lies side by side in a state. ``bindings[s]``: int32 (count, parameters of schema s),
    sorted; None if the schema is not reachable at all."""

    atoms: tuple[Int32, ...]
    bindings: tuple[Int32 | None, ...]


def reachable(lifted: Lifted, possible: Iterable[tuple[int, tuple[int, ...]]] = ()) -> Reachable:
    """What can be reached from the initial state with the ``possible`` atoms added (facts that an agent has
    to reckon with because it does not see them).

    Raises:
        MissingError: clingo cannot be loaded.
    """
    text = _atoms("\n".join(_Program(lifted).rules(possible)))
    rows: dict[str, list[str]] = {}
    for name, arguments in re.findall(r"^([ap]\d+)(?:\(([\d,]*)\))?$", text, re.MULTILINE):
        rows.setdefault(name, []).append(arguments)
    atoms = tuple(_table(rows.get(f"p{i}", []), arity, -1) for i, arity in enumerate(lifted.arities))
    bindings = tuple(
        _table(rows[f"a{i}"], len(s.parameters)) if f"a{i}" in rows else None
        for i, s in enumerate(lifted.schemas)
    )
    return Reachable(atoms, bindings)


def _table(rows: list[str], arity: int, step: int = 1) -> Int32:
    """The rows, each once, sorted by their first column first, or with ``step`` -1 by their last."""
    if arity == 0:
        return np.zeros((min(len(rows), 1), 0), np.int32)
    flat = np.array(",".join(rows).split(","), dtype=np.int32) if rows else np.zeros(0, np.int32)
    return np.unique(flat.reshape(-1, arity)[:, ::step], axis=0)[:, ::step]


def _atoms(program: str) -> str:
    """The atoms that follow from the program, one a line."""
    try:
        import clingo
    except ImportError as error:
        raise MissingError(f"clingo cannot be loaded: {error}; pip install clingo") from error
    control = clingo.Control(["--warn=none"])
    control.add("base", [], program)
    control.ground([("base", [])])
    return "\n".join(str(atom.symbol) for atom in control.symbolic_atoms)


class _Program:
    """The rules, as text. Variable ``v`` is ``V<v>``, object ``o`` is ``<o>``, type ``t`` is ``t<t>``."""

    def __init__(self, lifted: Lifted) -> None:
        self.lifted = lifted
        self.fresh = itertools.count()
        self.extra: list[str] = []

    def rules(self, possible: Iterable[tuple[int, tuple[int, ...]]]) -> list[str]:
        lifted = self.lifted
        out = [f"t{t}({o})." for t, members in enumerate(lifted.members) for o in members]
        out += sorted(f"{self.atom(p, terms)}." for p, terms in itertools.chain(lifted.init, possible))
        for s, schema in enumerate(lifted.schemas):
            types = dict(enumerate(schema.parameters))
            head = f"a{s}" + (f"({','.join(f'V{v}' for v in types)})" if types else "")
            body = [f"t{t}(V{v})" for v, t in types.items()]
            out.append(self.rule(head, body + self.body(schema.precondition, types)))
            for effect in schema.effects:
                if effect.literal.positive:
                    inner = types | dict(effect.variables)
                    names = [f"t{t}(V{v})" for v, t in effect.variables]
                    condition = self.body(effect.condition, inner)
                    target = self.atom(effect.literal.predicate, effect.literal.terms)
                    out.append(self.rule(target, [head, *names, *condition]))
        return out + self.extra

    def atom(self, predicate: int, terms: tuple[int, ...]) -> str:
        return f"p{predicate}" + (f"({','.join(map(self.term, terms))})" if terms else "")

    @staticmethod
    def term(term: int) -> str:
        return str(term) if term >= 0 else f"V{-1 - term}"

    @staticmethod
    def rule(head: str, body: list[str]) -> str:
        return f"{head} :- {', '.join(body)}." if body else f"{head}."

    def body(self, formula: Formula, types: dict[int, int]) -> list[str]:
        """Body literals that hold wherever the formula can be reached."""
        relaxed = simplify(self.relax(formula))
        return [
            part
            for f in (relaxed.parts if isinstance(relaxed, And) else (relaxed,))
            for part in self.part(f, types)
        ]

    def relax(self, formula: Formula) -> Formula:
        """A negated fluent can always become true; ``forall`` becomes the conjunction of its instances."""
        if isinstance(formula, Literal):
            return formula if formula.positive or formula.predicate not in self.lifted.fluent else TRUE
        if isinstance(formula, Equal):
            return formula
        if isinstance(formula, Quantified):
            body = simplify(self.relax(formula.body))
            if not formula.universal or body == TRUE:
                return Quantified(False, formula.variables, body) if body != TRUE else self.inhabited(formula)
            domains = [self.lifted.members[t] for _, t in formula.variables]
            numbers = [v for v, _ in formula.variables]
            return And(
                tuple(
                    substitute(body, dict(zip(numbers, choice, strict=True)))
                    for choice in itertools.product(*domains)
                )
            )
        return type(formula)(tuple(self.relax(p) for p in formula.parts))

    def inhabited(self, formula: Quantified) -> Formula:
        """``exists`` of something true needs an object of each type; ``forall`` of it is true."""
        if formula.universal or all(self.lifted.members[t] for _, t in formula.variables):
            return TRUE
        return FALSE

    def part(self, formula: Formula, types: dict[int, int]) -> list[str]:
        if isinstance(formula, Literal):
            text = self.atom(formula.predicate, formula.terms)
            return [text if formula.positive else f"not {text}"]
        if isinstance(formula, Equal):
            return [
                f"{self.term(formula.left)} {'=' if formula.positive else '!='} {self.term(formula.right)}"
            ]
        if isinstance(formula, Quantified):
            return [self.auxiliary(formula, [(formula.body, dict(formula.variables))], types)]
        if formula == TRUE:
            return []
        if formula == FALSE:
            return ["1 = 0"]
        return [self.auxiliary(formula, [(part, {}) for part in formula.parts], types)]

    def auxiliary(
        self, formula: Formula, bodies: list[tuple[Formula, dict[int, int]]], types: dict[int, int]
    ) -> str:
        """A new atom over the free variables of ``formula`` that any of the ``bodies`` makes true."""
        free = sorted(free_variables(formula))
        name = f"x{next(self.fresh)}" + (f"({','.join(f'V{v}' for v in free)})" if free else "")
        for body, bound in bodies:
            inner = types | bound
            typed = [f"t{inner[v]}(V{v})" for v in [*free, *bound]]
            self.extra.append(self.rule(name, typed + self.body(body, inner)))
        return name
