"""A Tarski problem as a unified-planning problem.

It is built from cplan's problem, not read from the user's files: unified-planning's reader rejects names with two
meanings, while in cplan's problem each thing has a unique name. Names are the normalised ones; parameters and variables
keep their question mark, so that no engine takes one for an object. The problem has no constraints (``unconstrained``).

Simple planners support neither quantifiers nor equality nor conditional effects. Grounding the task by unified-planning
takes 4 ms per operator, and as much again in the subsequent passes; but most parameters need no grounding. So for such
planners quantifiers are expanded over the objects, and an action is specialised only in certain parameters: those
compared by equality or determining whether the action adds an atom that it deletes; and, if it has conditional effects,
all. ``(walk-to-item ?m ?s ?r)`` becomes one action for each surface ``?s``, not for each thing ``?m`` on it.

In PDDL, an atom that is both deleted and added holds afterwards. That is then made explicit in the delete effects:
unified-planning's compilation of negative conditions would otherwise lose it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

import unified_planning.shortcuts as up
from tarski.fstrips import AddEffect, UniversalEffect
from tarski.syntax import Connective, Constant, Quantifier, Variable
from tarski.syntax.formulas import Atom, CompoundFormula, QuantifiedFormula, Tautology
from tarski.syntax.sorts import parent

from commonsense_planning.pddl.evaluation import Formulas, atoms, conjuncts, free_variables, leaves
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.validation.replay import initial_state

WRITTEN_OUT = frozenset({"EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS", "FORALL_EFFECTS", "EQUALITIES"})

_NEGATING = {Feature.NEGATIVE_CONDITIONS, Feature.DISJUNCTIVE_CONDITIONS, Feature.CONDITIONAL_EFFECTS}


@dataclass(frozen=True)
class Origin:
    """The original of a specialised action; ``arguments``: None where the specialised action still has a parameter."""

    action: str
    arguments: tuple[str | None, ...]

    def step(self, arguments: Iterable[str]) -> list[str]:
        """The user's action with the specialised action's ``arguments`` filled in: its name, then its arguments."""
        left = iter(arguments)
        return [self.action, *(next(left) if fixed is None else fixed for fixed in self.arguments)]


@dataclass(frozen=True)
class UpTask:
    """``problem``: unified-planning's; ``origins``: the original of each of its actions, by name."""

    problem: Any
    origins: dict[str, Origin]


@dataclass(frozen=True)
class FlatEffect:
    """``fluent := value`` for all values of ``variables`` for which ``condition`` holds; ``fluent`` is the application
    of a fluent. Nested universal effects and conditions are flattened to this."""

    fluent: Any
    value: bool
    condition: Any
    variables: tuple[Any, ...]


def to_up(problem: Problem, supported: Set[str]) -> UpTask:
    """The task for an engine that supports the ``supported`` features, by unified-planning's names, such as
    NEGATIVE_CONDITIONS. Action costs are left out if they are not supported."""
    return _Translation(problem, supported).task()


