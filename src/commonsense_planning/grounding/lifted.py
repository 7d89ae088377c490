"""The lifted task as grounding needs it: numbers in place of names, conditions in negation normal form.

A term is an int: a constant is its object's index (>= 0), variable ``v`` is ``-1 - v``. Variables 0..n-1 of an action
are its parameters; the quantified variables get the numbers after them, each a different one.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tarski.fstrips import AddEffect, UniversalEffect
from tarski.syntax import (
    Atom,
    CompoundFormula,
    CompoundTerm,
    Connective,
    Contradiction,
    QuantifiedFormula,
    Quantifier,
    Tautology,
    Variable,
)
from tarski.syntax.sorts import Interval

from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.trajectories import Constraint, MonitorPart, Operator, P, Q

Terms = tuple[int, ...]
Variables = tuple[tuple[int, int], ...]  # (variable number, type number)
NumberedAtom = tuple[int, Terms]  # (predicate number, objects)


@dataclass(frozen=True)
class Literal:
    """``predicate(terms)`` or its negation."""

    predicate: int
    terms: Terms
    positive: bool = True


@dataclass(frozen=True)
class Equal:
    """``left = right`` or its negation."""

    left: int
    right: int
    positive: bool = True


@dataclass(frozen=True)
class And:
    """A conjunction; the empty one is true."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Or:
    """A disjunction; the empty one is false."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Quantified:
    """``exists`` or (``universal``) ``forall`` over variables of the given types."""

    universal: bool
    variables: Variables
    body: Formula


Formula = Literal | Equal | And | Or | Quantified
TRUE = And()
FALSE = Or()
MOST_ALTERNATIVES = 64  # of one condition; beyond that, the ground disjunctive normal form has to do


@dataclass(frozen=True)
class Effect:
    """``forall variables: when condition: (not) predicate(terms)``."""

    variables: Variables
    condition: Formula
    literal: Literal


@dataclass(frozen=True)
class Schema:
    """A lifted action. ``cost`` is a number, or the term of a function, ``(name, terms)``; grounding checks it."""

    name: str
    parameters: tuple[int, ...]  # type numbers
    precondition: Formula
    effects: tuple[Effect, ...]
    cost: float | tuple[str, Terms]


@dataclass(frozen=True)
class LiftedConstraint:
    """A constraint for each value of ``variables``. ``conditions``: its monitor's, and their negations."""

    operator: Operator
    variables: Variables
    conditions: Mapping[MonitorPart, Formula]


@dataclass(frozen=True)
class Lifted:
    """A lifted task. ``members[t]``: the objects of type ``t`` and its subtypes, ascending. ``constraints``: in the
    order of ``problem``'s.

    ``rules``: those of derived predicates, as schemas without cost that add one atom each. ``strata``: derived
    predicate → its stratum, from 0. A stratum is a set of mutually recursive derived predicates, mostly a single one.
    Its rules mention only predicates of this and of earlier strata, and negate none of this one.
    """

    problem: Problem
    objects: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    predicates: tuple[str, ...]
    arities: tuple[int, ...]
    fluent: frozenset[int]
    schemas: tuple[Schema, ...]
    init: frozenset[NumberedAtom]
    goal: Formula
    constraints: tuple[LiftedConstraint, ...]
    values: dict[tuple[str, Terms], float]
    rules: tuple[Schema, ...] = ()
    strata: Mapping[int, int] = field(default_factory=dict)

    def text(self, predicate: int, terms: Terms) -> str:
        """A ground atom as PDDL in the user's spelling."""
        return self.problem.text(self.predicates[predicate], *(self.objects[t] for t in terms))

    def choices(self, variables: Variables) -> Iterator[dict[int, int]]:
        """Every assignment of objects of their types to the variables, by their numbers."""
        numbers = [v for v, _ in variables]
        for choice in itertools.product(*(self.members[t] for _, t in variables)):
            yield dict(zip(numbers, choice, strict=True))


