"""Which facts and conditions can become true, by the delete relaxation.

The relaxation goes both ways: a fact that becomes false also stays true, and one that becomes true also stays false.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.ground_task import Bits, GroundTask, Lists, Rules, owners_of
from commonsense_planning.grounding.lifted import Lifted, Terms

MOST_STEPS = 300_000  # of the search for objects that meet a condition; about a second

Binding = Mapping[int, int]  # variable → object
Types = Mapping[int, int]  # variable → type


@dataclass(frozen=True)
class Relaxed:
    """``true``, ``false`` bool (facts,): the facts that can become true, or false. ``done`` bool (operators,): the
    operators that can become applicable."""

    true: Bits
    false: Bits
    done: Bits


def met(pos: Lists, neg: Lists, true: Bits, false: Bits) -> Bits:
    """Whether each condition can be met, bool (rows of ``pos`` and ``neg``,), if the facts ``true`` can be true and the
    facts ``false`` can be false, bool (facts,)."""
    met = np.ones(len(pos), np.bool_)
    for rows, can in ((pos, true), (neg, false)):
        owner, fact = owners_of(rows)
        met[owner[~can[fact]]] = False
    return met


def relax(task: GroundTask, true: Bits, false: Bits, possible: Bits | None = None) -> Relaxed:
    """The facts that can become true or false if, initially, the facts ``true`` may hold and the facts ``false`` may
    not, bool (facts,). ``possible`` bool (operators,): the operators that are not known to be impossible."""
    operators, rules, monitors = task.operators, task.rules, task.monitors
    true, false = true.copy(), false.copy()
    numbers = np.arange(len(operators.cond_pre), dtype=np.int32)
    effects = owners_of(Lists(operators.effect_start, operators.effect_end, numbers))
    changes = [(owners_of(operators.add), true), (owners_of(operators.delete), false)]
    further = [(owners_of(operators.cond_add), true), (owners_of(operators.cond_delete), false)]
    while True:
        before = np.count_nonzero(true) + np.count_nonzero(false)
        done = met(operators.pre, operators.npre, true, false)
        if possible is not None:
            done &= possible
        for (owner, fact), can in changes:
            can[fact[done[owner]]] = True
        taken = met(operators.cond_pre, operators.cond_npre, true, false)
        taken[effects[1][~done[effects[0]]]] = False
        for (owner, fact), can in further:
            can[fact[taken[owner]]] = True
        true[rules.head[met(rules.pos, rules.neg, true, false)]] = True
        false[rules.head] |= ~_inevitable(rules, true, false)[rules.head]
        updated = met(monitors.pos, monitors.neg, true, false)
        true[monitors.bit[updated & monitors.value]] = True
        false[monitors.bit[updated & ~monitors.value]] = True
        if np.count_nonzero(true) + np.count_nonzero(false) == before:
            return Relaxed(true, false, done)


def _inevitable(rules: Rules, true: Bits, false: Bits) -> Bits:
    """The facts that no plan makes false, bool (facts,)."""
    found, before = ~false, -1
    found[rules.head] = False
    while before != np.count_nonzero(found):
        before = int(np.count_nonzero(found))
        found[rules.head[met(rules.pos, rules.neg, found, ~true)]] = True
    return found


class TooMuch(Exception):
    """More than ``MOST_STEPS`` steps."""


class Attainable:
    """Decides which conditions of the lifted task can become true. ``mutex`` bool (facts, facts): the facts that are
    never true together, as far as that is known. Its methods raise TooMuch after ``MOST_STEPS`` steps."""

    def __init__(self, lifted: Lifted, task: GroundTask, relaxed: Relaxed, mutex: Bits | None = None) -> None:
        self._lifted, self._relaxed, self._mutex = lifted, relaxed, mutex
        self._members = tuple(map(frozenset, lifted.members))
        self._numbers = {fact: number for number, fact in enumerate(task.facts)}
        self._possible: defaultdict[int, list[Terms]] = defaultdict(list)
        index = {name: number for number, name in enumerate(lifted.predicates)}
        for number, (name, terms) in enumerate(task.facts):
            if relaxed.true[number] and name in index:
                self._possible[index[name]].append(terms)
        for predicate, terms in sorted(lifted.init):
            if (lifted.predicates[predicate], terms) not in self._numbers:
                self._possible[predicate].append(terms)
        self._left_out, indices = {}, []  # what of derived predicates the task does not need, and what is static
        if task.instantiator is not None:
            self._left_out, indices = task.instantiator.left_out, task.instantiator.indices
        self._static = {
            (predicate, terms)
            for predicate in lifted.strata.keys() - lifted.fluent
            for terms in (indices[predicate].by_terms if indices else ())
        }
        for predicate, terms in sorted({*self._left_out, *self._static}):
            self._possible[predicate].append(terms)
        self.renew()

    def renew(self) -> None:
        """Allows ``MOST_STEPS`` further steps."""
        self._steps = MOST_STEPS

    def _can(self, literal: logic.Literal, binding: Binding) -> bool:
        terms = tuple(t if t >= 0 else binding[-1 - t] for t in literal.terms)
        number = self._numbers.get((self._lifted.predicates[literal.predicate], terms))
        if number is not None:
            return bool((self._relaxed.true if literal.positive else self._relaxed.false)[number])
        atom = literal.predicate, terms
        return atom in self._left_out or (atom in self._lifted.init or atom in self._static) == literal.positive

    def _holds(self, formula: logic.Formula, types: Types, binding: Binding) -> bool:
        """Whether a formula whose free variables are bound can become true."""
        match formula:
            case logic.Literal():
                return self._can(formula, binding)
            case logic.Equal():
                left, right = (t if t >= 0 else binding[-1 - t] for t in (formula.left, formula.right))
                return (left == right) == formula.positive
            case logic.And():
                return all(self._holds(part, types, binding) for part in formula.parts)
            case logic.Or():
                return any(self._holds(part, types, binding) for part in formula.parts)
        types = {**types, **dict(formula.variables)}
        if not formula.universal:
            return self.meets([formula.body], types, binding)
        return all(self._holds(formula.body, types, choice) for choice in self.choices(formula, binding))

    def choices(self, formula: logic.Quantified, binding: Binding) -> Iterator[dict[int, int]]:
        for choice in self._lifted.choices(formula.variables):
            self._step()
            yield {**binding, **choice}

    def meets(self, parts: Sequence[logic.Formula], types: Types, binding: Binding) -> bool:
        """Whether there are objects for the free variables for which each of the parts can become true by itself, and
        none excludes another."""
        return any(True for _ in self.ways(parts, types, binding))

    def ways(self, parts: Sequence[logic.Formula], types: Types, binding: Binding) -> Iterator[Binding]:
        """The bindings for which ``meets`` holds."""
        parts = [one for part in parts for one in logic.conjuncts(part)]
        literals = [part for part in parts if isinstance(part, logic.Literal)]
        return (found for found in self._ways(parts, types, binding) if self._agree(literals, found))

    def _agree(self, literals: Sequence[logic.Literal], binding: Binding) -> bool:
        """Whether no literal negates another one, and no two atoms are mutex."""
        signs: dict[tuple[int, Terms], bool] = {}
        for literal in literals:
            terms = tuple(t if t >= 0 else binding[-1 - t] for t in literal.terms)
            if signs.setdefault((literal.predicate, terms), literal.positive) != literal.positive:
                return False
        if self._mutex is None or len(signs) < 2:
            return True
        names = self._lifted.predicates
        atoms = [self._numbers.get((names[p], terms)) for (p, terms), positive in signs.items() if positive]
        facts = [fact for fact in atoms if fact is not None]
        return not self._mutex[np.ix_(facts, facts)].any()

    def _ways(self, parts: Sequence[logic.Formula], types: Types, binding: Binding) -> Iterator[Binding]:
        self._step()
        parts = [one for part in parts for one in logic.conjuncts(part)]
        left = []
        for part in parts:
            if not logic.free_variables(part) <= binding.keys():
                left.append(part)
            elif not self._holds(part, types, binding):
                return
        if not left:
            if all(self._lifted.members[t] for v, t in types.items() if v not in binding):
                yield binding
            return
        atoms = [part for part in left if isinstance(part, logic.Literal) and part.positive]
        if atoms:
            atom = min(atoms, key=lambda a: len(logic.free_variables(a) - binding.keys()))
            others = [part for part in left if part is not atom]
            for terms in self._possible[atom.predicate]:
                found = self.bound(atom.terms, terms, types, binding)
                if found is not None:
                    yield from self._ways(others, types, found)
            return
        variable = min(logic.free_variables(left[0]) - binding.keys())
        for thing in self._lifted.members[types[variable]]:
            yield from self._ways(left, types, {**binding, variable: thing})

    def bound(self, terms: Terms, objects: Terms, types: Types, binding: Binding) -> dict[int, int] | None:
        """The binding under which an atom with these ``terms`` is that of the ``objects``; None if there is none. A
        variable among the objects binds nothing."""
        self._step()
        found = dict(binding)
        for term, thing in zip(terms, objects, strict=True):
            if thing < 0:
                continue
            if term >= 0:
                if term != thing:
                    return None
            elif found.setdefault(-1 - term, thing) != thing or thing not in self._members[types[-1 - term]]:
                return None
        return found

    def _step(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise TooMuch