class _Translation:
    def __init__(self, problem: Problem, supported: Set[str]) -> None:
        self.problem = problem
        self.language = problem.tarski.language
        self.actions = problem.tarski.actions
        self.formulas = Formulas(problem)
        self.state = initial_state(problem)
        self.changing = {
            effect.atom.predicate.symbol for action in self.actions.values() for effect in leaves(action.effects)
        }
        self.costs = problem.total_cost and "ACTIONS_COST" in supported
        self.write_out = not supported >= WRITTEN_OUT | {"NEGATIVE_CONDITIONS", "CONDITIONAL_EFFECTS"}
        self.split_conditional = "CONDITIONAL_EFFECTS" not in supported
        self.explicit_adds = "NEGATIVE_CONDITIONS" not in supported and bool(problem.features & _NEGATING)
        self.types: dict[str, Any] = {}
        self.objects: dict[str, Any] = {}
        self.fluents: dict[str, Any] = {}

    def task(self) -> UpTask:
        task = up.Problem(self.problem.problem_name or None)
        for constant in sorted(self.language.get_sort("object").domain(), key=lambda found: str(found.symbol)):
            self.objects[constant.symbol] = up.Object(constant.symbol, self.type(constant.sort))
            task.add_object(self.objects[constant.symbol])
        for predicate in self.language.predicates:
            if not predicate.builtin:
                self._add_fluent(task, predicate.symbol, up.BoolType(), predicate.sort, False)
        for name, *arguments in sorted(self.state):
            task.set_initial_value(self.fluents[name](*(self.objects[argument] for argument in arguments)), True)
        if self.costs:
            self._add_functions(task)
        prices = {}
        origins = {}
        for action in self.actions.values():
            for translated, origin, price in self._specialised(action):
                task.add_action(translated)
                prices[translated] = price
                origins[translated.name] = origin
        if self.costs:
            task.add_quality_metric(up.MinimizeActionCosts(prices))
        task.add_goal(self.formula(self.problem.tarski.goal, {}))
        return UpTask(task, origins)

    def type(self, sort: Any) -> Any:
        """The unified-planning type of a Tarski sort."""
        if sort.name not in self.types:
            above = parent(sort)
            self.types[sort.name] = up.UserType(sort.name, self.type(above) if above is not None else None)
        return self.types[sort.name]

    def _add_fluent(self, task: Any, name: str, values: Any, sorts: Iterable[Any], default: Any) -> None:
        typed = {f"?p{place}": self.type(sort) for place, sort in enumerate(sorts)}
        self.fluents[name] = up.Fluent(name, values, **typed)
        task.add_fluent(self.fluents[name], default_initial_value=default)

    def _add_functions(self, task: Any) -> None:
        """Adds the functions in action costs; they never change."""
        extensions = self.problem.tarski.init.function_extensions
        for signature, extension in extensions.items():
            name, *sorts = signature
            if not sorts[:-1]:  # total-cost itself
                continue
            whole = all(float(value.symbol).is_integer() for value in extension.data.values())
            values = up.IntType() if whole else up.RealType()
            self._add_fluent(task, name, values, map(self.language.get_sort, sorts[:-1]), 0)
            for point, value in extension.data.items():
                names = (self.objects[argument.expr.symbol] for argument in point)
                task.set_initial_value(self.fluents[name](*names), _number(value.symbol))

    def _specialised(self, action: Any) -> Iterator[tuple[Any, Origin, Any]]:
        """One specialised action for each binding of the parameters that must be bound, with its origin and its
        cost."""
        fixed = self._to_fix(action) if self.write_out else set()
        variables = [parameter for parameter in action.parameters if parameter.symbol in fixed]
        static = [
            part
            for part in conjuncts(action.precondition)
            if not any(atom.predicate.symbol in self.changing for atom in atoms(part)) and free_variables(part) <= fixed
        ]
        join = self.formulas.join(variables, static)
        for number, binding in enumerate(self.formulas.assignments(join, self.state, {})):
            name = f"{action.name}~{number}" if fixed else action.name
            typed = {p.symbol: self.type(p.sort) for p in action.parameters if p.symbol not in fixed}
            translated = up.InstantaneousAction(name, **typed)
            scope = {symbol: up.ObjectExp(self.objects[value]) for symbol, value in binding.items()}
            scope |= {symbol: up.ParameterExp(translated.parameter(symbol)) for symbol in typed}
            precondition = self.formula(action.precondition, scope).simplify()
            if precondition.is_false():
                continue
            translated.add_precondition(precondition)
            effects = list(self._flat(action.effects, scope, up.TRUE(), ()))
            for effect in with_explicit_adds(effects) if self.explicit_adds else effects:
                if not effect.condition.is_false():
                    translated.add_effect(effect.fluent, effect.value, effect.condition, effect.variables)
            price = self.term(action.cost.addend, scope) if self.costs and action.cost is not None else 0
            arguments = tuple(binding.get(parameter.symbol) for parameter in action.parameters)
            yield translated, Origin(action.name, arguments), price

    def _to_fix(self, action: Any) -> set[str]:
        """The symbols of the parameters in which ``action`` must be specialised."""
        parameters = {parameter.symbol for parameter in action.parameters}
        effects = list(leaves(action.effects))
        conditions = list(_conditions(action.effects))
        if self.split_conditional and conditions:
            return parameters
        tests = [atom for formula in (action.precondition, *conditions) for atom in atoms(formula)]
        fixed = {name for atom in tests if atom.predicate.builtin for name in free_variables(atom)}  # compared by =
        if self.explicit_adds:
            adds = [effect for effect in effects if isinstance(effect, AddEffect)]
            deletes = [effect for effect in effects if not isinstance(effect, AddEffect)]
            for add, delete in itertools.product(adds, deletes):
                if add.atom.predicate.symbol == delete.atom.predicate.symbol:
                    fixed |= self._undecided(add.atom, delete.atom)
        return fixed & parameters

    def _undecided(self, one: Any, other: Any) -> set[str]:
        """The variables that determine whether two atoms of one predicate are the same."""
        names: set[str] = set()
        for left, right in zip(one.subterms, other.subterms, strict=True):
            if not set(self.formulas.objects(left.sort)) & set(self.formulas.objects(right.sort)):
                return set()
            if left.symbol != right.symbol:
                names |= free_variables(left) | free_variables(right)
        return names

    def _flat(
        self, effects: Iterable[Any], scope: dict[str, Any], condition: Any, variables: tuple[Any, ...]
    ) -> Iterator[FlatEffect]:
        for effect in effects:
            under = _joined([condition, self.formula(effect.condition, scope)], True)
            if not isinstance(effect, UniversalEffect):
                yield FlatEffect(self._atom(effect.atom, scope), isinstance(effect, AddEffect), under, variables)
            elif self.write_out:
                for own in self._bindings(effect.variables):
                    yield from self._flat(effect.effects, {**scope, **own}, under, variables)
            else:
                inner = {variable.symbol: self._variable(variable) for variable in effect.variables}
                yield from self._flat(effect.effects, {**scope, **inner}, under, (*variables, *inner.values()))

    def formula(self, formula: Any, scope: dict[str, Any]) -> Any:
        """A Tarski formula as a unified-planning expression; ``scope`` has its parameters and variables."""
        match formula:
            case Atom() if formula.predicate.builtin:
                terms = [self.term(term, scope) for term in formula.subterms]
                left, right = up.get_environment().expression_manager.auto_promote(terms)
                known = left.is_object_exp() and right.is_object_exp()
                return up.Bool(left == right) if known else up.Equals(left, right)
            case Atom():
                atom = self._atom(formula, scope)
                name = formula.predicate.symbol
                if self.write_out and name not in self.changing and all(part.is_object_exp() for part in atom.args):
                    return up.Bool((name, *(part.object().name for part in atom.args)) in self.state)
                return atom
            case CompoundFormula(connective=Connective.Not):
                return _not(self.formula(formula.subformulas[0], scope))
            case CompoundFormula():
                parts = [self.formula(part, scope) for part in formula.subformulas]
                return _joined(parts, formula.connective is Connective.And)
            case QuantifiedFormula(quantifier=quantifier) if self.write_out:
                bindings = self._bindings(formula.variables)
                parts = [self.formula(formula.formula, {**scope, **own}) for own in bindings]
                return _joined(parts, quantifier is Quantifier.Forall)
            case QuantifiedFormula():
                own = {variable.symbol: self._variable(variable) for variable in formula.variables}
                body = self.formula(formula.formula, {**scope, **own})
                quantifier = up.Forall if formula.quantifier is Quantifier.Forall else up.Exists
                return quantifier(body, *own.values())
        return up.Bool(isinstance(formula, Tautology))

    def _atom(self, atom: Any, scope: dict[str, Any]) -> Any:
        return self.fluents[atom.predicate.symbol](*(self.term(term, scope) for term in atom.subterms))

    def _bindings(self, variables: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """All values of quantified variables."""
        for binding in self.formulas.bindings(variables):
            yield {symbol: up.ObjectExp(self.objects[name]) for symbol, name in binding.items()}

    def term(self, term: Any, scope: dict[str, Any]) -> Any:
        if isinstance(term, Variable):
            return scope[term.symbol]
        if isinstance(term, Constant):
            return self.objects[term.symbol] if term.symbol in self.objects else _number(term.symbol)
        return self.fluents[term.symbol.symbol](*(self.term(part, scope) for part in term.subterms))

    def _variable(self, variable: Any) -> Any:
        return up.Variable(variable.symbol, self.type(variable.sort))


def with_explicit_adds(effects: list[FlatEffect]) -> Iterator[FlatEffect]:
    """The ``effects`` of one action, in which each delete is conditional on no add effect making its atom true."""
    adds: dict[Any, list[Any]] = {}
    for effect in effects:
        if effect.value:
            adds.setdefault(effect.fluent, []).append(effect.condition)
    for effect in effects:
        if effect.value:
            yield effect
        else:
            unless = [_not(condition) for condition in adds.get(effect.fluent, [])]
            yield FlatEffect(effect.fluent, False, _joined([effect.condition, *unless], True), effect.variables)


def _conditions(effects: Iterable[Any]) -> Iterator[Any]:
    """The conditions of effects, including those inside universal effects."""
    for effect in effects:
        if not isinstance(effect.condition, Tautology):
            yield effect.condition
        if isinstance(effect, UniversalEffect):
            yield from _conditions(effect.effects)


def _joined(parts: list[Any], every: bool) -> Any:
    """A flat conjunction, or (not ``every``) disjunction, with each part once and without true (false) ones: its
    disjunctive normal form is then no larger than it must be."""
    kind = "is_and" if every else "is_or"
    flat = dict.fromkeys(own for part in parts for own in (part.args if getattr(part, kind)() else (part,)))
    values = [part.bool_constant_value() for part in flat if part.is_bool_constant()]
    if (not every) in values:
        return up.Bool(not every)
    return (up.And if every else up.Or)([part for part in flat if not part.is_bool_constant()])


def _not(part: Any) -> Any:
    """The negation, in negation normal form above quantifiers."""
    if part.is_bool_constant():
        return up.Bool(not part.bool_constant_value())
    if part.is_and() or part.is_or():
        return _joined([_not(each) for each in part.args], part.is_or())
    return part.arg(0) if part.is_not() else up.Not(part)


def _number(symbol: Any) -> Any:
    value = float(symbol)
    return int(value) if value.is_integer() else value