class Translator:
    """Translates Tarski's objects to numbers, which are the same for equal problems."""

    def __init__(self, problem: Problem) -> None:
        language = problem.tarski.language
        self.problem = problem
        constants = sorted((c for c in language.constants() if isinstance(c.symbol, str)), key=lambda c: c.symbol)
        self.objects = tuple(str(c.symbol) for c in constants)
        self.object_index = {name: i for i, name in enumerate(self.objects)}
        sorts = [s for s in language.sorts if not isinstance(s, Interval)]  # types, not kinds of numbers
        self.type_index = {s.name: i for i, s in enumerate(sorts)}
        self.members = tuple(tuple(sorted(self.object_index[str(c.symbol)] for c in s.domain())) for s in sorts)
        self.predicates = [p for p in language.predicates if isinstance(p.symbol, str)]
        self.predicate_index = {str(p.symbol): i for i, p in enumerate(self.predicates)}

    def type_of(self, variable: Variable) -> int:
        """The number of a Tarski variable's type."""
        return self.type_index[variable.sort.name]

    def term(self, term: Any, scope: dict[str, int]) -> int:
        """A Tarski constant or variable as a term; ``scope``: name of a variable → its number."""
        if isinstance(term, Variable):
            return -1 - scope[term.symbol]
        return self.object_index[str(term.symbol)]

    def literal(self, atom: Atom, scope: dict[str, int], positive: bool = True) -> Literal:
        """A Tarski atom over a declared predicate as a literal."""
        terms = tuple(self.term(t, scope) for t in atom.subterms)
        return Literal(self.predicate_index[str(atom.predicate.symbol)], terms, positive)

    def formula(self, formula: Any, scope: dict[str, int], counter: list[int], positive: bool = True) -> Formula:
        """A Tarski formula (negated unless ``positive``) in negation normal form.

        ``counter`` has the next free variable number; quantified variables advance it.
        """
        if isinstance(formula, Tautology):
            return TRUE if positive else FALSE
        if isinstance(formula, Contradiction):
            return FALSE if positive else TRUE
        if isinstance(formula, Atom):
            if isinstance(formula.predicate.symbol, str):
                return self.literal(formula, scope, positive)
            left, right = (self.term(t, scope) for t in formula.subterms)
            return Equal(left, right, positive)
        if isinstance(formula, QuantifiedFormula):
            inner = dict(scope)
            variables = self.declare(formula.variables, inner, counter)
            universal = (formula.quantifier == Quantifier.Forall) == positive
            return Quantified(universal, variables, self.formula(formula.formula, inner, counter, positive))
        assert isinstance(formula, CompoundFormula)
        parts = formula.subformulas
        if formula.connective == Connective.Not:
            return self.formula(parts[0], scope, counter, not positive)
        both = tuple(self.formula(p, scope, counter, positive) for p in parts)
        return And(both) if (formula.connective == Connective.And) == positive else Or(both)

    def declare(self, variables: Sequence[Variable], scope: dict[str, int], counter: list[int]) -> Variables:
        """The variables with new numbers, which are added to ``scope``."""
        numbers = range(counter[0], counter[0] + len(variables))
        scope.update({variable.symbol: number for variable, number in zip(variables, numbers, strict=True)})
        counter[0] = numbers.stop
        return tuple(zip(numbers, map(self.type_of, variables), strict=True))


def lift(problem: Problem, hidden: Iterable[str] = ()) -> Lifted:
    """The lifted task of a problem.

    ``hidden``: names of predicates that an agent does not see; they count as fluents even if no action changes them.
    """
    tr = Translator(problem)
    task = problem.tarski
    schemas = lift_schemas(tr)
    changed = {e.literal.predicate for s in schemas for e in s.effects}
    rules = _rules(tr)
    wants: defaultdict[int, set[int]] = defaultdict(set)  # derived predicate → the predicates in its rules
    for rule in rules:
        wants[rule.effects[0].literal.predicate].update(found.predicate for found in literals(rule.precondition))
    fluent = changed | {tr.predicate_index[name] for name in hidden}
    while found := {p for p, others in wants.items() if others & fluent} - fluent:
        fluent |= found
    init, values = _initial(tr)
    goal = simplify(tr.formula(task.goal, {}, [0]))
    constraints = tuple(_constraint(tr, constraint) for constraint in problem.constraints)
    arities = tuple(p.arity for p in tr.predicates)
    names = tuple(str(p.symbol) for p in tr.predicates)
    return Lifted(
        problem,
        tr.objects,
        tr.members,
        names,
        arities,
        frozenset(fluent),
        schemas,
        init,
        goal,
        constraints,
        values,
        rules,
        _strata({p: others & wants.keys() for p, others in wants.items()}),
    )


