"""The language in which actions are chosen and guides are written: the domain's own, where it has one ("Large Language
Models as Common-Sense Heuristics", section 3.1), and its action schemas in English."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from commonsense_planning.config import GuideKnowledge
from commonsense_planning.grounding.ground_task import GroundTask, owners_of
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
    literals,
)
from commonsense_planning.pddl.trajectories import MonitorPart, P, Q
from commonsense_planning.wording.instances import Instances, Named
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Scene, Statement
from commonsense_planning.wording.verbalise import Verbaliser, Wording

Properties = tuple[tuple[str, tuple[str, ...]], ...]
Names = dict[int, str]  # -1 - term, so the number of a variable → what it is called
Atoms = tuple[tuple[str, tuple[str, ...]], ...]
FixedFacts = tuple[tuple[str, tuple[int, ...]], ...]
MOST_FIXED = 40  # sentences on what never changes
_Needs = dict[tuple[str, bool], str]
_SMALL = frozenset(re.findall(r"\w+", "a an are at been by has have in inside into is it of on onto the to was with"))
_WORDS = re.compile(r"<[^<>]*>|\w+")
_SUBJECT = re.compile(r"^[^<>]*?\b(?:is|are|am|was|has|have|can) ")  # "the robot is "


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

    def facts(self, given: Iterable[int], denied: Iterable[int], named: Named) -> tuple[str, ...]:
        """Facts that hold and facts that do not, in English, with those names for their objects."""
        every = (*((f, True) for f in given), *((f, False) for f in denied))
        atoms = ((*self.task.facts[f], holds) for f, holds in every if f < self._remembered)
        return self.english.together(atoms, named.__getitem__)

    @property
    def _remembered(self) -> int:
        return self.task.fact_count - len(self.task.monitors.initial)

    @cached_property
    def moving(self) -> set[str]:
        """The predicates of which each action that makes one fact true makes another false, such as where one is."""
        ops, names = self.task.operators, [predicate for predicate, _ in self.task.facts]
        come, gone = (
            {(o, names[f]) for o, f in zip(*(column.tolist() for column in owners_of(rows)), strict=True)}
            for rows in (ops.add, ops.delete)
        )
        return {name for _, name in come & gone} - {name for _, name in come - gone}

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
        return tuple(dict.fromkeys(self.schemas.text(self.task.schemas[s], about) for s in schemas))

    def fixed(self, operators: Iterable[int]) -> FixedFacts:
        """The facts that never change and that these operators need: predicates and numbers of objects."""
        task, number = self.task, self.english.number
        needed = ((self.english.schema(o), tuple(task.objects[a] for a in self.objects(o))) for o in operators)
        hidden = self.english.changing  # or not changing, but hidden
        atoms = ((p, args) for p, args in self.schemas.unchanging(needed) if p not in hidden)
        return tuple((p, tuple(number[a] for a in args)) for p, args in atoms if all(a in number for a in args))

    def told_fixed(self, facts: FixedFacts, named: Named) -> tuple[str, ...]:
        """These facts in English, with those names for their objects."""
        return self.english.together(((p, args, True) for p, args in facts), named.__getitem__, MOST_FIXED)

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
    def schemas(self) -> ActionRules:
        """The action schemas in English."""
        return ActionRules(lift(self.task.problem), self.english, self._say.imperative)


class ActionRules:
    """The action schemas of a task in English: the preconditions and effects of each; ``english`` says facts,
    ``form`` (schema, parameters' names) the action itself."""

    def __init__(self, lifted: Lifted, english: Wording, form: Callable[[str, list[str]], str]) -> None:
        self._lifted = lifted
        self._english = english
        self._form = form
        self._schemas = {schema.name: schema for schema in lifted.schemas}
        self._translator = Translator(lifted.problem)
        self._kinds = list(self._translator.type_index)
        self._texts: dict[tuple[str, frozenset[str] | None], str] = {}
        self._needs_fixed: dict[tuple[str, tuple[str, ...]], Atoms] = {}
        self._numbers = {name: i for i, name in enumerate(lifted.objects)}
        self._always: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)  # predicate → of what it holds
        for predicate, terms in sorted(lifted.init):
            if predicate not in lifted.fluent:
                self._always[predicate].append(terms)

    def needs(self, schemas: Sequence[str]) -> tuple[str, ...]:
        """What these schemas (normalised names) need, with types for their parameters; where others are worded the
        same, what each of them needs."""
        bullets: list[list[Schema]] = []  # schemas of which one action can have the words of another
        for schema in self._schemas.values():
            same = next((told for told in bullets if any(self._confusable(schema, other) for other in told)), None)
            if same is None:
                bullets.append([schema])
            else:
                same.append(schema)
        told = []
        for bullet in bullets:
            if any(schema.name in schemas for schema in bullet):
                forms: dict[str, list[_Needs]] = {}
                for schema in bullet:
                    form, names = self._in_types(schema)
                    forms.setdefault(form, []).append(self._needed(schema, names))
                told.append("; or ".join(f"{form}: {_either(needs)}" for form, needs in forms.items()))
        return tuple(told)

    def _confusable(self, one: Schema, other: Schema) -> bool:
        """Whether an action of each can have the same words."""
        (said, types), (also, others) = map(self._shown_types, (one, other))
        members = self._lifted.members
        return said == also and all(
            not set(members[a]).isdisjoint(members[b]) for a, b in zip(types, others, strict=True)
        )

    def _shown_types(self, schema: Schema) -> tuple[str, list[int]]:
        """The words for an action with gaps for its parameters, and their types, in order."""
        said = self._english.imperative(schema.name, [f"<{i}>" for i in range(len(schema.parameters))])
        return re.sub(r"<\d+>", "_", said), [schema.parameters[int(i)] for i in re.findall(r"<(\d+)>", said)]

    def _needed(self, schema: Schema, names: Names) -> _Needs:
        """The conditions of a schema, each with whether it is a negated fact, whose words are those of the fact."""
        found: _Needs = {}
        parts = conjuncts(schema.precondition)
        for part in parts:
            negated = isinstance(part, Literal) and not part.positive
            fact = replace(part, positive=True) if isinstance(part, Literal) else part
            said = self._formula(part, names)
            apart = len(parts) > 1 and isinstance(part, And | Or | Quantified)
            found[self._formula(fact, names), negated] = f"({said})" if apart else said
        return found

    def effects(self, schemas: Sequence[str]) -> tuple[str, ...]:
        """What these schemas (normalised names) bring about that the goal, or one of the schemas, wants, conditional
        effects that the goal does not want, and what they observe, unless the words for the action tell it."""
        chosen = [self._schemas[name] for name in schemas]
        asked = [schema.precondition for schema in (*chosen, *self._lifted.rules)]
        asked += [effect.condition for schema in chosen for effect in schema.effects]
        asked += [formula for c in self._lifted.constraints for formula in c.conditions.values()]
        wanted = {(found.predicate, found.positive) for f in (self._lifted.goal, *asked) for found in literals(f)}
        against = {(found.predicate, not found.positive) for found in literals(self._lifted.goal)}
        told: dict[str, dict[str, None]] = {}
        for schema in chosen:
            form, names = self._in_types(schema)
            mine: dict[str, None] = {}
            for effect in schema.effects:
                literal, text = effect.literal, self._effect(effect, names)
                moves = not literal.positive and any(
                    e.literal.positive and e.literal.predicate == literal.predicate for e in schema.effects
                )
                ends, always = effect.variables and not literal.positive, effect.condition == TRUE
                asked_for = wanted if always else wanted | against
                if (literal.predicate, literal.positive) not in asked_for or moves or (ends and always):
                    continue
                if not always or not _says(form, text):
                    mine[f"{text}{self._where(schema, names, form, effect)}"] = None
            shown = self._observed(schema.name, names)
            mine |= dict.fromkeys(f"shows whether {text}" for text in shown if not _says(form, text))
            if mine:
                told.setdefault(form, {})["; ".join(mine)] = None
        return tuple(f"{form}: {'; or '.join(effects)}" for form, effects in told.items())

    def _observed(self, schema: str, names: Names) -> Iterator[str]:
        problem = self._lifted.problem
        variables = {v.symbol: i for i, v in enumerate(problem.tarski.actions[schema].parameters)}
        for atom in problem.observes.get(schema, ()):
            yield self._formula(replace(self._translator.literal(atom, variables), positive=True), names)

    def _in_types(self, schema: Schema) -> tuple[str, Names]:
        """The words for an action of a schema with types for its parameters, and these."""
        names = self._named(tuple(enumerate(schema.parameters)), {})
        return self._english.imperative(schema.name, [names[i] for i in range(len(schema.parameters))]), names

    def _where(self, schema: Schema, names: Names, form: str, effect: Effect) -> str:
        """What the action needs of the things that an effect is about and the words for the action do not name."""
        unnamed = {-1 - t for t in effect.literal.terms if t < 0 and -1 - t < len(schema.parameters)}
        unnamed = {i for i in unnamed if names[i] not in form}
        about = unnamed | {i for i, name in names.items() if name in form}
        needs = (
            p for p in conjuncts(schema.precondition) if isinstance(p, Literal) and p.positive and len(p.terms) > 1
        )
        told = [
            self._formula(p, names)
            for p in needs
            if not unnamed.isdisjoint(-1 - t for t in p.terms) and about.issuperset(-1 - t for t in p.terms if t < 0)
        ]
        return f" (where {' and '.join(told)})" if told else ""

    def unchanging(self, actions: Iterable[tuple[str, tuple[str, ...]]]) -> Atoms:
        """The facts that never change and that these actions, each a schema with its objects (normalised names), need:
        predicate and objects, each once; of a predicate that must be false of something, all facts."""
        found: dict[tuple[str, tuple[str, ...]], None] = {}
        for schema, objects in actions:
            if (schema, objects) not in self._needs_fixed:
                self._needs_fixed[schema, objects] = self._fixed(schema, objects)
            found |= dict.fromkeys(self._needs_fixed[schema, objects])
        return tuple(found)

    def _fixed(self, schema: str, objects: tuple[str, ...]) -> Atoms:
        lifted, number = self._lifted, self._numbers
        formulas = [self._schemas[schema].precondition, *(e.condition for e in self._schemas[schema].effects)]
        found: dict[tuple[str, tuple[str, ...]], None] = {}
        for literal in chain.from_iterable(map(literals, formulas)):
            if literal.predicate in lifted.fluent:
                continue
            bound = {
                i: number[objects[-1 - t]] if t < 0 else t
                for i, t in enumerate(literal.terms)
                if t >= 0 or -1 - t < len(objects)
            }
            for terms in self._always[literal.predicate]:
                if not literal.positive or all(terms[i] == o for i, o in bound.items()):
                    found[lifted.predicates[literal.predicate], tuple(lifted.objects[t] for t in terms)] = None
        return tuple(found)

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

    def goal(self, call: Callable[[str], str] | None = None) -> str:
        """The goal as a formula, with objects by ``call`` (their normalised names), or else by their usual names."""
        objects = {-1 - t: call(name) for t, name in enumerate(self._lifted.objects)} if call else {}
        return self._formula(self._lifted.goal, objects)

    def _told(self, schema: Schema, about: frozenset[str] | None) -> str:
        action = self._lifted.problem.tarski.actions[schema.name]
        names = {i: f"<{str(v.symbol).lstrip('?')}>" for i, v in enumerate(action.parameters)}
        shown = self._form(schema.name, [*names.values()]).replace("<<", "<").replace(">>", ">")  # "[EAT]<<x>>"
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
            return self._english.agreeing(spelling, [[self._term(t, names)] for t in formula.terms], formula.positive)
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
        if term < 0 or -1 - term in names:
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


def _either(alternatives: Iterable[_Needs]) -> str:
    """The alternatives, of which two that differ only in whether one fact holds are told as one without it."""
    left = [*alternatives]
    while pair := next(((a, b) for a in left for b in left if _but_for_one(a, b)), None):
        shared = {key: said for key, said in pair[0].items() if key in pair[1]}
        left = [*(needs for needs in left if needs not in pair), shared]
    return "; or ".join(dict.fromkeys(", ".join(needs.values()) or "nothing" for needs in left))


def _but_for_one(one: _Needs, other: _Needs) -> bool:
    apart = one.keys() ^ other.keys()
    return len(apart) == 2 and len({fact for fact, _ in apart}) == 1


def _says(form: str, effect: str) -> bool:
    """Whether the words for an action say what it brings about: each word that counts begins like one of them."""
    words = _WORDS.findall(form.lower())
    said = _WORDS.findall(_SUBJECT.sub("", effect.lower()))
    return all(any(_alike(word, other) for other in words) for word in said if word not in _SMALL)


def _alike(word: str, other: str) -> bool:
    length = min(len(word), len(other), 4)
    return word == other if "<" in (word[0], other[0]) else word[:length] == other[:length]
