"""The lifted task in the form that grounding wants: numbers for names, conditions in negation normal form.

A term is an int: a constant is its object's index (>= 0), variable ``v`` is ``-1 - v``. Variables 0..n-1 of
an action are its parameters; quantified variables get the numbers after them, each its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tarski.fstrips import AddEffect, DelEffect, UniversalEffect
from tarski.fstrips.fstrips import IncreaseEffect
from tarski.syntax import (
    Atom,
    CompoundFormula,
    CompoundTerm,
    Connective,
    Constant,
    Contradiction,
    QuantifiedFormula,
    Quantifier,
    Tautology,
    Variable,
)
from tarski.syntax.sorts import Interval

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.trajectories import Constraint, MonitorPart, Operator, P, Q

Terms = tuple[int, ...]


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
    variables: tuple[tuple[int, int], ...]  # (variable number, type number)
    body: Formula


Formula = Literal | Equal | And | Or | Quantified
TRUE = And()
FALSE = Or()
MOST_ALTERNATIVES = 64  # of one condition; more are left to the ground disjunctive normal form


@dataclass(frozen=True)
class Effect:
    """``forall variables: when condition: (not) predicate(terms)``."""

    variables: tuple[tuple[int, int], ...]
    condition: Formula
    literal: Literal


@dataclass(frozen=True)
class Schema:
    """A lifted action. ``cost`` is a number, or a function's term ``(name, terms)``; grounding checks it."""

    name: str
    parameters: tuple[int, ...]  # type numbers
    precondition: Formula
    effects: tuple[Effect, ...]
    cost: float | tuple[str, Terms]


@dataclass(frozen=True)
class LiftedConstraint:
    """A constraint for each value of ``variables``. ``conditions``: those that its monitor names, true or false."""

    operator: Operator
    variables: tuple[tuple[int, int], ...]
    conditions: Mapping[MonitorPart, Formula]


@dataclass(frozen=True)
class Lifted:
    """A lifted task. ``members[t]``: the objects of type ``t``, subtypes included, ascending. ``init``:
    ground atoms. ``constraints`` in the order of those of ``problem``.

    ``rules`` derive atoms: schemas without cost that add one atom each. ``strata``: derived predicate → its stratum,
    from 0. A stratum is a set of predicates that are derived from each other in a circle, mostly a single one. Its
    rules mention only predicates of its own and of strata before it, and negate none of its own.
    """

    problem: Problem
    objects: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    predicates: tuple[str, ...]
    arities: tuple[int, ...]
    fluent: frozenset[int]
    schemas: tuple[Schema, ...]
    init: frozenset[tuple[int, Terms]]
    goal: Formula
    constraints: tuple[LiftedConstraint, ...]
    values: dict[tuple[str, Terms], float]
    rules: tuple[Schema, ...] = ()
    strata: Mapping[int, int] = field(default_factory=dict)


class Translator:
    """Tarski's objects to cplan's; one per problem, so that numbers agree (``lift`` uses it, and so do
    sensors)."""

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
        """A Tarski constant or variable as a term; ``scope`` numbers the variables."""
        if isinstance(term, Variable):
            return -1 - scope[term.symbol]
        if isinstance(term, Constant):
            return self.object_index[str(term.symbol)]
        raise InputError(f"the term {term} is neither a variable nor an object")

    def literal(self, atom: Atom, scope: dict[str, int], positive: bool = True) -> Literal:
        """A Tarski atom over a declared predicate as a literal."""
        terms = tuple(self.term(t, scope) for t in atom.subterms)
        return Literal(self.predicate_index[str(atom.predicate.symbol)], terms, positive)

    def formula(self, formula: Any, scope: dict[str, int], counter: list[int], positive: bool = True) -> Formula:
        """A Tarski formula (negated unless ``positive``) in negation normal form.

        ``counter`` holds the next free variable number and is advanced for quantified variables.
        """
        if isinstance(formula, Tautology):
            return TRUE if positive else FALSE
        if isinstance(formula, Contradiction):
            return FALSE if positive else TRUE
        if isinstance(formula, Atom):
            if isinstance(formula.predicate.symbol, str):
                return self.literal(formula, scope, positive)
            left, right = (self.term(t, scope) for t in formula.subterms)
            same = str(formula.predicate.symbol.value) == "="
            return Equal(left, right, positive == same)
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

    def declare(
        self, variables: Sequence[Variable], scope: dict[str, int], counter: list[int]
    ) -> tuple[tuple[int, int], ...]:
        """Number ``variables``, enter them in ``scope``; give (number, type) pairs."""
        pairs = []
        for variable in variables:
            scope[variable.symbol] = counter[0]
            pairs.append((counter[0], self.type_of(variable)))
            counter[0] += 1
        return tuple(pairs)


def lift(problem: Problem, hidden: Iterable[str] = ()) -> Lifted:
    """The lifted task of a problem that was read.

    ``hidden`` names predicates that an agent does not see: they count as fluents even if no action changes
    them. Raises InputError for what grounding does not know.
    """
    tr = Translator(problem)
    task = problem.tarski
    schemas = lift_schemas(tr)
    changed = {e.literal.predicate for s in schemas for e in s.effects}
    rules = _rules(tr)
    wants = {p: frozenset(predicates(And(tuple(conditions)))) for p, conditions in _conditions(rules).items()}
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


