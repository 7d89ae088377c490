"""Grounding under partial observability: hidden facts, exactly-one groups and sensing rules as numbers, and the parts
of contingent problems: correlated facts, operators that observe, and unobserved effects.

Hidden things may be anywhere, so every instance of the hidden patterns counts as reachable, not only the true ones. The
operators are all that the agent has to consider, and reveal nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.grounding.constraints import remembering
from commonsense_planning.grounding.ground_task import (
    Bits,
    CorrelatedFacts,
    GroundSensors,
    GroundTask,
    Int32,
    Lists,
    fully_observable,
    lists_of,
)
from commonsense_planning.grounding.grounding import ground_lifted
from commonsense_planning.grounding.instantiate import Conjunction, Instantiator, unwanted, wanted
from commonsense_planning.grounding.lifted import Lifted, NumberedAtom, Translator, free_variables, lift, simplify
from commonsense_planning.pddl.evaluation import atoms
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.sensors import ExactlyOne, Pattern, SenseRule, Sensors
from commonsense_planning.pddl.worlds import MOST_WORLDS, UnknownPart, parts_of


def ground_pomdp(
    problem: Problem,
    sensors: Sensors | None,
    contingent: ContingentInit | None = None,
    max_operators: int = MAX_OPERATORS,
    changeable: Sequence[Any] = (),
) -> tuple[GroundTask, GroundSensors]:
    """The ground task, and the sensors of its agent.

    Without ``sensors`` everything is observed, except for the facts that a contingent ``:init`` leaves open: that of
    the problem, or ``contingent`` if ``problem`` is the true world of a contingent problem. ``changeable``: ground
    atoms of Tarski that may change in the real world, whatever the actions do; they are not hidden. Raises InputError,
    MissingError (clingo), BudgetError (more operators or facts than ``max_operators``).
    """
    contingent = contingent or problem.contingent
    hidden_atoms = contingent.atoms
    patterns = sensors.hidden if sensors else ()
    single = [p.atom for p in patterns] + [*hidden_atoms, *changeable]
    names = {str(atom.predicate.symbol) for atom in single}
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
    both = list(dict.fromkeys([*possible, *map(named, changeable)]))
    task, instantiator = ground_lifted(lifted, both, max_operators, numbers)
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
        correlated, unobserved = _correlated_parts(task, self.parts, self.fact, hidden)
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
            observed=_observed_facts(task, self.tr, self.fact, hidden),
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


def _correlated_parts(
    task: GroundTask, parts: Sequence[UnknownPart], fact_of: Callable[[Any], int], hidden: Bits
) -> tuple[tuple[CorrelatedFacts, ...], Bits]:
    """The correlated facts, and whether each conditional effect is unobserved, bool (conditional effects,), empty if
    none is.

    A conditional effect with a condition on hidden facts correlates them with the facts that it changes, which are
    hidden from then on. Parts without correlation are left out, unless an operator may change one of several facts
    without being observed. Raises BudgetError if a part has more worlds than can be listed.
    """
    correlated = [
        CorrelatedFacts(np.array([fact_of(atom) for atom in part.atoms], np.int32), part.worlds, part.choices)
        for part in parts
    ]
    owner = {int(f): i for i, t in enumerate(correlated) for f in t.facts}
    kept = {i for i, part in enumerate(parts) if not part.plain}
    operators = task.operators
    kept |= _changed_unseen(task, hidden, {f: i for f, i in owner.items() if len(parts[i].atoms) > 1})
    effects = [
        (
            np.concatenate([operators.cond_pre.row(e), operators.cond_npre.row(e)]).tolist(),
            np.concatenate([operators.cond_add.row(e), operators.cond_delete.row(e)]).tolist(),
        )
        for e in range(len(operators.cond_pre))
    ]
    unobserved = np.zeros(len(effects), np.bool_)
    waiting = True
    while waiting:
        waiting = False
        for e, (condition, changed) in enumerate(effects):
            about = {owner[f] for f in condition if f in owner}
            if unobserved[e] or not about:
                continue
            unobserved[e] = waiting = True
            together = sorted(about | {owner[f] for f in changed if f in owner})
            new = [f for f in dict.fromkeys(changed) if f not in owner]
            whole = _joined([correlated[i] for i in together], np.array(new, np.int32), task.init[new])
            correlated[together[0]] = whole
            kept = kept - set(together) | {together[0]}
            owner.update((int(f), together[0]) for f in whole.facts)
    return tuple(correlated[i] for i in sorted(kept)), unobserved if unobserved.any() else unobserved[:0]


def _changed_unseen(task: GroundTask, hidden: Bits, part_of: Mapping[int, int]) -> set[int]:
    """The parts of which an operator may change a fact while the others are unknown, so that its new value tells
    nothing about them. ``part_of``: fact → part.

    A part is known after an operator with a condition on one of its facts. So it is known wherever a fact is true that
    only such operators add, directly or in a chain: a thing that is held was taken from its place.
    """
    operators = task.operators
    count = len(operators.pre)
    if not part_of:
        return set()
    follows = {fact: set(part_of.values()) for fact in np.flatnonzero(~(task.init | hidden)).tolist()}
    follows |= dict.fromkeys(operators.cond_add.items.tolist(), set[int]())
    follows |= {fact: {part} for fact, part in part_of.items()}
    while True:
        known = [set().union(*(follows.get(f, ()) for f in operators.pre.row(o).tolist())) for o in range(count)]
        new = dict(follows)
        for o in range(count):
            for fact in operators.add.row(o).tolist():
                if fact not in part_of and fact in new:
                    new[fact] = new[fact] & known[o]
        if new == follows:
            break
        follows = new
    found = set()
    for o in range(count):
        span = operators.effect_start[o], operators.effect_end[o]
        rows = [operators.add.row(o), operators.delete.row(o)]
        rows += [rows.row(e) for e in range(*span) for rows in (operators.cond_add, operators.cond_delete)]
        found |= {part_of[f] for f in np.concatenate(rows).tolist() if f in part_of} - known[o]
    return found


def _joined(parts: Sequence[CorrelatedFacts], new: Int32, init: Bits) -> CorrelatedFacts:
    """The parts as one, with the facts ``new``, initially as in ``init``. Raises BudgetError for more worlds than can
    be listed."""
    facts, worlds, choices = parts[0].facts, parts[0].worlds, list(parts[0].choices)
    for part in parts[1:]:
        if len(worlds) * len(part.worlds) > MOST_WORLDS:
            raise BudgetError(
                f":init and effects correlate facts that may be so in more than {MOST_WORLDS} ways, too many to list"
            )
        choices += [tuple(column + len(facts) for column in columns) for columns in part.choices]
        facts = np.concatenate([facts, part.facts])
        worlds = np.hstack([np.repeat(worlds, len(part.worlds), axis=0), np.tile(part.worlds, (len(worlds), 1))])
    worlds = np.hstack([worlds, np.tile(init, (len(worlds), 1))])
    return CorrelatedFacts(np.concatenate([facts, new]), worlds, tuple(choices))


def _observed_facts(task: GroundTask, tr: Translator, fact_of: Callable[[Any], int], hidden: Bits) -> Lists:
    """Operator → the hidden facts that it shows; no rows where no operator shows any."""
    rows: list[Sequence[int]] = [()] * task.operator_count
    for number, name in enumerate(task.schemas):
        atoms = task.problem.observes.get(name, ())
        if not atoms:
            continue
        variables = {v.symbol: i for i, v in enumerate(task.problem.tarski.actions[name].parameters)}
        literals = [tr.literal(atom, variables) for atom in atoms]
        for operator in np.flatnonzero(task.schema == number).tolist():
            values = task.arguments[operator].tolist()
            shown = {
                fact_of((lit.predicate, tuple(t if t >= 0 else values[-1 - t] for t in lit.terms))) for lit in literals
            }
            rows[operator] = sorted(f for f in shown if f >= 0 and hidden[f])
    observed = lists_of(rows)
    return observed if len(observed.items) else lists_of([])
