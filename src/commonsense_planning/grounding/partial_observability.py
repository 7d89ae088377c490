"""Grounding under partial observability: hidden facts, exactly-one groups and sensing rules as numbers.

Hidden things may be anywhere, so every instance of the hidden patterns counts as reachable, not only the true ones. The
operators are all that the agent has to consider, and reveal nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.grounding.constraints import remembering
from commonsense_planning.grounding.contingent import correlated_parts, observed_facts
from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, fully_observable, lists_of
from commonsense_planning.grounding.grounding import ground_lifted
from commonsense_planning.grounding.instantiate import Conjunction, Instantiator, unwanted, wanted
from commonsense_planning.grounding.lifted import Lifted, NumberedAtom, Translator, free_variables, lift, simplify
from commonsense_planning.pddl.evaluation import atoms
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.sensors import ExactlyOne, Pattern, SenseRule, Sensors
from commonsense_planning.pddl.worlds import UnknownPart, parts_of


def ground_pomdp(
    problem: Problem,
    sensors: Sensors | None,
    contingent: ContingentInit | None = None,
    max_operators: int = MAX_OPERATORS,
) -> tuple[GroundTask, GroundSensors]:
    """Grounds a task and what its agent can see.

    Without ``sensors`` everything is observed, except for the facts that a contingent ``:init`` leaves open: that of
    the problem, or ``contingent`` if ``problem`` is the true world of a contingent problem. Raises InputError,
    MissingError (clingo), BudgetError (more operators or facts than ``max_operators``).
    """
    contingent = contingent or problem.contingent
    hidden_atoms = contingent.atoms
    patterns = sensors.hidden if sensors else ()
    names = {str(p.atom.predicate.symbol) for p in patterns} | {str(a.predicate.symbol) for a in hidden_atoms}
    lifted = lift(problem, names)
    tr = Translator(problem)

    def named(atom: Any) -> NumberedAtom:
        literal = tr.literal(atom, {})
        return literal.predicate, literal.terms

    open_atoms = list(map(named, hidden_atoms))
    for pattern in patterns:
        count = math.prod(len(lifted.members[tr.type_of(variable)]) for variable in pattern.variables)
        if count > max_operators:
            raise BudgetError(
                f"{pattern.atom} may be hidden in {count} ways, more than the {max_operators} facts that there may be "
                "(--max-operators); types of its variables reduce them"
            )
    possible = dict.fromkeys(atom for p in patterns for atom in instances(tr, lifted, p))
    possible.update(dict.fromkeys(open_atoms))
    conditions = [rule.condition for rule in sensors.rules] if sensors else []
    watched = {str(atom.predicate.symbol) for condition in conditions for atom in atoms(condition)}
    numbers = [number for number, name in enumerate(lifted.predicates) if name in watched]
    task, instantiator = ground_lifted(lifted, list(possible), max_operators, numbers)
    if not possible:
        return task, fully_observable(task.fact_count)
    parts = parts_of(contingent, named)
    ground_sensors = _SensorGrounder(parts, sensors, tr, lifted, instantiator).grounded(task, list(possible))
    wanted = np.concatenate([task.rules.pos.items, task.rules.neg.items])
    unseen = wanted[ground_sensors.hidden[wanted]]
    if len(unseen):
        fact = task.fact_step(int(unseen[0]))
        raise InputError(f"{fact} may be changed by an unobserved effect, and derived facts depend on it")
    return remembering(task, ground_sensors.hidden), ground_sensors


def instances(
    tr: Translator, lifted: Lifted, pattern: Pattern, bound: dict[str, int] | None = None
) -> Iterator[NumberedAtom]:
    """The ground atoms of a pattern; ``bound``: name of a variable → its object."""
    fixed = bound or {}
    free = [v for v in pattern.variables if v.symbol not in fixed]
    names = [*fixed, *(v.symbol for v in free)]
    literal = tr.literal(pattern.atom, {name: i for i, name in enumerate(names)})
    for choice in itertools.product(*(lifted.members[tr.type_of(v)] for v in free)):
        values = (*fixed.values(), *choice)
        yield literal.predicate, tuple(t if t >= 0 else values[-1 - t] for t in literal.terms)


@dataclass
class _SensorGrounder:
    parts: Sequence[UnknownPart]
    sensors: Sensors | None
    tr: Translator
    lifted: Lifted
    instantiator: Instantiator

    def fact(self, atom: NumberedAtom) -> int:
        """The atom's number among the task's facts; -1 if it is none of them. Atoms that nothing changes have numbers
        of their own, which are also those of facts."""
        predicate, terms = atom
        return self.instantiator.indices[predicate].one(terms) if predicate in self.lifted.fluent else -1

    def grounded(self, task: GroundTask, possible: list[NumberedAtom]) -> GroundSensors:
        hidden = np.zeros(task.fact_count, np.bool_)
        hidden[[self.fact(atom) for atom in possible]] = True
        correlated, unobserved = correlated_parts(task, self.parts, self.fact, hidden)
        for part in correlated:
            hidden[part.facts] = True
        bound = {int(fact) for part in correlated for fact in part.facts}
        choices = [sorted(map(self.fact, part.atoms)) for part in self.parts if len(part.atoms) > 1]
        groups = [group for group in choices if not bound.intersection(group)]
        exact = len(groups)
        open_facts = set().union(*choices)
        seen: dict[Conjunction, set[int]] = {}
        certain = np.repeat([[0.0], [1.0]], task.fact_count, axis=1)
        shown_true = certain.copy()
        prior = None
        if self.sensors is not None:
            if self.sensors.chances:
                prior = np.full(task.fact_count, 0.5)
                for pattern, chance in zip(self.sensors.hidden, self.sensors.chances, strict=True):
                    prior[[self.fact(atom) for atom in instances(self.tr, self.lifted, pattern)]] = chance
            for exactly_one in self.sensors.groups:
                for group in self.groups(exactly_one):
                    drawn = open_facts.intersection(group)
                    if drawn:  # the contingent init is more precise: the group's other facts are known to be false
                        hidden[[fact for fact in group if fact not in drawn]] = False
                    else:
                        groups.append(group)
            for rule in self.sensors.rules:
                for condition, facts in self.rules(rule):
                    shown = [f for f in facts if f >= 0 and hidden[f]]
                    seen.setdefault(condition, set()).update(shown)
                    shown_true[:, shown] = [[rule.errors[0]], [1.0 - rule.errors[1]]]
        groups = list(map(list, dict.fromkeys(tuple(group) for group in groups if group)))
        members = list(itertools.chain.from_iterable(groups))
        if len(members) > len(set(members)):
            shared = next(fact for fact in members if members.count(fact) > 1)
            raise InputError(f"{task.fact_step(shared)} is in two groups of ':exactly-one'; a fact may be in one")
        for group in groups:
            if prior is not None and not prior[group].any():
                impossible = task.fact_step(group[0])
                raise InputError(f"{impossible} and the others of its ':exactly-one' all have the probability 0")
        return GroundSensors(
            hidden=hidden,
            groups=lists_of(groups),
            when=lists_of([wanted(c) for c in seen]),
            when_not=lists_of([unwanted(c) for c in seen]),
            seen=lists_of([sorted(facts) for facts in seen.values()]),
            observed=observed_facts(task, self.tr, self.fact, hidden),
            correlated=correlated,
            unobserved=unobserved,
            shown_true=None if (shown_true == certain).all() else shown_true,
            prior=prior,
            exact=exact,
        )

    def groups(self, exactly_one: ExactlyOne) -> Iterator[list[int]]:
        """One group of facts per binding of the shared variables."""
        for choice in itertools.product(*(self.lifted.members[self.tr.type_of(v)] for v in exactly_one.variables)):
            bound = {v.symbol: value for v, value in zip(exactly_one.variables, choice, strict=True)}
            facts = {
                self.fact(atom)
                for alternative in exactly_one.alternatives
                for atom in instances(self.tr, self.lifted, alternative, bound)
            }
            yield sorted(facts - {-1})

    def rules(self, rule: SenseRule) -> Iterator[tuple[Conjunction, list[int]]]:
        """(ground condition, facts seen under it), for each binding of the condition's free variables."""
        scope = {v.symbol: i for i, v in enumerate(rule.pattern.variables)}
        condition = simplify(self.tr.formula(rule.condition, scope, [len(scope)]))
        mentioned = free_variables(condition)
        outer = [v for v in rule.pattern.variables if scope[v.symbol] in mentioned]
        for choice in itertools.product(*(self.lifted.members[self.tr.type_of(v)] for v in outer)):
            bound = {v.symbol: value for v, value in zip(outer, choice, strict=True)}
            conditions = self.instantiator.dnf(condition, {scope[name]: value for name, value in bound.items()})
            if conditions:
                facts = [self.fact(atom) for atom in instances(self.tr, self.lifted, rule.pattern, bound)]
                yield from ((conjunction, facts) for conjunction in conditions)
