"""Warnings of sensors that do not fit the problem, which is the true world: facts that nothing shows; things of an
``:exactly-one`` that are in no place or in several; facts that should be in an ``:exactly-one``. Such files are
accepted, since a thing may be held initially, and a robot's problem file omits hidden facts. But mostly they are
mistakes."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import contains
from typing import Any

from tarski.fstrips import AddEffect, DelEffect
from tarski.syntax import Variable

from commonsense_planning.errors import PddlError, PddlWarning
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom, leaves
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.sensors import Pattern, Sensors

MOST_NAMED = 3  # facts or things that a warning names


def check_sensors(sensors: Sensors, problem: Problem, strict: bool = False) -> tuple[PddlWarning, ...]:
    """The warnings. With ``strict``, raises PddlError for the first instead."""
    check = _SensorsCheck(sensors, problem)
    found = (*check.unseen(), *check.misplaced(), *check.ungrouped())
    if found and strict:
        raise PddlError(found[0].place, found[0].problem)
    return found


class _SensorsCheck:
    def __init__(self, sensors: Sensors, problem: Problem) -> None:
        self.sensors, self.problem = sensors, problem
        self.formulas = Formulas(problem)
        atoms = (atom for atom in problem.tarski.init.as_atoms() if hasattr(atom, "predicate"))  # no function
        self.true: dict[str, list[GroundAtom]] = defaultdict(list)
        for fact in sorted(self.formulas.ground(atom, {}) for atom in atoms):
            self.true[fact[0]].append(fact)

    def unseen(self) -> Iterator[PddlWarning]:
        """Hidden facts that are neither sensed nor observed: all of a pattern, or some that are true."""
        shown = [rule.pattern.atom for rule in self.sensors.rules]
        shown += [atom for atoms in self.problem.observes.values() for atom in atoms]
        for pattern in self.sensors.hidden:
            seen = {fact for atom in shown if _name(atom) == _name(pattern.atom) for fact in self._true_of(atom)}
            facts = [fact for fact in self._true_of(pattern.atom) if fact not in seen]
            none = _name(pattern.atom) not in map(_name, shown)
            what = self.formulas.render(pattern.atom, {}) if none else self._facts(facts)
            if none or facts:
                yield PddlWarning(pattern.place, f"no ':sense' shows {what}", "as what is never seen")

    def misplaced(self) -> Iterator[PddlWarning]:
        """Things with no true fact of an ``:exactly-one``, or with more than one."""
        for group in self.sensors.groups:
            place, true = group.alternatives[0].place, self._facts_by_thing(group.variables, group.alternatives)
            held = self._held(group.alternatives)
            none = [
                " ".join(map(self.problem.spell, thing))
                for thing, facts in true.items()
                if not facts and not any(set(thing) <= objects for objects in held)
            ]
            several = [fact for facts in true.values() if len(facts) > 1 for fact in facts]
            better = self._that_holds(group.alternatives)[0] if none or several else ""
            hint = f" ({better} would fit)" if better else ""
            if none:
                yield PddlWarning(place, f"none of these facts is true of {some(none)}{hint}", "as if one were")
            if several:
                problem = f"more than one of these facts is true: {self._facts(several)}{hint}"
                yield PddlWarning(place, problem, "as if one were")

    def ungrouped(self) -> Iterator[PddlWarning]:
        """Hidden facts in no ``:exactly-one``, although exactly one is true for each thing."""
        held = {_name(pattern.atom) for group in self.sensors.groups for pattern in group.alternatives}
        left = [pattern for pattern in self.sensors.hidden if _name(pattern.atom) not in held]
        while left:
            better, together = self._that_holds(left)
            if better:
                problem = f"no ':exactly-one' for these facts, and {better} would fit"
                yield PddlWarning(left[0].place, problem, "each for itself: no model is asked where things are")
            done = {pattern.place for pattern in (left[0], *together)}
            left = [pattern for pattern in left if pattern.place not in done]

    def _held(self, patterns: Sequence[Pattern]) -> list[set[str]]:
        """The objects of each true fact that some action adds while it deletes a fact of the patterns: a thing that is
        held initially is in no place."""
        names, brought = {_name(pattern.atom) for pattern in patterns}, set()
        for action in self.problem.tarski.actions.values():
            effects = list(leaves(action.effects))
            if any(isinstance(effect, DelEffect) and _name(effect.atom) in names for effect in effects):
                brought |= {_name(effect.atom) for effect in effects if isinstance(effect, AddEffect)}
        return [set(fact[1:]) for name in brought - names for fact in self.true[name]]

    def _that_holds(self, patterns: Sequence[Pattern]) -> tuple[str, list[Pattern]]:
        """An ``:exactly-one`` that holds in the true world, as PDDL, for the first pattern and the others with its
        variable, and these patterns; empty if there is none."""
        for shared in _variables(patterns[0].atom):
            together = [p for p in patterns if any(v.symbol == shared.symbol for v in _variables(p.atom))]
            true = self._facts_by_thing([shared], together)
            choice = len(together) > 1 or len(_variables(together[0].atom)) > 1
            if choice and true and all(len(facts) == 1 for facts in true.values()):
                alternatives = " ".join(self._alternative(pattern.atom, shared) for pattern in together)
                return f"(:exactly-one {self._declared(shared)} {alternatives})", together
        return "", []

    def _facts_by_thing(
        self, variables: Sequence[Any], patterns: Sequence[Pattern]
    ) -> dict[tuple[str, ...], list[GroundAtom]]:
        """Objects for the variables → the true facts of the patterns about them."""
        things = itertools.product(*(self.formulas.objects(variable.sort) for variable in variables))
        found: dict[tuple[str, ...], list[GroundAtom]] = {thing: [] for thing in things}
        for pattern in patterns:
            terms = [str(term.symbol) for term in pattern.atom.subterms]
            places = [1 + terms.index(variable.symbol) for variable in variables]
            for fact in self._true_of(pattern.atom):
                found.get(tuple(fact[place] for place in places), []).append(fact)  # ignored if of a wider type
        return found

    def _true_of(self, atom: Any) -> list[GroundAtom]:
        """The true instances of an atom."""
        terms = atom.subterms
        fitting = [self.formulas.objects(t.sort) if isinstance(t, Variable) else (t.symbol,) for t in terms]
        return [fact for fact in self.true[_name(atom)] if all(map(contains, fitting, fact[1:]))]

    def _facts(self, facts: Iterable[GroundAtom]) -> str:
        return some(map(self.formulas.spell_atom, facts))

    def _alternative(self, atom: Any, shared: Any) -> str:
        """An atom as written in a sensors file after the declaration of one variable."""
        own = {v.symbol: self._declared(v) for v in _variables(atom) if v.symbol != shared.symbol}
        terms = (own.get(str(term.symbol), self.problem.spell(str(term.symbol))) for term in atom.subterms)
        return f"({' '.join((self.problem.spell(_name(atom)), *terms))})"

    def _declared(self, variable: Any) -> str:
        return f"{variable.symbol} - {self.problem.spell(variable.sort.name)}"


def _name(atom: Any) -> str:
    return str(atom.predicate.symbol)


def _variables(atom: Any) -> list[Any]:
    return [term for term in atom.subterms if isinstance(term, Variable)]


def some(items: Iterable[str]) -> str:
    """The first few of several, and the number of the others."""
    listed = list(items)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return f"{', '.join(listed[:MOST_NAMED])}{more}"
