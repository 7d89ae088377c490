"""A unified-planning problem in PDDL, as nodes.

unified-planning's writer supports neither contingent problems nor Booleans as parameters. These are written differently
in PDDL:

1. A Boolean that is a parameter becomes an object of a type with two, ``true`` and ``false``.
2. ``f := condition`` becomes two conditional effects.
3. A fluent whose value is an object becomes a predicate with one argument more. Where it is an argument itself, there
   is an object that is its value.
4. Costs are looked up in tables (``costs.py``), and all are multiplied by one factor that makes them whole.

Names are the user's where PDDL can have them, else as near as can be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from unified_planning.model import OperatorKind, Parameter
from unified_planning.model.fluent import get_all_fluent_exp

from commonsense_planning.errors import InputError
from commonsense_planning.interfaces.up.costs import ActionPrice, prices
from commonsense_planning.pddl.conditions import TOTAL_COST
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed
from commonsense_planning.pddl.vocabulary import RESERVED

_WORDS = RESERVED | {"object", "number", TOTAL_COST, "scale-up", "scale-down", "probabilistic"}
_DOMAIN = "unified-planning"


@dataclass(frozen=True)
class Written:
    """A ``domain`` and a ``problem`` in PDDL, and the meaning of their names. ``actions`` and ``values`` lead to
    unified-planning's actions, and to its expressions of objects and Booleans; ``predicates`` from its fluents to the
    names. ``prices``: the costs of actions, by name; empty if the problem has no costs. ``scale``: the factor that
    these were multiplied by."""

    domain: Group
    problem: Group
    actions: Mapping[str, Any]
    values: Mapping[str, Any]
    predicates: Mapping[Any, str]
    prices: Mapping[str, ActionPrice]
    scale: int


def write(problem: Any) -> Written:
    """Writes a problem of unified-planning in PDDL. Raises InputError for what PDDL cannot express."""
    return _Writer(problem).write()


class _Names:
    """The PDDL names of things of one kind, all different."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._given: dict[Hashable, str] = {}
        self._taken = set(_WORDS)

    def of(self, thing: Hashable, wanted: str) -> str:
        """The thing's name: the ``wanted`` one if it can be."""
        if thing not in self._given:
            word = re.sub(r"[^\w-]", "_", wanted)
            if not re.match(r"[^\W\d_]", word):
                word = f"{self._kind}-{word}"
            name, number = word, 2
            while name.lower() in self._taken:
                name, number = f"{word}-{number}", number + 1
            self._taken.add(name.lower())
            self._given[thing] = name
        return self._given[thing]


