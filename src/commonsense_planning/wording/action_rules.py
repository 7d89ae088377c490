"""Action schemas in words: what each needs, and what it brings about."""

from __future__ import annotations

from collections.abc import Callable

from commonsense_planning.grounding.lifted import (
    TRUE,
    And,
    Effect,
    Equal,
    Formula,
    Lifted,
    Literal,
    Or,
    Quantified,
    Schema,
    Translator,
)
from commonsense_planning.wording.verbalise import Verbaliser

Names = dict[int, str]  # variable number → what it is called


class ActionRules:
    """The schemas of a task; ``english`` says facts, ``form`` (schema, parameters' names) the action itself."""

    def __init__(self, lifted: Lifted, english: Verbaliser, form: Callable[[str, list[str]], str]) -> None:
        self._lifted = lifted
        self._english = english
        self._form = form
        self._schemas = {schema.name: schema for schema in lifted.schemas}
        self._kinds = list(Translator(lifted.problem).type_index)
        self._texts: dict[str, str] = {}

    def text(self, schema: str) -> str:
        """A schema (its normalised name), such as "[EAT]<x> needs: … It brings about: …"."""
        if schema not in self._texts:
            self._texts[schema] = self._told(self._schemas[schema])
        return self._texts[schema]

    def _told(self, schema: Schema) -> str:
        action = self._lifted.problem.tarski.actions[schema.name]
        names = {i: f"<{str(v.symbol).lstrip('?')}>" for i, v in enumerate(action.parameters)}
        shown = self._form(schema.name, [name.strip("<>") for name in names.values()])
        parts = schema.precondition.parts if isinstance(schema.precondition, And) else (schema.precondition,)
        needs = "; ".join(self._formula(part, names) for part in parts) or "nothing"
        effects = "; ".join(self._effect(effect, names) for effect in schema.effects) or "nothing"
        return f"{shown} needs: {needs}. It brings about: {effects}."

    def _effect(self, effect: Effect, names: Names) -> str:
        names = self._named(effect.variables, names)
        text = self._formula(effect.literal, names)
        if effect.condition != TRUE:
            text = f"{text} if {self._formula(effect.condition, names)}"
        return f"{text}, for every {self._listed(effect.variables, names)}" if effect.variables else text

    def _formula(self, formula: Formula, names: Names) -> str:
        if isinstance(formula, Literal):
            spelling = self._lifted.problem.spell(self._lifted.predicates[formula.predicate])
            return self._english.sentence(spelling, [self._term(t, names) for t in formula.terms], formula.positive)
        if isinstance(formula, Equal):
            is_ = "is" if formula.positive else "is not"
            return f"{self._term(formula.left, names)} {is_} {self._term(formula.right, names)}"
        if isinstance(formula, Quantified):
            inner = self._named(formula.variables, names)
            which = "every" if formula.universal else "some"
            return f"for {which} {self._listed(formula.variables, inner)}: {self._formula(formula.body, inner)}"
        link = " and " if isinstance(formula, And) else " or "
        parts = [self._formula(part, names) for part in formula.parts]
        if not parts:
            return "nothing" if isinstance(formula, And) else "what never holds"
        return link.join(f"({p})" if isinstance(q, And | Or) else p for p, q in zip(parts, formula.parts, strict=True))

    def _term(self, term: int, names: Names) -> str:
        if term < 0:
            return names[-1 - term]
        return self._english.words(self._lifted.problem.spell(self._lifted.objects[term]))

    def _named(self, variables: tuple[tuple[int, int], ...], names: Names) -> Names:
        """The names, with those of more variables: each is called by its type, and a number if that is taken."""
        named = dict(names)
        for variable, kind in variables:
            word = self._lifted.problem.spell(self._kinds[kind])
            taken = sum(name == f"<{word}>" or name.startswith(f"<{word} ") for name in named.values())
            named[variable] = f"<{word} {taken + 1}>" if taken else f"<{word}>"
        return named

    def _listed(self, variables: tuple[tuple[int, int], ...], names: Names) -> str:
        return " and ".join(names[v] for v, _ in variables)
