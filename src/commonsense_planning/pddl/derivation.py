"""The derived atoms that follow from a state by a problem's rules, on the lifted task: a logic program for clingo.

The rules are stratified, so the program has one answer set, which is their meaning. In negation normal form, each part
of a condition that is not a literal becomes an atom (Lloyd and Topor 1984): its disjuncts are rules for it, ``exists``
binds additional variables, and ``forall`` is a conjunction over the objects of a type. The rules of a part include the
atoms in conjunction with it, so that it is evaluated for few objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import closing
from typing import Any

from tarski.syntax import Connective, Quantifier, Variable
from tarski.syntax.formulas import Atom, CompoundFormula, Contradiction, Tautology

from commonsense_planning.pddl.evaluation import Formulas, GroundAtom, free_variables
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.limits import grounded_program, models_of

Sorts = Mapping[str, Any]  # a variable's symbol → its Tarski sort


class Derivation:
    """The program of one problem. ``predicates``: the names of the derived ones."""

    def __init__(self, problem: Problem) -> None:
        self.predicates = frozenset(str(rule.atom.predicate.symbol) for rule in problem.derived)
        self._numbers: dict[str, int] = {}  # of predicates, types, objects and variables
        self._rules: list[str] = []
        self._parts = 0
        self._formulas = Formulas(problem)
        for rule in problem.derived:
            sorts = {variable.symbol: variable.sort for variable in rule.atom.subterms}
            self._add(self._atom(rule.atom), rule.condition, True, sorts, ())

    def closed(self, state: Set[GroundAtom]) -> set[GroundAtom]:
        """The state with the derived atoms recomputed from the others. Raises MissingError without clingo."""
        basic = {atom for atom in state if atom[0] not in self.predicates}
        if not self.predicates:
            return basic
        facts = (f"{self._applied('p', name, map(self._object, names))}." for name, *names in basic)
        control = grounded_program("\n".join([*self._rules, *facts]))
        derived = {f"p{self._number('p', name)}": name for name in self.predicates}
        objects = {number: key[1:] for key, number in self._numbers.items() if key[0] == "o"}
        with closing(models_of(control)) as models:
            model = next(models)  # there is one, since the rules are stratified
            found = [symbol for symbol in model.symbols(atoms=True) if symbol.name in derived]
        return basic | {(derived[s.name], *(objects[term.number] for term in s.arguments)) for s in found}

    def _add(self, head: str, formula: Any, positive: bool, sorts: Sorts, beside: Sequence[str]) -> None:
        """Adds a rule for an atom over the variables of ``sorts``: it holds where the formula (or its negation) and the
        literals ``beside`` it do."""
        body = "; ".join([*self._typed(sorts), *beside, *self._body(formula, positive, sorts, beside)])
        self._rules.append(f"{head} :- {body}." if body else f"{head}.")

    def _body(self, formula: Any, positive: bool, sorts: Sorts, beside: Sequence[str]) -> list[str]:
        """The body that is true where the formula (or its negation) is; ``sorts``: those of its free variables."""
        match formula:
            case Tautology() | Contradiction():
                return [] if isinstance(formula, Tautology) == positive else ["1 = 0"]
            case Atom() if formula.predicate.builtin:
                left, right = map(self._term, formula.subterms)
                return [f"{left} = {right}" if positive else f"{left} != {right}"]
            case Atom():
                return [self._atom(formula) if positive else f"not {self._atom(formula)}"]
            case CompoundFormula(connective=Connective.Not):
                return self._body(formula.subformulas[0], not positive, sorts, beside)
            case CompoundFormula(connective=connective):
                parts = formula.subformulas
                if (connective is Connective.And) != positive:
                    return [self._part(formula, parts, positive, sorts, {}, beside)]
                atoms = (part for part in parts if positive and isinstance(part, Atom) and not part.predicate.builtin)
                basic = (atom for atom in atoms if atom.predicate.symbol not in self.predicates)
                beside = [*beside, *map(self._atom, basic)]
                return [literal for part in parts for literal in self._body(part, positive, sorts, beside)]
        bound = {variable.symbol: variable.sort for variable in formula.variables}
        if (formula.quantifier is Quantifier.Exists) == positive:
            return [self._part(formula, (formula.formula,), positive, sorts, bound, beside)]
        part = self._part(formula.formula, (formula.formula,), positive, {**sorts, **bound}, {}, beside)
        return [f"{part} : {', '.join(self._typed(bound))}"]

    def _part(
        self, formula: Any, ways: Sequence[Any], positive: bool, sorts: Sorts, bound: Sorts, beside: Sequence[str]
    ) -> str:
        """A new atom over the free variables of the formula, true where one of ``ways`` (or its negation) holds for
        some values of the ``bound`` variables. It is only evaluated where the literals ``beside`` it hold."""
        free = free_variables(formula)
        own = {name: sort for name, sort in sorts.items() if name in free}
        self._parts += 1
        atom = self._applied("x", str(self._parts), map(self._variable, own))
        for way in ways:
            self._add(atom, way, positive, {**own, **bound}, beside)
        return atom

    def _typed(self, sorts: Sorts) -> list[str]:
        return [f"{self._type(sort)}({self._variable(name)})" for name, sort in sorts.items()]

    def _type(self, sort: Any) -> str:
        if f"t{sort.name}" not in self._numbers:
            number = self._number("t", sort.name)
            self._rules += [f"t{number}({self._object(name)})." for name in self._formulas.objects(sort)]
        return f"t{self._number('t', sort.name)}"

    def _atom(self, atom: Any) -> str:
        return self._applied("p", str(atom.predicate.symbol), map(self._term, atom.subterms))

    def _applied(self, kind: str, name: str, terms: Iterable[str]) -> str:
        listed = ",".join(terms)
        return f"{kind}{self._number(kind, name)}" + (f"({listed})" if listed else "")

    def _term(self, term: Any) -> str:
        return self._variable(term.symbol) if isinstance(term, Variable) else self._object(str(term.symbol))

    def _object(self, name: str) -> str:
        return str(self._number("o", name))

    def _variable(self, name: str) -> str:
        return f"V{self._number('v', name)}"

    def _number(self, kind: str, name: str) -> int:
        return self._numbers.setdefault(f"{kind}{name}", len(self._numbers))