def _constraint(tr: Translator, constraint: Constraint) -> LiftedConstraint:
    scope: dict[str, int] = {}
    counter = [0]
    variables = tr.declare(constraint.variables, scope, counter)
    conditions = {
        MonitorPart(name, positive): simplify(tr.formula(condition, scope, counter, positive))
        for name, condition in zip((P, Q), constraint.conditions, strict=False)
        for positive in (True, False)
    }
    return LiftedConstraint(constraint.operator, variables, conditions)


def _rules(tr: Translator) -> tuple[Schema, ...]:
    """The rules of the problem's derived predicates."""
    found: list[Schema] = []
    for derived in tr.problem.derived:
        scope: dict[str, int] = {}
        counter = [0]
        parameters = [t for _, t in tr.declare(derived.atom.subterms, scope, counter)]
        condition = simplify(tr.formula(derived.condition, scope, counter))
        head = tr.literal(derived.atom, scope)
        found += _rule_schemas(str(derived.atom.predicate.symbol), head, parameters, condition)
    return tuple(found)


def literals(formula: Formula) -> Iterator[Literal]:
    """The literals in a formula."""
    if isinstance(formula, Literal):
        yield formula
    elif isinstance(formula, Quantified):
        yield from literals(formula.body)
    elif isinstance(formula, And | Or):
        for part in formula.parts:
            yield from literals(part)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a conjunction; any other formula is its own single part."""
    return formula.parts if isinstance(formula, And) else (formula,)


def _strata(wants: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """Derived predicate → its stratum, from 0. ``wants``: derived predicate → those in its rules."""
    reached: dict[int, frozenset[int]] = {p: frozenset() for p in wants}
    waiting = True
    while waiting:
        waiting = False
        for p, mentioned in wants.items():
            found = reached[p].union(mentioned, *(reached[q] for q in mentioned))
            waiting = waiting or found != reached[p]
            reached[p] = found
    circles = {p: frozenset({p, *(q for q in reached[p] if p in reached[q])}) for p in wants}
    order = sorted(set(circles.values()), key=lambda circle: (len(reached[min(circle)] | circle), min(circle)))
    return {p: number for number, circle in enumerate(order) for p in circle}


def _rule_schemas(name: str, head: Literal, parameters: Sequence[int], condition: Formula) -> list[Schema]:
    """A rule as schemas without cost that add its head: one per alternative of the condition, with existential
    variables as parameters. ``parameters``: the types of variables 0, 1, … of the head."""
    found = []
    for variables, parts in _alternatives(condition):
        body = simplify(And(parts))
        free = free_variables(body)
        bound = [pair for pair in dict.fromkeys(variables) if pair[0] in free]
        order = {v: v for v in range(len(parameters))} | {v: len(parameters) + i for i, (v, _) in enumerate(bound)}
        types = (*parameters, *(t for _, t in bound))
        found.append(Schema(name, types, renumbered(body, order), (Effect((), TRUE, head),), 0))
    return found


def lift_schemas(tr: Translator) -> tuple[Schema, ...]:
    """The actions of the problem."""
    return tuple(_schema(tr, action) for action in tr.problem.tarski.actions.values())


def _schema(tr: Translator, action: Any) -> Schema:
    scope: dict[str, int] = {}
    counter = [0]
    parameters = tr.declare(action.parameters, scope, counter)
    precondition = simplify(tr.formula(action.precondition, scope, counter))
    effects = tuple(_effects(tr, action.effects, (), TRUE, scope, counter))
    return Schema(action.name, tuple(t for _, t in parameters), precondition, effects, _cost(tr, action, scope))


def _effects(
    tr: Translator,
    effects: Iterable[Any],
    bound: Variables,
    condition: Formula,
    scope: dict[str, int],
    counter: list[int],
) -> Iterator[Effect]:
    """Tarski's trees of effects, flattened."""
    for effect in effects:
        inner = dict(scope)
        universal = isinstance(effect, UniversalEffect)
        variables = bound + tr.declare(effect.variables, inner, counter) if universal else bound
        under = simplify(And((condition, tr.formula(effect.condition, inner, counter))))
        if universal:
            yield from _effects(tr, effect.effects, variables, under, inner, counter)
        else:
            yield Effect(variables, under, tr.literal(effect.atom, inner, isinstance(effect, AddEffect)))