class _Writer:
    def __init__(self, problem: Any) -> None:
        self.source = problem
        self.types, self.objects, self.variables = _Names("type"), _Names("object"), _Names("variable")
        self.predicates, self.actions, self.functions = _Names("fluent"), _Names("action"), _Names("cost")
        manager = problem.environment.expression_manager
        self.true, self.false = manager.TRUE(), manager.FALSE()
        signatures = [*(f.signature for f in problem.fluents), *(a.parameters for a in problem.actions)]
        self.is_contingent = hasattr(problem, "hidden_fluents")
        self.hidden = {_atom(literal) for literal in problem.hidden_fluents} if self.is_contingent else set()
        self.observed = {action.name: action.observed_fluents for action in problem.sensing_actions}
        self.boolean_parameters = any(p.type.is_bool_type() for signature in signatures for p in signature)
        self.values = {self._object(item): manager.ObjectExp(item) for item in problem.all_objects}
        if self.boolean_parameters:
            self.values |= {self._constant(value): value for value in (self.true, self.false)}

    def write(self) -> Written:
        source = self.source
        found = prices(source, self._values_of)
        costs = {self._action_name(action): found[action.name] for action in source.actions if found}
        # Costs must be whole numbers.
        scale = math.lcm(*(value.denominator for price in costs.values() for value in price.table.values()))
        domain, problem = self._domain(costs, scale), self._problem(costs, scale)
        actions = {self._action_name(action): action for action in source.actions}
        predicates = {fluent: self._predicate(fluent) for fluent in source.fluents if not _is_number(fluent)}
        return Written(domain, problem, actions, self.values, predicates, costs, scale)

    def _domain(self, costs: Mapping[str, ActionPrice], scale: int) -> Group:
        source = self.source
        by_name = {self._action_name(action): action for action in source.actions}
        kinds = [(self._type(kind), self._type(kind.father) if kind.father else "object") for kind in source.user_types]
        if self.boolean_parameters:
            kinds.append((self._boolean(), "object"))
        predicates = [
            bracketed(self._predicate(fluent), *self._typed((*fluent.signature, *self._value_of(fluent))))
            for fluent in source.fluents
            if not _is_number(fluent)
        ]
        functions = [
            bracketed(self._function(name), *self._typed(by_name[name].parameters[place] for place in price.places))
            for name, price in costs.items()
            if price.places
        ]
        return bracketed(
            "define",
            bracketed("domain", _DOMAIN),
            bracketed(":types", *(word for kind, parent in kinds for word in (kind, "-", parent))),
            bracketed(":predicates", *predicates),
            *([bracketed(":functions", bracketed(TOTAL_COST), *functions)] if costs else []),
            *(self._action(action, costs, scale) for action in source.actions),
        )

    def _problem(self, costs: Mapping[str, ActionPrice], scale: int) -> Group:
        source = self.source
        objects = [(self._object(item), self._type(item.type)) for item in source.all_objects]
        if self.boolean_parameters:
            objects += [(self._constant(value), self._boolean()) for value in (self.true, self.false)]
        values = [
            bracketed("=", bracketed(self._function(name), *arguments), _number(value * scale))
            for name, price in costs.items()
            if price.places
            for arguments, value in price.table.items()
        ]
        constraints = [self._constraint(each) for each in source.trajectory_constraints]
        return bracketed(
            "define",
            bracketed("problem", _Names("problem").of(source.name, source.name or _DOMAIN)),
            bracketed(":domain", _DOMAIN),
            bracketed(":objects", *(word for name, kind in objects for word in (name, "-", kind))),
            bracketed(":init", *self._initial(), *values),
            bracketed(":goal", self._all(source.goals)),
            *([bracketed(":constraints", bracketed("and", *constraints))] if constraints else []),
            *([bracketed(":metric", "minimize", bracketed(TOTAL_COST))] if costs else []),
        )

    def _action(self, action: Any, costs: Mapping[str, ActionPrice], scale: int) -> Group:
        name = self._action_name(action)
        self.variables = _Names("variable")
        effects = [part for effect in action.effects for part in self._effect(effect)]
        price = costs.get(name)
        if price is not None and price.places:
            arguments = (self._variable(action.parameters[place]) for place in price.places)
            effects.append(_increase(bracketed(self._function(name), *arguments)))
        elif price is not None:
            effects.append(_increase(Symbol(_number(price.of(()) * scale))))
        shown = [self._condition(fact) for fact in self.observed.get(action.name, ())]
        return bracketed(
            ":action",
            name,
            ":parameters",
            bracketed(*self._typed(action.parameters)),
            ":precondition",
            self._all(action.preconditions),
            ":effect",
            bracketed("and", *effects),
            *((":observe", bracketed("and", *shown)) if shown else ()),
        )

    def _effect(self, effect: Any) -> Iterator[Group]:
        """What one effect is in PDDL. An atom that is both deleted and added holds afterwards."""
        if not effect.is_assignment() or not effect.fluent.is_fluent_exp():
            raise InputError(f"an effect that cplan does not know: {effect}")
        fluent, value, variables = effect.fluent.fluent(), effect.value, [*self._typed(effect.forall)]
        place, bindings = self._terms(effect.fluent.args)
        condition = [self._condition(effect.condition)]
        if fluent.type.is_bool_type():
            atom = bracketed(self._predicate(fluent), *place)
            negated = self.source.environment.expression_manager.Not(value).simplify()
            yield from _under(variables, [*condition, self._condition(value)], bindings, atom)
            yield from _under(variables, [*condition, self._condition(negated)], bindings, bracketed("not", atom))
        else:
            own = self._typed(self._value_of(fluent))
            name = self._variable(*self._value_of(fluent))
            before = bracketed("not", bracketed(self._predicate(fluent), *place, name))
            yield from _under([*variables, *own], condition, bindings, before)
            after, more = self._terms([value])
            yield from _under(variables, condition, bindings + more, bracketed(self._predicate(fluent), *place, *after))

    def _initial(self) -> Iterator[Group]:
        """The facts that hold initially: those that were set, and the defaults of the others. Constraints describe the
        hidden facts."""
        explicit, defaults, hidden = self.source.explicit_initial_values, self.source.fluents_defaults, self.hidden
        for fact, value in explicit.items():
            if fact not in hidden:
                yield from self._fact(fact, value)
        for fluent in self.source.fluents:
            default = defaults.get(fluent)
            if not _is_number(fluent) and (default is None or not default.is_false()):
                for fact in get_all_fluent_exp(self.source, fluent):
                    if fact not in explicit and fact not in hidden:
                        if default is None:
                            raise InputError(f"{fact} has no initial value")
                        yield from self._fact(fact, default)
        if self.is_contingent:
            for literals in self.source.oneof_constraints:
                yield bracketed("oneof", *map(self._condition, literals))
            for literals in self.source.or_constraints:
                atoms = {_atom(literal) for literal in literals}
                if len(atoms) == 1 < len(literals):  # it is so, or it is not
                    yield bracketed("unknown", self._condition(*atoms))
                else:
                    yield bracketed("or", *map(self._condition, literals))

    def _fact(self, fact: Any, value: Any) -> Iterator[Group]:
        terms, _ = self._terms(fact.args)
        if value.is_true():
            yield bracketed(self._predicate(fact.fluent()), *terms)
        elif value.is_object_exp():
            yield bracketed(self._predicate(fact.fluent()), *terms, self._term(value))

    def _all(self, conditions: Iterable[Any]) -> Group:
        return bracketed("and", *map(self._condition, conditions))

    def _constraint(self, node: Any) -> Group:
        """A constraint in PDDL. Raises InputError if PDDL has no such constraint."""
        kind = node.node_type
        if kind is OperatorKind.AND:
            return bracketed("and", *map(self._constraint, node.args))
        if kind is OperatorKind.FORALL:
            return bracketed("forall", bracketed(*self._typed(node.variables())), *map(self._constraint, node.args))
        if kind is OperatorKind.BOOL_CONSTANT:  # what is simplified to that
            return bracketed("always", self._condition(node))
        if kind not in _TRAJECTORIES:
            raise InputError(f"not a constraint: {node}")
        return bracketed(_TRAJECTORIES[kind], *map(self._condition, node.args))

    def _condition(self, node: Any) -> Group:
        """A condition in PDDL. Raises InputError if PDDL has no such condition."""
        kind = node.node_type
        if kind in _CONNECTIVES:
            return bracketed(_CONNECTIVES[kind], *map(self._condition, node.args))
        if kind in _QUANTIFIERS:
            variables = bracketed(*self._typed(node.variables()))
            return bracketed(_QUANTIFIERS[kind], variables, self._condition(node.arg(0)))
        match kind:
            case OperatorKind.IFF:
                one, other = map(self._condition, node.args)
                return bracketed("and", bracketed("imply", one, other), bracketed("imply", other, one))
            case OperatorKind.BOOL_CONSTANT:
                return bracketed("and" if node.is_true() else "or")
            case OperatorKind.FLUENT_EXP if node.fluent().type.is_bool_type():
                return self._about(self._predicate(node.fluent()), node.args)
            case OperatorKind.EQUALS:
                return self._about("=", node.args)
            case OperatorKind.PARAM_EXP | OperatorKind.VARIABLE_EXP:
                return bracketed("=", self._term(node), self._constant(self.true))
        raise InputError(f"a condition that cplan does not know: {node}")

    def _about(self, name: str, arguments: Iterable[Any], *more: str) -> Group:
        terms, bindings = self._terms(arguments)
        condition = bracketed(name, *terms, *more)
        for binding in reversed(bindings):
            both = bracketed("and", binding.condition, condition)
            condition = bracketed("exists", bracketed(*binding.variable), both)
        return condition

    def _terms(self, arguments: Iterable[Any]) -> tuple[list[str], list[_ParameterBinding]]:
        """The terms that arguments are, and what variables among them stand for."""
        terms, bindings = [], []
        for argument in arguments:
            if argument.is_fluent_exp() and argument.type.is_user_type():
                fluent, name = argument.fluent(), f"?{self.variables.of(argument, argument.fluent().name)}"
                is_value = self._about(self._predicate(fluent), argument.args, name)
                bindings.append(_ParameterBinding((name, "-", self._type(fluent.type)), is_value))
                terms.append(name)
            else:
                terms.append(self._term(argument))
        return terms, bindings

    def _term(self, node: Any) -> str:
        match node.node_type:
            case OperatorKind.OBJECT_EXP:
                return self._object(node.object())
            case OperatorKind.BOOL_CONSTANT:
                return self._constant(node)
            case OperatorKind.PARAM_EXP:
                return self._variable(node.parameter())
            case OperatorKind.VARIABLE_EXP:
                return self._variable(node.variable())
        raise InputError(f"an argument that cplan does not know: {node}")

    def _typed(self, variables: Iterable[Any]) -> Iterator[str]:
        """The typed list of parameters or variables."""
        for variable in variables:
            yield from (self._variable(variable), "-", self._type(variable.type))

    def _value_of(self, fluent: Any) -> tuple[Any, ...]:
        """The parameter for the object that is a fluent's value; none if its value is true or false."""
        return (Parameter("value", fluent.type),) if fluent.type.is_user_type() else ()

    def _values_of(self, kind: Any) -> Mapping[str, Any]:
        """What a parameter of a type can be."""
        things = [self._constant(value) for value in (self.true, self.false)] if kind.is_bool_type() else None
        names = things or [self._object(item) for item in self.source.objects(kind)]
        return {name: self.values[name] for name in names}

    def _type(self, kind: Any) -> str:
        if kind.is_user_type():
            return self.types.of(kind, kind.name)
        if kind.is_bool_type():
            return self._boolean()
        raise InputError(f"a parameter that cplan does not know: {kind}")

    def _boolean(self) -> str:
        return self.types.of(bool, "boolean")

    def _constant(self, value: Any) -> str:
        return self.objects.of(value, str(value))

    def _object(self, item: Any) -> str:
        return self.objects.of(item, item.name)

    def _predicate(self, fluent: Any) -> str:
        return self.predicates.of(fluent, fluent.name)

    def _action_name(self, action: Any) -> str:
        return self.actions.of(action.name, action.name)

    def _function(self, action: str) -> str:
        """The function that gives an action's cost."""
        return self.functions.of(action, f"cost-of-{action}")

    def _variable(self, variable: Any) -> str:
        return f"?{self.variables.of(variable, variable.name)}"


