"""Ground conditions in disjunctive normal form, without static atoms.

A conjunction is a frozenset of literal codes: ``2 * fact`` for the fact, ``2 * fact + 1`` for its negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.lifted import Lifted, NumberedAtom, Terms, Variables

Int32 = npt.NDArray[np.int32]
Conjunction = frozenset[int]
Binding = dict[int, int]  # variable → object
MOST_DISJUNCTS = 20_000
_NEVER: tuple[Conjunction, ...] = ()
_ALWAYS: tuple[Conjunction, ...] = (frozenset(),)


class AtomIndex:
    """The numbers ``first``, ``first + 1``, … of a predicate's atoms, for single atoms or whole arrays.

    ``rows`` int32 (count, arity), unique and sorted by the last column first. Atoms that fit into 63 bits are looked up
    by binary search.
    """

    def __init__(self, rows: Int32, first: int, object_count: int) -> None:
        self.first = first
        self.count = len(rows)
        self.by_terms = {tuple(row): first + i for i, row in enumerate(rows.tolist())}
        arity = rows.shape[1]
        packs = max(object_count, 2) ** max(arity, 1) < 2**63
        self._values: dict[int, dict[Terms, list[int]]] = {}
        self.weights = np.array([object_count**k for k in range(arity)], np.int64) if packs else None
        self.keys = self._pack(rows) if packs else None

    def _pack(self, rows: Int32) -> npt.NDArray[np.int64]:
        assert self.weights is not None
        packed: npt.NDArray[np.int64] = rows.astype(np.int64) @ self.weights
        return packed

    def one(self, terms: Terms) -> int:
        """The atom's number, or -1."""
        return self.by_terms.get(terms, -1)

    def values(self, terms: Terms, position: int) -> Sequence[int]:
        """The objects, ascending, with which an atom exists if they replace the term at ``position``."""
        if position not in self._values:
            found = self._values[position] = {}
            for atom in self.by_terms:
                found.setdefault((*atom[:position], *atom[position + 1 :]), []).append(atom[position])
        return self._values[position].get((*terms[:position], *terms[position + 1 :]), ())

    def many(self, rows: Int32) -> Int32:
        """The numbers of the atoms ``rows`` (count, arity), int32 (count,); -1 where there is none."""
        if self.count == 0:
            return np.full(len(rows), -1, np.int32)
        if self.keys is None:
            return np.array([self.one(tuple(r)) for r in rows.tolist()], np.int32)
        wanted = self._pack(rows)
        place = np.minimum(np.searchsorted(self.keys, wanted), self.count - 1)
        return np.where(self.keys[place] == wanted, place + self.first, -1).astype(np.int32)


