"""Ground conditions in disjunctive normal form, with static atoms evaluated away.

A conjunction is a frozenset of literal codes: ``2 * fact`` wants the fact true, ``2 * fact + 1`` wants it
false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_task import Goal, Int32, lists_of
from commonsense_planning.grounding.lifted import And, Equal, Formula, Lifted, Literal, Or, Quantified, Terms

Conjunction = frozenset[int]
MOST_DISJUNCTS = 20_000
_NEVER: tuple[Conjunction, ...] = ()
_ALWAYS: tuple[Conjunction, ...] = (frozenset(),)


class AtomIndex:
    """Atoms of one predicate to numbers ``first``, ``first + 1``, …, one by one or a whole array at once.

    ``rows`` int32 (count, arity), unique and sorted by the last column first. Where an atom packs into 63 bits it is
    looked up by binary search.
    """

    def __init__(self, rows: Int32, first: int, object_count: int) -> None:
        self.first = first
        self.count = len(rows)
        self.by_terms = {tuple(row): first + i for i, row in enumerate(rows.tolist())}
        arity = rows.shape[1]
        packs = max(object_count, 2) ** max(arity, 1) < 2**63
        self.weights = np.array([object_count**k for k in range(arity)], np.int64) if packs else None
        self.keys = self._pack(rows) if packs else None

    def _pack(self, rows: Int32) -> npt.NDArray[np.int64]:
        assert self.weights is not None
        packed: npt.NDArray[np.int64] = rows.astype(np.int64) @ self.weights
        return packed

    def one(self, terms: Terms) -> int:
        """The atom's number, or -1."""
        return self.by_terms.get(terms, -1)

    def many(self, rows: Int32) -> Int32:
        """The numbers of the atoms in ``rows`` (count, arity) as int32 (count,); -1 where there is none."""
        if self.count == 0:
            return np.full(len(rows), -1, np.int32)
        if self.keys is None:
            return np.array([self.one(tuple(r)) for r in rows.tolist()], np.int32)
        wanted = self._pack(rows)
        place = np.minimum(np.searchsorted(self.keys, wanted), self.count - 1)
        return np.where(self.keys[place] == wanted, place + self.first, -1).astype(np.int32)


