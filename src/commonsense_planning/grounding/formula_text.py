"""Conditions of a lifted task as PDDL, in the user's spelling."""

from __future__ import annotations

from collections.abc import Mapping

from tarski.syntax.sorts import Interval

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.attainable import Binding
from commonsense_planning.grounding.lifted import Lifted, Schema

MOST_CHARACTERS = 200  # of a formula
RULE = "the rule of "


class FormulaText:
    """Writes formulas with the user's names. The variables are those of one action at a time."""

    def __init__(self, lifted: Lifted) -> None:
        self._lifted, self._problem = lifted, lifted.problem
        self._types = [s.name for s in self._problem.tarski.language.sorts if not isinstance(s, Interval)]
        self._variables: Mapping[int, str] = {}

    def within(self, schema: Schema) -> None:
        """Takes the names of the variables from an action, from now on."""
        action = self._problem.tarski.actions.get(schema.name)
        self._variables = {} if action is None else {i: str(v.symbol) for i, v in enumerate(action.parameters)}

    def type(self, number: int) -> str:
        """The name of a type."""
        return self._problem.spell(self._types[number])

    def action(self, schema: Schema) -> str:
        """The name of an action, or the rule of a derived predicate."""
        if schema in self._lifted.rules:
            return f"{RULE}{self._problem.spell(schema.name)}"
        return self._problem.spell(self._problem.outcomes.get(schema.name, (schema.name, 1.0))[0])

    def are_users(self, formula: logic.Formula) -> bool:
        """Whether the formula is as the user wrote it, without auxiliary predicates of the normal form."""
        words = self._problem.normaliser.vocabulary.predicates
        named = (self._lifted.predicates[literal.predicate] for literal in logic.literals(formula))
        return all(self._problem.spell(name).lower() in words for name in named)

    def of(self, formula: logic.Formula, binding: Binding) -> str:
        """The formula with objects for bound variables, shortened if it is long."""
        text = self._written(formula, binding)
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} …"

    def _term(self, number: int, binding: Binding) -> str:
        thing = number if number >= 0 else binding.get(-1 - number)
        if thing is None:
            return self._variables.get(-1 - number, f"?x{-number}")
        return self._problem.spell(self._lifted.objects[thing])

    def _written(self, formula: logic.Formula, binding: Binding) -> str:
        match formula:
            case logic.Literal():
                name = self._problem.spell(self._lifted.predicates[formula.predicate])
                atom = f"({' '.join([name, *(self._term(t, binding) for t in formula.terms)])})"
            case logic.Equal():
                atom = f"(= {self._term(formula.left, binding)} {self._term(formula.right, binding)})"
            case logic.And() | logic.Or():
                word = "and" if isinstance(formula, logic.And) else "or"
                return f"({' '.join([word, *(self._written(part, binding) for part in formula.parts)])})"
            case _:
                variables = " ".join(f"{self._term(-1 - v, binding)} - {self.type(t)}" for v, t in formula.variables)
                word = "forall" if formula.universal else "exists"
                return f"({word} ({variables}) {self._written(formula.body, binding)})"
        return atom if formula.positive else f"(not {atom})"