def _cost(tr: Translator, action: Any, scope: dict[str, int]) -> float | tuple[str, Terms]:
    if not tr.problem.total_cost:
        return 1
    if action.cost is None:
        return 0
    addend = action.cost.addend
    if isinstance(addend, CompoundTerm):
        return str(addend.symbol.name), tuple(tr.term(t, scope) for t in addend.subterms)
    return float(addend.symbol)


def _initial(tr: Translator) -> tuple[frozenset[NumberedAtom], dict[tuple[str, Terms], float]]:
    atoms = set()
    values: dict[tuple[str, Terms], float] = {}
    for entry in tr.problem.tarski.init.as_atoms():
        if isinstance(entry, Atom):
            literal = tr.literal(entry, {})
            atoms.add((literal.predicate, literal.terms))
        else:
            term, value = entry
            values[str(term.symbol.name), tuple(tr.term(t, {}) for t in term.subterms)] = float(value.symbol)
    return frozenset(atoms), values


def _alternatives(formula: Formula) -> list[tuple[Variables, tuple[Formula, ...]]]:
    """The disjuncts of a formula: each its existential variables and a conjunction."""
    if isinstance(formula, Or):
        return [way for part in formula.parts for way in _alternatives(part)]
    if isinstance(formula, Quantified) and not formula.universal:
        return [(formula.variables + variables, parts) for variables, parts in _alternatives(formula.body)]
    if not isinstance(formula, And):
        return [((), (formula,))]
    found: list[tuple[Variables, tuple[Formula, ...]]] = [((), ())]
    for part in formula.parts:
        ways = _alternatives(part)
        if len(found) * len(ways) > MOST_ALTERNATIVES:
            ways = [((), (part,))]
        found = [(v + w, p + q) for v, p in found for w, q in ways]
    return found


def simplify(formula: Formula) -> Formula:
    """The formula with nested conjunctions and disjunctions flattened, and without true and false parts."""
    if isinstance(formula, Quantified):
        body = simplify(formula.body)
        if body == (TRUE if formula.universal else FALSE):
            return body
        return Quantified(formula.universal, formula.variables, body)
    if not isinstance(formula, And | Or):
        return formula
    kind, neutral, absorbing = (And, TRUE, FALSE) if isinstance(formula, And) else (Or, FALSE, TRUE)
    parts: list[Formula] = []
    for part in map(simplify, formula.parts):
        if part == absorbing:
            return absorbing
        if part != neutral:
            parts.extend(part.parts if isinstance(part, kind) else (part,))
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def free_variables(formula: Formula) -> frozenset[int]:
    """The numbers of the free variables."""
    if isinstance(formula, Literal):
        return frozenset(-1 - t for t in formula.terms if t < 0)
    if isinstance(formula, Equal):
        return frozenset(-1 - t for t in (formula.left, formula.right) if t < 0)
    if isinstance(formula, Quantified):
        return free_variables(formula.body) - {v for v, _ in formula.variables}
    return frozenset().union(*(free_variables(p) for p in formula.parts))


def substitute(formula: Formula, binding: dict[int, int]) -> Formula:
    """The formula with objects in place of variables; ``binding``: variable → object."""
    return _with_terms(formula, lambda t: binding.get(-1 - t, t) if t < 0 else t)


def renumbered(formula: Formula, order: dict[int, int]) -> Formula:
    """The formula with variable ``v`` as ``order[v]``; bound variables get the next numbers, and are added to
    ``order``."""
    return _with_terms(formula, lambda t: t if t >= 0 else -1 - order[-1 - t], order)


def _with_terms(formula: Formula, term: Callable[[int], int], order: dict[int, int] | None = None) -> Formula:
    """The formula with other terms; with ``order``, bound variables get the next numbers, and are added to it."""
    if isinstance(formula, Literal):
        return Literal(formula.predicate, tuple(map(term, formula.terms)), formula.positive)
    if isinstance(formula, Equal):
        return Equal(term(formula.left), term(formula.right), formula.positive)
    if isinstance(formula, Quantified):
        variables = formula.variables
        if order is not None:
            for v, _ in variables:
                order[v] = 1 + max(order.values(), default=-1)
            variables = tuple((order[v], t) for v, t in variables)
        return Quantified(formula.universal, variables, _with_terms(formula.body, term, order))
    return type(formula)(tuple(_with_terms(part, term, order) for part in formula.parts))
