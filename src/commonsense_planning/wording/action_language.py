"""The language in which actions are chosen and guides are written: the domain's own, where it has one ("Large Language
Models as Common-Sense Heuristics", section 3.1), and its action schemas in English."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

import numpy as np

from commonsense_planning.config import GuideKnowledge
from commonsense_planning.grounding.ground_task import GroundTask
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
    conjuncts,
    lift,
)
from commonsense_planning.pddl.trajectories import MonitorPart, P, Q
from commonsense_planning.wording.instances import Instances, Named
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Scene, Statement
from commonsense_planning.wording.verbalise import Verbaliser, Wording

Properties = tuple[tuple[str, tuple[str, ...]], ...]
Names = dict[int, str]  # variable number → what it is called


class ActionLanguage:
    """Texts of a task's operators.

    ``own``: the domain's language, such as ``[PUTIN]<salmon><microwave>``. Without it actions are in English, as the
    ``lexicon`` has them.
    """

    def __init__(self, task: GroundTask, lexicon: Lexicon, own: Lexicon | None) -> None:
        self.task = task
        self.english = Verbaliser(task, lexicon)
        self._own = own
        self._say = self.english if own is None else Verbaliser(task, own)

    def text(self, operator: int) -> str:
        """An operator in this language."""
        return self._say.action(operator)

    def called(self, operator: int, named: Named) -> str:
        """The same, with other names for its objects (object → what it is called)."""
        return self._say.action_of(operator, named.__getitem__)

    def objects(self, operator: int) -> list[int]:
        """The objects of an operator, indices of ``task.objects``."""
        return self.english.arguments(operator)

    def fact(self, fact: int, named: Named, holds: bool = True) -> str:
        """A fact as an English sentence, with those names for its objects."""
        predicate, arguments = self.task.facts[fact]
        return self.english.sentence(self.task.problem.spell(predicate), [named[a] for a in arguments], holds)

    @cached_property
    def instances(self) -> Instances:
        """The objects that must be distinguished."""
        return Instances(self.task, self._say)

    def scene(self) -> Scene:
        """The task as a whole, in English."""
        return self.english.scene()

    def forms(self, operators: Iterable[int] | None = None) -> tuple[str, ...]:
        """The schemas, or those of these operators, with "object1", "object2" for their parameters:
        ``[PUTIN]<object1><object2>``; each once."""
        actions = self.task.problem.tarski.actions
        if operators is not None:
            schemas = sorted({int(self.task.schema[o]) for o in operators})
            actions = {self.task.schemas[s]: actions[self.task.schemas[s]] for s in schemas}
        return tuple(
            dict.fromkeys(
                self._say.imperative(name, [f"object{i + 1}" for i in range(len(action.parameters))])
                for name, action in actions.items()
            )
        )

    def rules(self, operators: Iterable[int], facts: Iterable[int] | None = None) -> tuple[str, ...]:
        """The schemas of these operators in English: preconditions and effects; of that only what is about the
        predicates of these ``facts``, if they are given."""
        schemas = sorted({int(self.task.schema[o]) for o in operators})
        about = None if facts is None else frozenset(self.task.facts[f][0] for f in facts)
        return tuple(dict.fromkeys(self._rules.text(self.task.schemas[s], about) for s in schemas))

    def knowledge(self, level: GuideKnowledge, about: Collection[int] | None = None) -> Properties:
        """What is told of the objects at first (section 4.1), or only of those that it is ``about``: for each name,
        each of the sets of properties that objects of that name have.

        Properties are facts of one object: those for which the domain's own language has words, or all that hold if it
        has none.
        """
        if level is GuideKnowledge.NONE:
            return ()
        properties: dict[str, list[str]] = {}
        for statement in self._statements() if level is not GuideKnowledge.OBJECTS else ():
            fixed = statement.predicate.lower() not in self._fluent
            if fixed or level is GuideKnowledge.DYNAMIC:
                properties.setdefault(statement.arguments[0], []).append(self._property(statement))
        chosen = None if about is None else {self.task.objects[o] for o in about}
        names = [self.task.problem.spell(name) for name in self._objects() if chosen is None or name in chosen]
        rows = ((self._say.words(name), tuple(properties.get(name, ()))) for name in names)
        return tuple(sorted(dict.fromkeys(rows)))

    def _objects(self) -> list[str]:
        """The objects of the problem, normalised names, in its order."""
        named = set(self.task.objects)
        return [name for name in self.task.problem.normaliser.vocabulary.objects if name in named]

    def _statements(self) -> list[Statement]:
        task = self.task
        everything, nothing = np.ones(task.fact_count, np.bool_), np.zeros(task.fact_count, np.bool_)
        told = (s for s in self._say.statements(task.init, everything, nothing) if len(s.arguments) == 1)
        return [s for s in told if self._own is None or self._say.has_words(s.predicate, s.holds)]

    def _property(self, statement: Statement) -> str:
        if self._own is not None:
            return statement.text
        words = statement.predicate.replace("-", " ").replace("_", " ").upper()
        return words if statement.holds else f"NOT {words}"

    @cached_property
    def _fluent(self) -> frozenset[str]:
        spell = self.task.problem.spell
        return frozenset(spell(predicate).lower() for predicate, _ in self.task.facts)

    @cached_property
    def _rules(self) -> ActionRules:
        return ActionRules(lift(self.task.problem), self.english, self._say.imperative)


class ActionRules:
    """The action schemas of a task in English: the preconditions and effects of each; ``english`` says facts,
    ``form`` (schema, parameters' names) the action itself."""

    def __init__(self, lifted: Lifted, english: Wording, form: Callable[[str, list[str]], str]) -> None:
        self._lifted = lifted
        self._english = english
        self._form = form
        self._schemas = {schema.name: schema for schema in lifted.schemas}
        self._kinds = list(Translator(lifted.problem).type_index)
        self._texts: dict[tuple[str, frozenset[str] | None], str] = {}

    def needs(self, schemas: Sequence[str]) -> tuple[str, ...]:
        """What these schemas (normalised names) need of what changes, with types for their parameters; where others are
        worded the same, what each of them needs."""
        worded = {name: self._english.imperative(name, ["_"] * len(s.parameters)) for name, s in self._schemas.items()}
        told = []
        for wording in dict.fromkeys(worded[name] for name in schemas):
            forms: dict[str, dict[str, None]] = {}
            for name, schema in self._schemas.items():
                if worded[name] == wording:
                    names = self._named(tuple(enumerate(schema.parameters)), {})
                    form = self._english.imperative(name, [names[i] for i in range(len(schema.parameters))])
                    forms.setdefault(form, {})[self._needed(schema, names)] = None
            told.append("; or ".join(f"{form}: {'; or '.join(needs)}" for form, needs in forms.items()))
        return tuple(told)

    def _needed(self, schema: Schema, names: Names) -> str:
        parts = conjuncts(schema.precondition)
        fluent = [p for p in parts if not isinstance(p, Literal) or p.predicate in self._lifted.fluent]
        return self._joined(And(tuple(fluent)), ", ", names)

    def text(self, schema: str, about: frozenset[str] | None = None) -> str:
        """A schema (its normalised name), such as "[EAT]<x> needs: … It brings about: …"; effects only on the
        predicates that it is ``about``, if they are given."""
        if (schema, about) not in self._texts:
            self._texts[schema, about] = self._told(self._schemas[schema], about)
        return self._texts[schema, about]

    def wanted(self, constraint: int, words: Sequence[str]) -> str:
        """What a constraint, by its number, wants to have been in the end, where it is about things of these words."""
        asked = self._lifted.constraints[constraint]
        names = {v: word for (v, _), word in zip(asked.variables, words, strict=True)}
        parts = (part for part in (MonitorPart(P), MonitorPart(Q)) if part in asked.conditions)
        first, *then = (self._formula(asked.conditions[part], names) for part in parts)
        return f"whenever ({first}), then ({then[0]}) at that time or later" if then else f"({first}) at some time"

    def said(self, formula: Formula) -> str:
        """A condition of ground atoms, such as the goal."""
        return self._formula(formula, {})

    def _told(self, schema: Schema, about: frozenset[str] | None) -> str:
        action = self._lifted.problem.tarski.actions[schema.name]
        names = {i: f"<{str(v.symbol).lstrip('?')}>" for i, v in enumerate(action.parameters)}
        shown = self._form(schema.name, [name.strip("<>") for name in names.values()])
        needs = "; ".join(self._formula(part, names) for part in conjuncts(schema.precondition)) or "nothing"
        told = [e for e in schema.effects if about is None or self._lifted.predicates[e.literal.predicate] in about]
        effects = "; ".join(self._effect(effect, names) for effect in told) or "nothing"
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
        return self._joined(formula, " and " if isinstance(formula, And) else " or ", names)

    def _joined(self, formula: And | Or, link: str, names: Names) -> str:
        parts = [self._formula(part, names) for part in formula.parts]
        if not parts:
            return "nothing" if isinstance(formula, And) else "what never holds"
        several = len(parts) > 1
        apart = (several and isinstance(part, And | Or | Quantified) for part in formula.parts)
        return link.join(f"({said})" if inner else said for said, inner in zip(parts, apart, strict=True))

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
