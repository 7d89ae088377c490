"""Repairs: least changes of a task without a plan that may make one possible, those near the cause first.

They are excuses (Göbelbecker et al. 2010) and repairs of the domain: a fact of the initial state, an object, a
precondition, an effect. Nothing here knows whether a repair helps; ``methods/explain.py`` tries them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.attainable import Attainable, TooMuch, Types
from commonsense_planning.grounding.causes import Condition, Way, simplest
from commonsense_planning.grounding.formula_text import RULE, FormulaText
from commonsense_planning.grounding.invariants import Counted, counted_for, invariants
from commonsense_planning.grounding.lifted import Lifted, Literal, Schema, Terms
from commonsense_planning.pddl.nodes import fresh
from commonsense_planning.pddl.repair import Repair, RepairKind

MOST_OF_A_KIND = 30  # repairs for one condition


class Repairs:
    """Finds repairs for conditions that never hold. ``can`` decides what the relaxation attains; ``done``: the names of
    the actions that it can apply."""

    def __init__(self, lifted: Lifted, can: Attainable, words: FormulaText, done: set[str]) -> None:
        self._lifted, self._can, self._words, self._done = lifted, can, words, done
        self._told = {predicate for predicate, _ in lifted.init}
        self._invariants = [(found, self._held(found)) for found in invariants(lifted)]

    def of(self, conditions: Sequence[Condition]) -> Iterator[Repair]:
        """The repairs for conditions that are part of a reason: for those of predicates with initial facts first."""
        users: dict[Condition, list[Way]] = {}
        for condition in conditions:
            for way in condition.ways:
                for needed in simplest(way.reasons):
                    users.setdefault(needed, []).append(way)
        for known in (True, False):
            for condition in conditions:
                link, ways = condition.link, users.get(condition, [])
                for literal in logic.literals(link.condition):
                    if self._words.are_users(literal) and (literal.predicate in self._told) == known:
                        yield from self._all(literal, dict(link.types), ways)
                for _, kind in link.types if link.condition == logic.FALSE and known else ():
                    yield self._object(kind, None, self._lifted.members[kind])

    def everything(self) -> Iterator[Repair]:
        """The repairs for every precondition: first for those that alone keep an action from being applied."""
        waiting: list[tuple[Literal, Way]] = []
        for schema in self._lifted.schemas:
            way = Way(schema, schema.precondition, dict(enumerate(schema.parameters)), {})
            for part in logic.conjuncts(schema.precondition):
                if isinstance(part, Literal) and self._words.are_users(part):
                    waiting.append((part, way))
        self._can.renew()
        for alone in (True, False):
            for literal, way in waiting:
                if alone == self._is_alone(literal, way):
                    yield from self._all(literal, {-1 - t: way.types[-1 - t] for t in literal.terms if t < 0}, [way])

    def _is_alone(self, literal: Literal, way: Way) -> bool:
        """Whether a condition alone keeps an action from being applied."""
        if self._words.action(way.schema) in self._done:
            return False
        with suppress(TooMuch):
            others = [part for part in logic.conjuncts(way.precondition) if part is not literal]
            return self._can.meets(others, way.types, {})
        return False

    def _all(self, literal: Literal, types: Types, ways: Sequence[Way]) -> Iterator[Repair]:
        self._can.renew()
        with suppress(TooMuch):
            yield from itertools.islice(self._facts(literal, types, ways), MOST_OF_A_KIND)
        yield from self._conditions(literal, ways)
        yield from self._effects(literal, types)

    # -- facts and objects ------------------------------------------------------------------------------------------

    def _facts(self, literal: Literal, types: Types, ways: Sequence[Way]) -> Iterator[Repair]:
        """Facts with which the ways could be taken, as far as this condition is concerned; then objects."""
        if literal.predicate in self._lifted.strata:
            return
        seen: set[Terms] = set()
        for terms in self._instances(literal, types, ways):
            if terms not in seen and ((literal.predicate, terms) in self._lifted.init) != literal.positive:
                seen.add(terms)
                fact = Literal(literal.predicate, terms, literal.positive)
                yield Repair(RepairKind.FACT, self._words.of(fact, {}), likely=not self._is_odd(fact))
                if len(seen) == 1 and literal.positive:
                    for place, term in enumerate(literal.terms):
                        if term < 0:
                            yield self._object(
                                types[-1 - term], (literal.predicate, place, terms), terms[place : place + 1]
                            )

    def _held(self, found: Counted) -> set[Terms]:
        """The things of which a fact of an invariant holds initially."""
        return {counted_for(Literal(*fact), found) for fact in self._lifted.init if fact[0] in found}

    def _is_odd(self, fact: Literal) -> bool:
        """Whether an initial fact is one of the goal, or excluded by another initial one, by an invariant."""
        counts = ((counted_for(fact, found), held) for found, held in self._invariants if fact.predicate in found)
        return fact in logic.conjuncts(self._lifted.goal) or (
            fact.positive and any(key in held for key, held in counts)
        )

    def _instances(self, literal: Literal, types: Types, ways: Sequence[Way]) -> Iterator[Terms]:
        for way in ways:
            for part in self._parts(way, literal):
                others = [other for other in logic.conjuncts(way.precondition) if other is not part]
                others = [other for other in others if self._can.meets([other], way.types, way.binding)]
                for binding in self._can.ways(others, way.types, way.binding):
                    free = logic.free_variables(part) - binding.keys()
                    for choice in self._lifted.choices(tuple((v, way.types[v]) for v in sorted(free))):
                        yield tuple(t if t >= 0 else {**binding, **choice}[-1 - t] for t in part.terms)
        if not ways:
            for choice in self._lifted.choices(tuple(types.items())):
                yield tuple(t if t >= 0 else choice[-1 - t] for t in literal.terms)

    def _object(self, kind: int, fact: tuple[int, int, Terms] | None, like: Sequence[int]) -> Repair:
        """A further object of a type, with the initial facts of one that it is ``like``; ``fact``: a predicate, the
        object's place in it, and the terms elsewhere, instead of the other one's facts of the predicate."""
        name = fresh(self._words.type(kind), {*map(str.lower, map(self._lifted.problem.spell, self._lifted.objects))})
        facts: list[str] = []
        for predicate, terms in sorted(self._lifted.init) if like else ():
            if like[0] in terms and (fact is None or predicate != fact[0]):
                facts.append(self._named(predicate, terms, {i for i, t in enumerate(terms) if t == like[0]}, name))
        if fact is not None:
            facts.append(self._named(fact[0], fact[2], {fact[1]}, name))
        return Repair(
            RepairKind.OBJECT,
            f"{name} - {self._words.type(kind)}",
            "",
            tuple(facts),
            self._words.type(kind).lower() != "object",
        )

    def _named(self, predicate: int, terms: Sequence[int], places: set[int], name: str) -> str:
        spell = self._lifted.problem.spell
        words = (name if i in places else spell(self._lifted.objects[t]) for i, t in enumerate(terms))
        return f"({' '.join([spell(self._lifted.predicates[predicate]), *words])})"

    # -- actions ----------------------------------------------------------------------------------------------------

    def _conditions(self, literal: Literal, ways: Iterable[Way]) -> Iterator[Repair]:
        """The preconditions of the ways that want the literal."""
        for way in ways:
            self._words.within(way.schema)
            for part in self._parts(way, literal):
                if not self._words.action(way.schema).startswith(RULE):
                    yield Repair(RepairKind.CONDITION, self._words.of(part, {}), self._words.action(way.schema))

    def _parts(self, way: Way, literal: Literal) -> Iterator[Literal]:
        """The literals of a way's precondition that a literal may be an instance of."""
        for part in logic.conjuncts(way.precondition):
            if isinstance(part, Literal) and (part.predicate, part.positive) == (literal.predicate, literal.positive):
                terms = (t if t >= 0 else way.binding.get(-1 - t, t) for t in part.terms)
                if all(t == wanted or t < 0 for t, wanted in zip(terms, literal.terms, strict=True) if wanted >= 0):
                    yield part

    def _effects(self, literal: Literal, types: Types) -> Iterator[Repair]:
        """Effects of actions that the relaxation can apply: first those that restore an invariant, then those about
        parameters that no other effect is about, of actions that add nothing."""
        found: list[tuple[tuple[bool, int, bool], Repair]] = []
        fixed = literal.predicate not in self._lifted.fluent and literal.predicate in self._told
        for schema in self._lifted.schemas:
            name = self._words.action(schema)
            if name not in self._done or literal.predicate in self._lifted.strata:
                continue
            self._words.within(schema)
            has = {*logic.conjuncts(schema.precondition), *(effect.literal for effect in schema.effects)}
            about = {-1 - t for effect in schema.effects for t in effect.literal.terms if t < 0}
            lacking = not any(effect.literal.positive for effect in schema.effects)
            for choice in itertools.product(*(self._fitting(schema, term, types) for term in literal.terms)):
                effect = Literal(literal.predicate, tuple(-1 - v for v in choice), literal.positive)
                if effect not in has and len({*choice}) == len(choice):
                    unused = len({*choice} - about)
                    restores = self._restores(effect, schema)
                    likely = not fixed and (restores or unused > 0 or lacking)
                    repair = Repair(RepairKind.EFFECT, self._words.of(effect, {}), name, likely=likely)
                    found.append(((not restores, -unused, not lacking), repair))
        yield from (repair for _, repair in sorted(found, key=lambda pair: pair[0])[:MOST_OF_A_KIND])

    def _restores(self, effect: Literal, schema: Schema) -> bool:
        """Whether an action deletes facts that an invariant counts for a thing, and adds none but this one."""
        for found in (found for found, _ in self._invariants if effect.predicate in found):
            counted = [each.literal for each in schema.effects if each.literal.predicate in found]
            changed = [each.positive for each in counted if counted_for(each, found) == counted_for(effect, found)]
            if effect.positive and changed and not any(changed):
                return True
        return False

    def _fitting(self, schema: Schema, term: int, types: Types) -> list[int]:
        """The parameters of an action that an effect may have in place of a term."""
        members = self._lifted.members
        wanted = {term} if term >= 0 else {*members[types[-1 - term]]}
        return [v for v, kind in enumerate(schema.parameters) if wanted & {*members[kind]}]