@dataclass(frozen=True)
class _ParameterBinding:
    """A typed variable in PDDL, and the condition that makes it the one object that it stands for."""

    variable: tuple[str, str, str]
    condition: Group


_CONNECTIVES = {OperatorKind.AND: "and", OperatorKind.OR: "or", OperatorKind.NOT: "not", OperatorKind.IMPLIES: "imply"}
_TRAJECTORIES = {
    OperatorKind.ALWAYS: "always",
    OperatorKind.SOMETIME: "sometime",
    OperatorKind.AT_MOST_ONCE: "at-most-once",
    OperatorKind.SOMETIME_AFTER: "sometime-after",
    OperatorKind.SOMETIME_BEFORE: "sometime-before",
}
_QUANTIFIERS = {OperatorKind.EXISTS: "exists", OperatorKind.FORALL: "forall"}


def _under(
    variables: Iterable[str], conditions: Iterable[Group], bindings: Iterable[_ParameterBinding], effect: Group
) -> Iterator[Group]:
    """The effect for all values of variables that meet all conditions; none where one of these is false."""
    flat = [*variables, *(word for binding in bindings for word in binding.variable)]
    wanted = [c for c in (*conditions, *(binding.condition for binding in bindings)) if c != _TRUE]
    if _FALSE not in wanted:
        under = bracketed("when", bracketed("and", *wanted), effect) if wanted else effect
        yield bracketed("forall", bracketed(*flat), under) if flat else under


def _atom(literal: Any) -> Any:
    return literal.arg(0) if literal.is_not() else literal


def _is_number(fluent: Any) -> bool:
    return not (fluent.type.is_bool_type() or fluent.type.is_user_type())


def _increase(amount: Node) -> Group:
    return bracketed("increase", bracketed(TOTAL_COST), amount)


def _number(value: Fraction) -> str:
    return str(int(value))


_TRUE, _FALSE = bracketed("and"), bracketed("or")
