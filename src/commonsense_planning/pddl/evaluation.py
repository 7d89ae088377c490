"""Evaluates lifted formulas in a state, without grounding them.

A state is a set of ground atoms, each a tuple of normalised names: ``("near", "fridge")``. A binding maps each free
variable to an object. Trying every combination of objects for a quantifier takes a million evaluations for three
variables and a hundred objects. So variables are bound one by one, and each part of the body is tested as soon as its
variables are bound. That requires a conjunction, so a universal formula holds if there is no counterexample.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from tarski.fstrips import UniversalEffect
from tarski.syntax import Connective, Constant, Quantifier, Variable, ops
from tarski.syntax.formulas import Atom, CompoundFormula, QuantifiedFormula, Tautology, neg

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.trajectories import Constraint

GroundAtom = tuple[str, ...]
Binding = Mapping[str, str]  # a variable's symbol, such as ?x, to an object's normalised name


@dataclass(frozen=True)
class Unmet:
    """A minimal part of a condition that does not hold. ``text``: PDDL in the user's spelling, with the counterexample
    to a universal formula; ``atom``: the false atom, if the part is one."""

    text: str
    atom: GroundAtom | None = None


@dataclass(frozen=True)
class Join:
    """Variables in the order of binding, and the parts that must all hold: ``parts[i]`` can be tested once the first
    ``i`` variables are bound."""

    variables: tuple[Any, ...]
    parts: tuple[tuple[Any, ...], ...]


class Formulas:
    """Evaluates, explains and renders the formulas and terms of one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._domains: dict[str, tuple[str, ...]] = {}
        # by a formula's id; the formula is kept alive, so that its id remains unique
        self._joins: dict[int, tuple[Any, Join]] = {}
        self._values: dict[tuple[str, ...], float] = {
            (signature[0], *(argument.expr.symbol for argument in point)): float(value.symbol)
            for signature, extension in problem.tarski.init.function_extensions.items()
            for point, value in extension.data.items()
        }

    def objects(self, sort: Any) -> tuple[str, ...]:
        """The names of all objects of a Tarski sort, sorted."""
        if sort.name not in self._domains:
            self._domains[sort.name] = tuple(sorted(constant.symbol for constant in sort.domain()))
        return self._domains[sort.name]

    def bindings(self, variables: Iterable[Any]) -> Iterator[dict[str, str]]:
        """All bindings of the variables to objects of their sorts."""
        domains = {variable.symbol: self.objects(variable.sort) for variable in variables}
        for names in itertools.product(*domains.values()):
            yield dict(zip(domains, names, strict=True))

    def holds(self, formula: Any, state: Set[GroundAtom], binding: Binding) -> bool:
        """Whether ``formula`` is true in ``state``."""
        match formula:
            case Atom() if formula.predicate.builtin:
                left, right = (self._name(term, binding) for term in formula.subterms)
                return bool(left == right)
            case Atom():
                return self.ground(formula, binding) in state
            case CompoundFormula(connective=Connective.Not):
                return not self.holds(formula.subformulas[0], state, binding)
            case CompoundFormula(connective=Connective.And):
                return all(self.holds(part, state, binding) for part in formula.subformulas)
            case CompoundFormula():
                return any(self.holds(part, state, binding) for part in formula.subformulas)
            case QuantifiedFormula(quantifier=Quantifier.Forall):
                return self._witness(formula, state, binding) is None
            case QuantifiedFormula():
                return self._witness(formula, state, binding) is not None
        return isinstance(formula, Tautology)

    def unmet(self, formula: Any, state: Set[GroundAtom], binding: Binding) -> Iterator[Unmet]:
        """The minimal parts of ``formula`` that do not hold; none if it holds."""
        match formula:
            case CompoundFormula(connective=Connective.And):
                for part in formula.subformulas:
                    yield from self.unmet(part, state, binding)
                return
        if self.holds(formula, state, binding):
            return
        text = self.render(formula, binding)
        match formula:
            case Atom(predicate=predicate) if not predicate.builtin:
                yield Unmet(text, self.ground(formula, binding))
            case QuantifiedFormula(quantifier=Quantifier.Forall):
                found = self._witness(formula, state, binding) or {}
                case = ", ".join(f"{v.symbol} = {self._spell(found[v.symbol])}" for v in formula.variables)
                yield Unmet(f"{text}, which fails for {case}")
            case _:
                yield Unmet(text)

    def ground(self, atom: Any, binding: Binding) -> GroundAtom:
        """The ground atom of ``atom`` under ``binding``."""
        return (atom.predicate.symbol, *(self._name(term, binding) for term in atom.subterms))

    def value(self, term: Any, binding: Binding) -> Any:
        """The value of a term: an object's name, or a number. Raises InputError for a function without a value."""
        if isinstance(term, Variable | Constant):
            return self._name(term, binding)
        point = (term.symbol.symbol, *(self._name(part, binding) for part in term.subterms))
        if point not in self._values:
            raise InputError(f"{self.spell_atom(point)} has no value in the problem")
        return self._values[point]

    def render(self, formula: Any, binding: Binding) -> str:
        """``formula`` as PDDL in the user's spelling, with ``binding``'s objects in place of variables."""
        match formula:
            case Atom():
                terms = (self._render_term(term, binding) for term in formula.subterms)
                return f"({' '.join((self._spell(str(formula.predicate.symbol)), *terms))})"
            case CompoundFormula():
                parts = " ".join(self.render(part, binding) for part in formula.subformulas)
                return f"({formula.connective} {parts})"
            case QuantifiedFormula():
                own = {variable.symbol for variable in formula.variables}
                inner = {name: value for name, value in binding.items() if name not in own}
                body = self.render(formula.formula, inner)
                return f"({formula.quantifier} ({self._typed(formula.variables)}) {body})"
            case Tautology():
                return "(and)"
        return "(or)"

    def render_constraint(self, constraint: Constraint, binding: Binding) -> str:
        """A constraint as PDDL in the user's spelling: all of it, or the instance for ``binding``'s objects."""
        conditions = " ".join(self.render(condition, binding) for condition in constraint.conditions)
        text = f"({constraint.operator} {conditions})"
        free = [variable for variable in constraint.variables if variable.symbol not in binding]
        return f"(forall ({self._typed(free)}) {text})" if free else text

    def spell_atom(self, atom: GroundAtom) -> str:
        """A ground atom as PDDL in the user's spelling."""
        return self._problem.text(*atom)

    def join(self, variables: Iterable[Any], parts: Iterable[Any]) -> Join:
        """An efficient order of binding ``variables`` for which all ``parts`` hold. Next comes the variable that allows
        most parts to be tested; ties are broken by the number of objects."""
        waiting = list(variables)
        unbound = [(part, free_variables(part) & {variable.symbol for variable in waiting}) for part in parts]
        order: list[Any] = []
        tested: list[tuple[Any, ...]] = [tuple(part for part, names in unbound if not names)]
        while waiting:
            best = min(
                waiting,
                key=lambda variable: (
                    -sum(names == {variable.symbol} for _, names in unbound),
                    len(self.objects(variable.sort)),
                ),
            )
            waiting = [variable for variable in waiting if variable is not best]  # == would build an atom
            order.append(best)
            tested.append(tuple(part for part, names in unbound if names == {best.symbol}))
            unbound = [(part, names - {best.symbol}) for part, names in unbound if names]
        return Join(tuple(order), tuple(tested))

    def assignments(self, join: Join, state: Set[GroundAtom], binding: Binding) -> Iterator[dict[str, str]]:
        """All bindings of the join's variables that extend ``binding`` and make its parts true in ``state``."""
        trial = dict(binding)

        def bind(depth: int) -> Iterator[dict[str, str]]:
            if not all(self.holds(part, state, trial) for part in join.parts[depth]):
                return
            if depth == len(join.variables):
                yield dict(trial)
                return
            variable = join.variables[depth]
            for name in self.objects(variable.sort):
                trial[variable.symbol] = name
                yield from bind(depth + 1)

        yield from bind(0)

    def _witness(self, formula: Any, state: Set[GroundAtom], binding: Binding) -> dict[str, str] | None:
        """Objects for a quantifier's variables: an example if it is existential, a counterexample if it is
        universal."""
        if id(formula) not in self._joins:
            parts = conjuncts(formula.formula, formula.quantifier is Quantifier.Exists)
            self._joins[id(formula)] = formula, self.join(formula.variables, parts)
        return next(self.assignments(self._joins[id(formula)][1], state, binding), None)

    def _name(self, term: Any, binding: Binding) -> Any:
        return binding[term.symbol] if isinstance(term, Variable) else term.symbol

    def _render_term(self, term: Any, binding: Binding) -> str:
        if isinstance(term, Variable):
            return self._spell(binding[term.symbol]) if term.symbol in binding else str(term.symbol)
        if isinstance(term, Constant):
            return self._spell(str(term.symbol))
        parts = " ".join(self._render_term(part, binding) for part in term.subterms)
        return f"({self._spell(str(term.symbol.symbol))}{' ' if parts else ''}{parts})"

    def _typed(self, variables: Iterable[Any]) -> str:
        return " ".join(f"{variable.symbol} - {self._spell(variable.sort.name)}" for variable in variables)

    def _spell(self, name: str) -> str:
        return self._problem.spell(name)


