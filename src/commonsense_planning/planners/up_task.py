"""A Tarski problem as a unified-planning problem.

It is built from our own problem and not read from the user's files: unified-planning's reader refuses names that stand
for two things, and ours has given each thing a name of its own. Names are the normalised ones; parameters and
variables keep their question mark, so that no engine takes one for an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import unified_planning.shortcuts as up
from tarski.fstrips import AddEffect, UniversalEffect
from tarski.syntax import Connective, Constant, Quantifier, Variable
from tarski.syntax.builtins import BuiltinPredicateSymbol
from tarski.syntax.formulas import Atom, CompoundFormula, QuantifiedFormula, Tautology
from tarski.syntax.sorts import parent

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.problem import Problem


@dataclass(frozen=True)
class FlatEffect:
    """``fluent := value`` for all values of ``variables`` for which ``condition`` holds; ``fluent`` is a fluent's
    application. Nested universal effects and conditions are flattened into this."""

    fluent: Any
    value: bool
    condition: Any
    variables: tuple[Any, ...]


def to_up(problem: Problem, costs: bool, explicit_adds: bool) -> Any:
    """The unified-planning problem.

    ``costs`` says whether action costs and the metric are taken along. With ``explicit_adds``, what PDDL says about
    an atom that an action both deletes and adds (it holds afterwards) is written into the delete effects' conditions;
    unified-planning's compilation of negative conditions loses it otherwise.
    """
    return _Translation(problem).task(costs, explicit_adds)


class _Translation:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.language = problem.tarski.language
        self.types: dict[str, Any] = {}
        self.objects: dict[str, Any] = {}
        self.fluents: dict[str, Any] = {}

    def task(self, costs: bool, explicit_adds: bool) -> Any:
        task = up.Problem(self.problem.problem_name or None)
        for constant in sorted(self.language.get_sort("object").domain(), key=lambda found: str(found.symbol)):
            self.objects[constant.symbol] = up.Object(constant.symbol, self.type(constant.sort))
            task.add_object(self.objects[constant.symbol])
        for predicate in self.language.predicates:
            if not predicate.builtin:
                self._add_fluent(task, predicate.symbol, up.BoolType(), predicate.sort, False)
        for signature, points in self.problem.tarski.init.predicate_extensions.items():
            for point in points:
                names = (self.objects[argument.expr.symbol] for argument in point)
                task.set_initial_value(self.fluents[signature[0]](*names), True)
        if costs:
            self._add_functions(task)
        prices = {}
        for action in self.problem.tarski.actions.values():
            translated = self._action(action, explicit_adds)
            task.add_action(translated)
            if costs:
                prices[translated] = self._cost(action, translated)
        if costs:
            task.add_quality_metric(up.MinimizeActionCosts(prices))
        task.add_goal(self.formula(self.problem.tarski.goal, {}))
        return task

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
        """The functions that action costs look up; they never change."""
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

    def _action(self, action: Any, explicit_adds: bool) -> Any:
        typed = {parameter.symbol: self.type(parameter.sort) for parameter in action.parameters}
        translated = up.InstantaneousAction(action.name, **typed)
        scope = {name: translated.parameter(name) for name in typed}
        if not isinstance(action.precondition, Tautology):
            translated.add_precondition(self.formula(action.precondition, scope))
        effects = list(self._flat(action.effects, scope, up.TRUE(), ()))
        for effect in with_explicit_adds(effects) if explicit_adds else effects:
            translated.add_effect(effect.fluent, effect.value, effect.condition, effect.variables)
        return translated

    def _cost(self, action: Any, translated: Any) -> Any:
        scope = {parameter.symbol: translated.parameter(parameter.symbol) for parameter in action.parameters}
        return 0 if action.cost is None else self.term(action.cost.addend, scope)

    def _flat(
        self, effects: Iterable[Any], scope: dict[str, Any], condition: Any, variables: tuple[Any, ...]
    ) -> Iterator[FlatEffect]:
        for effect in effects:
            if isinstance(effect, UniversalEffect):
                own = {variable.symbol: self._variable(variable) for variable in effect.variables}
                inner = {**scope, **own}
                under = up.And(condition, self.formula(effect.condition, scope)).simplify()
                yield from self._flat(effect.effects, inner, under, (*variables, *own.values()))
            else:
                under = up.And(condition, self.formula(effect.condition, scope)).simplify()
                yield FlatEffect(self.formula(effect.atom, scope), isinstance(effect, AddEffect), under, variables)

    def formula(self, formula: Any, scope: dict[str, Any]) -> Any:
        """A Tarski formula as a unified-planning expression; ``scope`` holds its parameters and variables."""
        match formula:
            case Atom() if formula.predicate.builtin:
                left, right = (self.term(term, scope) for term in formula.subterms)
                equal = up.Equals(left, right)
                return up.Not(equal) if formula.predicate.symbol is BuiltinPredicateSymbol.NE else equal
            case Atom():
                return self.fluents[formula.predicate.symbol](*(self.term(term, scope) for term in formula.subterms))
            case CompoundFormula(connective=Connective.Not):
                return up.Not(self.formula(formula.subformulas[0], scope))
            case CompoundFormula():
                parts = [self.formula(part, scope) for part in formula.subformulas]
                return up.And(parts) if formula.connective is Connective.And else up.Or(parts)
            case QuantifiedFormula():
                own = {variable.symbol: self._variable(variable) for variable in formula.variables}
                body = self.formula(formula.formula, {**scope, **own})
                quantifier = up.Forall if formula.quantifier is Quantifier.Forall else up.Exists
                return quantifier(body, *own.values())
            case Tautology():
                return up.TRUE()
        raise InputError(f"a condition that unified-planning cannot express: {formula}")

    def term(self, term: Any, scope: dict[str, Any]) -> Any:
        if isinstance(term, Variable):
            return scope[term.symbol]
        if isinstance(term, Constant):
            return self.objects[term.symbol] if term.symbol in self.objects else _number(term.symbol)
        if term.symbol.builtin:
            raise InputError(f"an action cost that unified-planning cannot express: {term}")
        return self.fluents[term.symbol.symbol](*(self.term(part, scope) for part in term.subterms))

    def _variable(self, variable: Any) -> Any:
        return up.Variable(variable.symbol, self.type(variable.sort))


def with_explicit_adds(effects: list[FlatEffect]) -> Iterator[FlatEffect]:
    """``effects`` of one action, with each delete restricted to the atoms that no add effect makes true."""
    adds = [effect for effect in effects if effect.value]
    for effect in effects:
        if effect.value:
            yield effect
            continue
        saved = [_same_atom(effect, add) for add in adds if add.fluent.fluent() == effect.fluent.fluent()]
        condition = up.And(effect.condition, *(up.Not(case) for case in saved)).simplify()
        if not condition.is_false():
            yield FlatEffect(effect.fluent, False, condition, effect.variables)


def _same_atom(delete: FlatEffect, add: FlatEffect) -> Any:
    """When ``add`` makes true what ``delete`` makes false."""
    fresh = {variable: up.Variable(f"{variable.name}+", variable.type) for variable in add.variables}
    renaming = {up.VariableExp(variable): up.VariableExp(other) for variable, other in fresh.items()}
    fluent, condition = add.fluent.substitute(renaming), add.condition.substitute(renaming)
    pairs = list(zip(delete.fluent.args, fluent.args, strict=True))
    if any(not _may_be_equal(left.type, right.type) for left, right in pairs):
        return up.FALSE()
    equal = [up.TRUE() if left == right else up.Equals(left, right) for left, right in pairs]
    case = up.And(condition, *equal)
    return up.Exists(case, *fresh.values()) if fresh else case


def _may_be_equal(left: Any, right: Any) -> bool:
    """Whether objects can be of both user types: one type is the other's ancestor, or the same."""
    return left in right.ancestors or right in left.ancestors


def _number(symbol: Any) -> Any:
    value = float(symbol)
    return int(value) if value.is_integer() else value
