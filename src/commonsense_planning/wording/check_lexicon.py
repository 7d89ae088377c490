"""What a lexicon calls by the same words, so that an answer may mean two things: objects, the places of one thing,
and actions whose sentence leaves out what they do it with. Numbers that are dropped are meant to be, as long as a
question has two answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path

from commonsense_planning.errors import PddlError, PddlWarning
from commonsense_planning.grounding.invariants import Counted, invariants
from commonsense_planning.grounding.lifted import Literal, Schema, Terms, conjuncts, lift
from commonsense_planning.pddl.check_sensors import some
from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sensors import ExactlyOne, Sensors
from commonsense_planning.wording.lexicon import Lexicon, place_in
from commonsense_planning.wording.verbalise import Wording


def check_lexicon(
    paths: Sequence[Path], lexicon: Lexicon, problem: Problem, sensors: Sensors | None, strict: bool = False
) -> tuple[PddlWarning, ...]:
    """What cannot be told apart; ``paths``: the lexicon's files, of which the first counts. Where files are read
    ``strict``, raises PddlError for the first of it."""
    check = _LexiconCheck(paths, lexicon, problem)
    groups = () if sensors is None else sensors.groups
    found = (*check.objects(), *check.places(groups), *check.actions()) if paths else ()
    if found and strict:
        raise PddlError(found[0].place, found[0].problem)
    return found


class _LexiconCheck:
    def __init__(self, paths: Sequence[Path], lexicon: Lexicon, problem: Problem) -> None:
        self.paths = paths
        self.lexicon = lexicon
        self.problem = problem
        self.say = Wording(problem, lexicon)
        self.lifted = lift(problem)
        self.spelled = [problem.spell(name) for name in self.lifted.objects]

    def objects(self) -> Iterator[PddlWarning]:
        """Objects of one kind that are called the same, though their names differ by more than a dropped number."""
        kinds = {frozenset(self.lifted.members[t]) for schema in self.lifted.schemas for t in schema.parameters}
        called: dict[str, list[int]] = {}
        for o, name in enumerate(self.spelled):
            called.setdefault(self.say.words(name), []).append(o)
        for words, objects in called.items():
            pairs = (pair for pair in combinations(objects, 2) if any(kind >= {*pair} for kind in kinds))
            if confused := sorted({o for pair in pairs if not self._alike(*pair) for o in pair}):
                names = [self.spelled[o] for o in confused]
                yield self._warning("classes", names, f"{some(names)} are called the same: '{words}'", "as alike")

    def places(self, groups: Iterable[ExactlyOne]) -> Iterator[PddlWarning]:
        """Questions after a thing of which all answers are the same."""
        formulas = Formulas(self.problem)
        for group in groups:
            about = {variable.symbol for variable in group.variables}
            facts: dict[str, list[str]] = {}
            for pattern in group.alternatives:
                predicate, terms = pattern.atom.predicate.symbol, [str(term.symbol) for term in pattern.atom.subterms]
                for binding in formulas.bindings([v for v in pattern.variables if v.symbol not in about]):
                    names = [binding.get(term, term) for term in terms]
                    words = [None if n in about else self.say.words(self.problem.spell(n)) for n in names]
                    answer = self.say.relation(self.problem.spell(predicate), words)
                    facts.setdefault(answer, []).append(self._atom(predicate, names))
            for answer, meant in facts.items():
                if len(facts) == 1 and len(meant) > 1:
                    found = f"the only answer to where a thing is, '{answer}', means {some(meant)}"
                    yield self._warning("numbers", (), found, "as equally likely: no model can tell them apart")

    def actions(self) -> Iterator[PddlWarning]:
        """Actions whose sentence leaves out a parameter that the others do not determine."""
        for schema in self.lifted.schemas:
            name = self.problem.spell(schema.name)
            slots = [f"<{i}>" for i in range(len(schema.parameters))]
            said = self.say.imperative(schema.name, slots)
            told = {-1 - i for i, slot in enumerate(slots) if slot in said}
            left = {-1 - i for i in range(len(slots))} - self._determined(schema, told)
            several = [v for v in sorted(left, reverse=True) if len(self.lifted.members[schema.parameters[-1 - v]]) > 1]
            if several and len(told) < len(slots):
                action = self.problem.tarski.actions[schema.name]
                names = [str(v.symbol) for v in action.parameters]
                sentence = self.say.imperative(schema.name, [name.lstrip("?") for name in names])
                objects = [self.spelled[o] for o in self.lifted.members[schema.parameters[-1 - several[0]]][:2]]
                what = f"'{sentence}' does not say {' or '.join(names[-1 - v] for v in several)}"
                found = f"{what}: {name} with {objects[0]} and with {objects[1]} are one answer"
                yield self._warning("actions", [name], found, "as alike")

    def _determined(self, schema: Schema, told: set[int]) -> set[int]:
        """The parameters that are known where those ``told`` are, by what the action needs: of facts of which one holds
        at a time, and of those that never change."""
        known = set(told)
        literals = [c for c in conjuncts(schema.precondition) if isinstance(c, Literal) and c.positive]
        while True:
            new = {t for literal in literals if self._fixes(literal, known) for t in literal.terms if t < 0} - known
            if not new:
                return known
            known |= new

    def _fixes(self, literal: Literal, known: set[int]) -> bool:
        """Whether one fact of the literal at most holds, where the terms ``known`` are given."""
        given = [i for i, term in enumerate(literal.terms) if term >= 0 or term in known]
        if literal.predicate in self.lifted.fluent:
            keys = [found[literal.predicate] for found in self._invariants if literal.predicate in found]
            return any(key is None or key in given for key in keys)
        held: dict[Terms, Terms] = {}
        rows = (terms for predicate, terms in self.lifted.init if predicate == literal.predicate)
        return all(held.setdefault(tuple(row[i] for i in given), row) == row for row in rows)

    @cached_property
    def _invariants(self) -> list[Counted]:
        return list(invariants(self.lifted))

    def _alike(self, one: int, other: int) -> bool:
        """Whether a dropped number alone tells the names apart."""
        names = self.spelled[one], self.spelled[other]
        return all(map(self.say.drops_number, names)) and len(set(map(Lexicon().noun, names))) == 1

    def _atom(self, predicate: str, names: Sequence[str]) -> str:
        return f"({' '.join(map(self.problem.spell, (predicate, *names)))})"

    def _warning(self, table: str, names: Iterable[str], problem: str, taken: str) -> PddlWarning:
        return PddlWarning(place_in(self.paths, table, names), problem, taken)