def _conditions(rules: Iterable[Schema]) -> dict[int, list[Formula]]:
    """Derived predicate → the conditions of its rules."""
    found: dict[int, list[Formula]] = {}
    for rule in rules:
        found.setdefault(rule.effects[0].literal.predicate, []).append(rule.precondition)
    return found


def predicates(formula: Formula) -> Iterator[int]:
    """The predicates that a formula mentions."""
    if isinstance(formula, Literal):
        yield formula.predicate
    elif isinstance(formula, Quantified):
        yield from predicates(formula.body)
    elif isinstance(formula, And | Or):
        for part in formula.parts:
            yield from predicates(part)


def _strata(wants: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """Derived predicate → its stratum, from 0. ``wants``: derived predicate → those that its rules mention."""
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
    """A rule as schemas without cost that add its head: one for each way to meet the condition, in which what has to
    exist is a parameter. ``parameters``: the types of variables 0, 1, … of the head."""
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
    """The actions of the problem. Raises InputError for what grounding does not know."""
    return tuple(_schema(tr, action) for action in tr.problem.tarski.actions.values())


def _schema(tr: Translator, action: Any) -> Schema:
    scope: dict[str, int] = {}
    counter = [0]
    parameters = tr.declare(action.parameters, scope, counter)
    precondition = simplify(tr.formula(action.precondition, scope, counter))
    effects: list[Effect] = []
    for effect in action.effects:
        _collect(tr, effect, (), TRUE, scope, counter, effects)
    return Schema(action.name, tuple(t for _, t in parameters), precondition, tuple(effects), _cost(tr, action, scope))


def _collect(
    tr: Translator,
    effect: Any,
    variables: tuple[tuple[int, int], ...],
    condition: Formula,
    scope: dict[str, int],
    counter: list[int],
    out: list[Effect],
) -> None:
    """Flatten Tarski's effect tree into ``out``."""
    if effect is None or isinstance(effect, IncreaseEffect):
        return
    if isinstance(effect, UniversalEffect):
        inner = dict(scope)
        variables = variables + tr.declare(effect.variables, inner, counter)
        condition = simplify(And((condition, tr.formula(effect.condition, inner, counter))))
        for sub in effect.effects:
            _collect(tr, sub, variables, condition, inner, counter, out)
        return
    if not isinstance(effect, AddEffect | DelEffect):
        raise InputError(f"the effect {effect} is not an add, a delete or an increase of total-cost")
    condition = simplify(And((condition, tr.formula(effect.condition, scope, counter))))
    out.append(Effect(variables, condition, tr.literal(effect.atom, scope, isinstance(effect, AddEffect))))


def _cost(tr: Translator, action: Any, scope: dict[str, int]) -> float | tuple[str, Terms]:
    if not tr.problem.total_cost:
        return 1
    if action.cost is None:
        return 0
    addend = action.cost.addend
    if isinstance(addend, CompoundTerm):
        return str(addend.symbol.name), tuple(tr.term(t, scope) for t in addend.subterms)
    return float(addend.symbol)


def _initial(tr: Translator) -> tuple[frozenset[tuple[int, Terms]], dict[tuple[str, Terms], float]]:
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


def _alternatives(formula: Formula) -> list[tuple[tuple[tuple[int, int], ...], tuple[Formula, ...]]]:
    """Disjuncts of a formula: the variables for which there have to be objects, and a conjunction of them."""
    if isinstance(formula, Or):
        return [way for part in formula.parts for way in _alternatives(part)]
    if isinstance(formula, Quantified) and not formula.universal:
        return [(formula.variables + variables, parts) for variables, parts in _alternatives(formula.body)]
    if not isinstance(formula, And):
        return [((), (formula,))]
    found: list[tuple[tuple[tuple[int, int], ...], tuple[Formula, ...]]] = [((), ())]
    for part in formula.parts:
        ways = _alternatives(part)
        if len(found) * len(ways) > MOST_ALTERNATIVES:
            ways = [((), (part,))]
        found = [(v + w, p + q) for v, p in found for w, q in ways]
    return found


def simplify(formula: Formula) -> Formula:
    """Flatten nested conjunctions and disjunctions and drop true and false parts."""
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
    """The numbers of the variables that occur free."""
    if isinstance(formula, Literal):
        return frozenset(-1 - t for t in formula.terms if t < 0)
    if isinstance(formula, Equal):
        return frozenset(-1 - t for t in (formula.left, formula.right) if t < 0)
    if isinstance(formula, Quantified):
        return free_variables(formula.body) - {v for v, _ in formula.variables}
    return frozenset().union(*(free_variables(p) for p in formula.parts))


def substitute(formula: Formula, binding: dict[int, int]) -> Formula:
    """Replace variables (by number) with objects."""
    return _with_terms(formula, lambda t: binding.get(-1 - t, t) if t < 0 else t)


def renumbered(formula: Formula, order: dict[int, int]) -> Formula:
    """The formula with variable ``v`` as ``order[v]``; bound ones get the next numbers and join ``order``."""
    return _with_terms(formula, lambda t: t if t >= 0 else -1 - order[-1 - t], order)


def _with_terms(formula: Formula, term: Callable[[int], int], order: dict[int, int] | None = None) -> Formula:
    """The formula with other terms; with ``order`` its bound variables get the next numbers there."""
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