class Instantiator:
    """Evaluates conditions of a lifted task under bindings of variables to objects.

    ``left_out``: derived atoms that could be true and have no number, since nothing in the task needs them; a condition
    that mentions one cannot be judged, and raises InputError.
    """

    def __init__(self, lifted: Lifted, indices: list[AtomIndex]) -> None:
        self.lifted = lifted
        self.indices = indices
        self.left_out: set[tuple[int, Terms]] = set()

    def dnf(self, formula: Formula, binding: dict[int, int]) -> tuple[Conjunction, ...]:
        """The disjuncts of the ground condition: none if it is false, an empty one if it is true.

        Raises:
            InputError: more than MOST_DISJUNCTS disjuncts.
        """
        if isinstance(formula, Literal):
            return self._literal(formula, binding)
        if isinstance(formula, Equal):
            same = _value(formula.left, binding) == _value(formula.right, binding)
            return _ALWAYS if same == formula.positive else _NEVER
        if isinstance(formula, Quantified):
            if formula.universal:
                every = self.bindings(formula.variables, binding, formula.body, universal=True)
                return self.conjoin(self.dnf(formula.body, b) for b in every)
            return self._disjoin(
                self.dnf(formula.body, b) for b in self.bindings(formula.variables, binding, formula.body)
            )
        parts = (self.dnf(p, binding) for p in formula.parts)
        return self.conjoin(parts) if isinstance(formula, And) else self._disjoin(parts)

    def bindings(
        self, variables: tuple[tuple[int, int], ...], binding: dict[int, int], body: Formula, universal: bool = False
    ) -> Iterator[dict[int, int]]:
        """All extensions of ``binding`` to the variables; those for which static atoms refute ``body``, or grant it
        where it is ``universal``, are left out."""
        if not variables:
            yield binding
            return
        (variable, kind), rest = variables[0], variables[1:]
        for value in self.lifted.members[kind]:
            extended = {**binding, variable: value}
            if not (self.granted if universal else self.refuted)(body, extended):
                yield from self.bindings(rest, extended, body, universal)

    def refuted(self, formula: Formula, binding: dict[int, int]) -> bool:
        """True if a fully bound static part of the conjunction is false; False promises nothing."""
        if isinstance(formula, Literal):
            return _is_bound(formula.terms, binding) and not self._literal(formula, binding)
        if isinstance(formula, And):
            for part in formula.parts:  # a loop, since grounding is here most of the time
                if self.refuted(part, binding):
                    return True
        elif isinstance(formula, Equal):
            return _is_bound((formula.left, formula.right), binding) and not self.dnf(formula, binding)
        return False

    def granted(self, formula: Formula, binding: dict[int, int]) -> bool:
        """True if a fully bound static part of the disjunction is true; False promises nothing."""
        if isinstance(formula, Literal):
            return _is_bound(formula.terms, binding) and self._literal(formula, binding) == _ALWAYS
        if isinstance(formula, Or):
            return any(self.granted(part, binding) for part in formula.parts)
        if isinstance(formula, Equal):
            return _is_bound((formula.left, formula.right), binding) and bool(self.dnf(formula, binding))
        return False

    def _literal(self, literal: Literal, binding: dict[int, int]) -> tuple[Conjunction, ...]:
        terms = tuple([t if t >= 0 else binding[-1 - t] for t in literal.terms])
        number = self.indices[literal.predicate].one(terms)
        if number < 0:
            if self.left_out and (literal.predicate, terms) in self.left_out:
                names = self.lifted.predicates[literal.predicate], *(self.lifted.objects[t] for t in terms)
                atom = " ".join(map(self.lifted.problem.spell, names))
                raise InputError(f"({atom}) is derived, and was left out, since the task does not need it")
            return _NEVER if literal.positive else _ALWAYS
        if literal.predicate not in self.lifted.fluent:
            return _ALWAYS if literal.positive else _NEVER
        return (frozenset((2 * number + (0 if literal.positive else 1),)),)

    def conjoin(self, parts: Iterable[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
        """The disjuncts of a conjunction of conditions, of each of which the disjuncts are given."""
        codes: set[int] = set()
        waiting: list[tuple[Conjunction, ...]] = []
        for part in parts:  # first what does not branch, so that contradictions are met early
            if not part:
                return _NEVER
            if len(part) > 1:
                waiting.append(part)
            else:
                codes |= part[0]
        result = tuple(_consistent([frozenset(codes)])) if codes else _ALWAYS
        for part in waiting:
            result = _reduced(_consistent(left | right for left in result for right in part))
        return result

    def _disjoin(self, parts: Iterable[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
        collected: dict[Conjunction, None] = {}
        for part in parts:
            if part == _ALWAYS:
                return _ALWAYS
            collected.update(dict.fromkeys(part))
        return _reduced(collected)


def wanted(conjunction: Conjunction) -> list[int]:
    """The facts that the conjunction wants true, ascending."""
    return sorted(code >> 1 for code in conjunction if not code & 1)


def unwanted(conjunction: Conjunction) -> list[int]:
    """The facts that the conjunction wants false, ascending."""
    return sorted(code >> 1 for code in conjunction if code & 1)


def goal_of(disjuncts: Iterable[Conjunction]) -> Goal:
    """A condition in disjunctive normal form as a goal."""
    disjuncts = list(disjuncts)
    return Goal(lists_of(wanted(c) for c in disjuncts), lists_of(unwanted(c) for c in disjuncts))


def _value(term: int, binding: dict[int, int]) -> int:
    return term if term >= 0 else binding[-1 - term]


def _is_bound(terms: tuple[int, ...], binding: dict[int, int]) -> bool:
    return all(t >= 0 or -1 - t in binding for t in terms)


def _consistent(conjunctions: Iterable[Conjunction]) -> Iterator[Conjunction]:
    return (c for c in conjunctions if not any(code ^ 1 in c for code in c))


def _reduced(conjunctions: Iterable[Conjunction]) -> tuple[Conjunction, ...]:
    """Without doubles and, if they are few, without those that another one implies. Deterministic order."""
    found: dict[Conjunction, None] = {}
    for conjunction in conjunctions:
        found[conjunction] = None
        if len(found) > MOST_DISJUNCTS:
            raise InputError(
                f"a condition has more than {MOST_DISJUNCTS} disjuncts when grounded; "
                "rewrite its `or`, `imply` or `exists`"
            )
    kept = list(found)
    if len(kept) <= 64:
        kept = [c for c in kept if not any(other < c for other in kept)]
    return tuple(kept)