def conjuncts(formula: Any, positive: bool = True) -> Iterator[Any]:
    """Parts whose conjunction is ``formula``, or its negation if ``positive`` is false."""
    match formula:
        case CompoundFormula(connective=Connective.Not):
            yield from conjuncts(formula.subformulas[0], not positive)
        case CompoundFormula(connective=connective) if (connective is Connective.And) == positive:
            for part in formula.subformulas:
                yield from conjuncts(part, positive)
        case _:
            yield formula if positive else neg(formula)


def free_variables(expression: Any) -> set[str]:
    """The symbols of the free variables of a formula or term."""
    return {variable.symbol for variable in ops.free_variables(expression)}


def leaves(effects: Iterable[Any]) -> Iterator[Any]:
    """The add and delete effects, including those inside universal effects."""
    for effect in effects:
        yield from leaves(effect.effects) if isinstance(effect, UniversalEffect) else (effect,)


def is_instance(ground: GroundAtom, atom: Any) -> bool:
    """Whether some binding of the variables of ``atom`` makes it the ground atom; types are ignored."""
    name, *arguments = ground
    return name == atom.predicate.symbol and all(
        isinstance(term, Variable) or term.symbol == argument
        for term, argument in zip(atom.subterms, arguments, strict=True)
    )


def atoms(formula: Any) -> Iterator[Any]:
    """The atoms in a formula, including equalities."""
    match formula:
        case Atom():
            yield formula
        case CompoundFormula():
            for part in formula.subformulas:
                yield from atoms(part)
        case QuantifiedFormula():
            yield from atoms(formula.formula)