class Instantiator:
    """Evaluates conditions of a lifted task under bindings of variables to objects.

    ``left_out``: reachable derived atoms that are no facts, since the task does not need them, with negative numbers.
    Conditions that depend on them cannot be evaluated.
    """

    def __init__(self, lifted: Lifted, indices: list[AtomIndex]) -> None:
        self.lifted = lifted
        self.indices = indices
        self.left_out: dict[NumberedAtom, int] = {}
        self._joins: dict[tuple[int, tuple[tuple[int, int], ...], bool], _Join] = {}

    def dnf(self, formula: logic.Formula, binding: Binding) -> tuple[Conjunction, ...]:
        """The disjuncts of the ground condition: none if it is false, an empty one if it is true.

        Raises:
            InputError: more than MOST_DISJUNCTS disjuncts, or a derived atom among them that was left out.
        """
        found = self._dnf(formula, binding)
        if self.left_out and (lowest := min((code for way in found for code in way), default=0)) < 0:
            atom = next(atom for atom, number in self.left_out.items() if number == lowest >> 1)
            raise InputError(f"{self.lifted.text(*atom)} is derived, and was left out, since the task does not need it")
        return found

    def _dnf(self, formula: logic.Formula, binding: Binding) -> tuple[Conjunction, ...]:
        if isinstance(formula, logic.Literal):
            return self._literal(formula, binding)
        if isinstance(formula, logic.Equal):
            same = _value(formula.left, binding) == _value(formula.right, binding)
            return _ALWAYS if same == formula.positive else _NEVER
        if isinstance(formula, logic.Quantified):
            if formula.universal:
                every = self.bindings(formula.variables, binding, formula.body, universal=True)
                return self.conjoin(self._dnf(formula.body, b) for b in every)
            return self._disjoin(
                self._dnf(formula.body, b) for b in self.bindings(formula.variables, binding, formula.body)
            )
        if isinstance(formula, logic.And):
            return self._conjunction(formula.parts, binding)
        return self._disjoin(self._dnf(p, binding) for p in formula.parts)

    def bindings(
        self, variables: Variables, binding: Binding, body: logic.Formula, universal: bool = False
    ) -> Iterator[Binding]:
        """All extensions of ``binding`` to the variables, in the order of their objects, except for those under which a
        single atom makes ``body`` false (or true, if it is ``universal``)."""
        key = id(body), variables, universal
        known = self._joins.get(key)
        if known is None:
            known = self._joins[key] = _join(variables, body, universal, self.lifted)
        if not any(self._settled(part, binding, universal) for part in known.fixed):
            yield from self._extensions(known.steps, binding, universal)

    def _extensions(self, steps: tuple[_Step, ...], binding: Binding, universal: bool) -> Iterator[Binding]:
        if not steps:
            yield binding
            return
        step, rest = steps[0], steps[1:]
        values: Sequence[int] = step.objects
        for literal, position in step.naming if not self.left_out else ():
            terms = tuple([0 if k == position else _value(t, binding) for k, t in enumerate(literal.terms)])
            named = self.indices[literal.predicate].values(terms, position)
            if len(named) < len(values):
                values = named
        for value in values:
            if value in step.members:
                extended = {**binding, step.variable: value}
                if not any(self._settled(part, extended, universal) for part in step.settling):
                    yield from self._extensions(rest, extended, universal)

    def _settled(self, part: logic.Literal | logic.Equal, binding: Binding, universal: bool) -> bool:
        """Whether a part settles the whole: a false one of a conjunction, or (``universal``) a true one of a
        disjunction."""
        found = self._dnf(part, binding)
        return found == _ALWAYS if universal else not found

    def _conjunction(self, parts: tuple[logic.Formula, ...], binding: Binding) -> tuple[Conjunction, ...]:
        codes: set[int] = set()
        others: list[tuple[Conjunction, ...]] = []
        for part in parts:
            if isinstance(part, logic.Literal):  # inline, since grounding spends most of its time here
                terms = tuple([t if t >= 0 else binding[-1 - t] for t in part.terms])
                number = self.indices[part.predicate].by_terms.get(terms, -1)
                if number >= 0 and part.predicate in self.lifted.fluent:
                    codes.add(2 * number + (0 if part.positive else 1))
                    continue
                found = self._literal(part, binding)
            else:
                found = self._dnf(part, binding)
            if not found:
                return _NEVER
            others.append(found)
        return self.conjoin(others, codes)

    def _literal(self, literal: logic.Literal, binding: Binding) -> tuple[Conjunction, ...]:
        terms = tuple([t if t >= 0 else binding[-1 - t] for t in literal.terms])
        number = self.indices[literal.predicate].one(terms)
        if number < 0:
            number = self.left_out.get((literal.predicate, terms), 0)
            if number == 0:
                return _NEVER if literal.positive else _ALWAYS
        if literal.predicate not in self.lifted.fluent:
            return _ALWAYS if literal.positive else _NEVER
        return (frozenset((2 * number + (0 if literal.positive else 1),)),)

    def conjoin(self, parts: Iterable[tuple[Conjunction, ...]], codes: Iterable[int] = ()) -> tuple[Conjunction, ...]:
        """The disjuncts of a conjunction of literals and of conditions given by their disjuncts."""
        codes = set(codes)
        waiting: list[tuple[Conjunction, ...]] = []
        for part in parts:  # single disjuncts first, so that contradictions are found early
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


@dataclass(frozen=True)
class _Step:
    """A variable of a join: the objects of its type; ``settling``: the parts of the condition whose last variable it
    is; ``naming``: literals whose atoms list its values, each with the variable's position in it."""

    variable: int
    objects: tuple[int, ...]
    members: frozenset[int]
    settling: tuple[logic.Literal | logic.Equal, ...]
    naming: tuple[tuple[logic.Literal, int], ...]


@dataclass(frozen=True)
class _Join:
    """How variables are bound for a condition, one after the other. ``fixed``: the parts without these variables.
    ``body`` is kept alive, so that its ``id`` remains unique."""

    body: logic.Formula
    fixed: tuple[logic.Literal | logic.Equal, ...]
    steps: tuple[_Step, ...]


def _join(variables: Variables, body: logic.Formula, universal: bool, lifted: Lifted) -> _Join:
    whole = body.parts if isinstance(body, logic.Or if universal else logic.And) else (body,)
    parts = [part for part in whole if isinstance(part, logic.Literal | logic.Equal)]
    bound = {variable for variable, _ in variables}
    mentioned = [logic.free_variables(part) & bound for part in parts]
    fixed = tuple(part for part, own in zip(parts, mentioned, strict=True) if not own)
    steps: list[_Step] = []
    done: set[int] = set()
    for variable, kind in variables:
        done.add(variable)
        settling = [p for p, own in zip(parts, mentioned, strict=True) if variable in own and own <= done]
        naming = [
            (part, part.terms.index(-1 - variable))
            for part in settling
            if isinstance(part, logic.Literal) and part.positive != universal and part.terms.count(-1 - variable) == 1
        ]
        objects = lifted.members[kind]
        steps.append(_Step(variable, objects, frozenset(objects), tuple(settling), tuple(naming)))
    return _Join(body, fixed, tuple(steps))


def _value(term: int, binding: Binding) -> int:
    return term if term >= 0 else binding[-1 - term]


def _consistent(conjunctions: Iterable[Conjunction]) -> Iterator[Conjunction]:
    return (c for c in conjunctions if not any(code ^ 1 in c for code in c))


def _reduced(conjunctions: Iterable[Conjunction]) -> tuple[Conjunction, ...]:
    """The conjunctions without duplicates and, if they are few, without any that imply another one. The order is
    deterministic."""
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
