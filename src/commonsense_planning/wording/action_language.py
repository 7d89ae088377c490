"""The language in which actions are chosen and guides are written: the domain's own, where it has one ("Large Language
Models as Common-Sense Heuristics", section 3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from commonsense_planning.config import GuideKnowledge
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.llm.questions import Scene, Statement
from commonsense_planning.wording.action_rules import ActionRules
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import Verbaliser

Properties = tuple[tuple[str, tuple[str, ...]], ...]


class ActionLanguage:
    """Texts of a task's operators.

    ``own``: the domain's language, such as ``[PUTIN]<salmon><microwave>``. Without it actions are in English, as the
    ``lexicon`` has them; where that says nothing, they are the names of schema and objects, numbers and all.
    """

    def __init__(self, task: GroundTask, lexicon: Lexicon, own: Lexicon | None) -> None:
        self.task = task
        self.english = Verbaliser(task, lexicon, own_names=lexicon == Lexicon())
        self._own = own
        self._say = self.english if own is None else Verbaliser(task, own)

    def text(self, operator: int) -> str:
        """An operator in this language."""
        return self._say.action(operator)

    def scene(self) -> Scene:
        """The task as a whole, in English."""
        return self.english.scene()

    def forms(self) -> tuple[str, ...]:
        """The schemas with "object1", "object2" for their parameters: ``[PUTIN]<object1><object2>``; each once."""
        actions = self.task.problem.tarski.actions
        return tuple(
            dict.fromkeys(
                self._say.imperative(name, [f"object{i + 1}" for i in range(len(action.parameters))])
                for name, action in actions.items()
            )
        )

    def rules(self, operators: Iterable[int]) -> tuple[str, ...]:
        """The schemas of these operators, in words: what they need and bring about."""
        schemas = sorted({int(self.task.schema[o]) for o in operators})
        return tuple(dict.fromkeys(self._rules.text(self.task.schemas[s]) for s in schemas))

    def knowledge(self, level: GuideKnowledge) -> Properties:
        """What is told of the objects at first (section 4.1): for each name, each of the sets of properties that
        objects of that name have.

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
        names = map(self.task.problem.spell, self._objects())
        rows = ((self._say.words(name), tuple(properties.get(name, ()))) for name in names)
        return tuple(sorted(dict.fromkeys(rows)))

    def _objects(self) -> list[str]:
        """The objects of the problem, normalised names, in its order."""
        normaliser = self.task.problem.normaliser
        named = set(self.task.objects)
        return [n for n in normaliser.vocabulary.objects if n in named] if normaliser else list(self.task.objects)

    def _statements(self) -> list[Statement]:
        task = self.task
        everything, nothing = np.ones(task.fact_count, np.bool_), np.zeros(task.fact_count, np.bool_)
        told = (s for s in self._say.statements(task.init, everything, nothing) if len(s.arguments) == 1)
        return [s for s in told if self._own is None or s.predicate.lower() in self._words[s.holds]]

    def _property(self, statement: Statement) -> str:
        if self._own is not None:
            return statement.text
        words = statement.predicate.replace("-", " ").replace("_", " ").upper()
        return words if statement.holds else f"NOT {words}"

    @cached_property
    def _words(self) -> Mapping[bool, frozenset[str]]:
        """The predicates that the domain's own language has words for, where they hold and where they do not."""
        own = self._own or Lexicon()
        return {
            True: frozenset(name.lower() for name in own.facts),
            False: frozenset(name.lower() for name in own.negated),
        }

    @cached_property
    def _fluent(self) -> frozenset[str]:
        spell = self.task.problem.spell
        return frozenset(spell(predicate).lower() for predicate, _ in self.task.facts)

    @cached_property
    def _rules(self) -> ActionRules:
        return ActionRules(lift(self.task.problem), self.english, self._say.imperative)
