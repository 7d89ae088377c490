"""Grounding: the reachable bindings of each schema as flat arrays.

A schema whose conditions are conjunctions of literals and whose effects are unconditional is compiled by whole columns
with NumPy. Any other is compiled binding by binding, with conditions in disjunctive normal form: one operator per
disjunct.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import InputError, PddlError, TooLargeError
from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.constraints import constrained
from commonsense_planning.grounding.ground_task import (
    NO_RULES,
    ROWS,
    GroundTask,
    Int32,
    Int64,
    Lists,
    Operators,
    Rules,
    closed,
    concatenate_lists,
    distinct,
    goal_of,
    lists_of,
)
from commonsense_planning.grounding.instantiate import AtomIndex, Conjunction, Instantiator, unwanted, wanted
from commonsense_planning.grounding.lifted import Effect, Lifted, NumberedAtom, Schema, lift
from commonsense_planning.grounding.reachability import reachable
from commonsense_planning.grounding.relevance import relevant_for, restricted
from commonsense_planning.pddl.plan import cost_text
from commonsense_planning.pddl.problem import Problem


def ground(problem: Problem, max_operators: int = MAX_OPERATORS) -> GroundTask:
    """Grounds a fully observable task. Raises InputError, MissingError (clingo), BudgetError (more operators or facts
    than ``max_operators``)."""
    return ground_lifted(lift(problem), (), max_operators)[0]


def ground_lifted(
    lifted: Lifted, possible: Sequence[NumberedAtom], max_operators: int = MAX_OPERATORS, watched: Iterable[int] = ()
) -> tuple[GroundTask, Instantiator]:
    """The grounded task, and an instantiator of further conditions on the same facts. The ``possible`` atoms count as
    reachable, but are not true in ``init``. Derived facts are left out unless an operator, the goal or a constraint
    needs them, or their predicate is ``watched``."""
    grounder = _Grounder(lifted, possible, max_operators, watched)
    return grounder.task(), grounder.instantiator


MOST_COST = 10**15  # of one operator; every number of 15 digits is exact as a float


class _Grounder:
    def __init__(
        self, lifted: Lifted, possible: Sequence[NumberedAtom], max_operators: int, watched: Iterable[int]
    ) -> None:
        self.lifted, self.max_operators, self.watched = lifted, max_operators, frozenset(watched)
        self.reach = reachable(lifted, possible, max_operators)
        self.indices: list[AtomIndex] = []
        count = 0
        for predicate, rows in enumerate(self.reach.atoms):
            self.indices.append(AtomIndex(rows, count, len(lifted.objects)))
            count += len(rows) if predicate in lifted.fluent else 0
        self.instantiator = Instantiator(lifted, self.indices)
        self.scale = _scale(lifted)

    def task(self) -> GroundTask:
        lifted = self.lifted
        facts = tuple(
            (lifted.predicates[p], tuple(row))
            for p, rows in enumerate(self.reach.atoms)
            if p in lifted.fluent
            for row in rows.tolist()
        )
        init = np.zeros(len(facts), np.bool_)
        for predicate, terms in lifted.init:
            if predicate in lifted.fluent:
                init[self.indices[predicate].one(terms)] = True
        batches = [
            self.batch(schema, rows)
            for schema, rows in zip(lifted.schemas, self.reach.bindings, strict=True)
            if rows is not None
        ]
        numbers = [s for s, rows in enumerate(self.reach.bindings) if rows is not None]
        widest = max((len(s.parameters) for s in lifted.schemas), default=0)
        arguments = [np.pad(b.rows, ((0, 0), (0, widest - b.rows.shape[1])), constant_values=-1) for b in batches]
        schema = [np.full(len(b.rows), s, np.int32) for s, b in zip(numbers, batches, strict=True)]
        task = GroundTask(
            problem=lifted.problem,
            objects=lifted.objects,
            facts=facts,
            init=init,
            operators=_join([batch.operators for batch in batches]),
            goal=goal_of(self.instantiator.dnf(lifted.goal, {})),
            schemas=tuple(s.name for s in lifted.schemas),
            arities=tuple(len(s.parameters) for s in lifted.schemas),
            schema=np.concatenate(schema) if schema else np.zeros(0, np.int32),
            arguments=np.concatenate(arguments) if arguments else np.zeros((0, widest), np.int32),
            scale=self.scale,
            instantiator=self.instantiator,
        )
        task = self.with_rules(task) if lifted.rules else task
        return constrained(task, self.instantiator) if lifted.constraints else task

    def with_rules(self, task: GroundTask) -> GroundTask:
        """The task with the rules that it needs, and without the derived facts that it does not need."""
        lifted, indices = self.lifted, self.indices
        rules, wanted = self.rules(), np.zeros(task.fact_count, np.bool_)
        wanted[task.goal.pos.items] = wanted[task.goal.neg.items] = True
        constraints = (condition for c in lifted.constraints for condition in c.conditions.values())
        mentioned = {literal.predicate for condition in constraints for literal in logic.literals(condition)}
        for predicate in (self.watched | mentioned) & lifted.fluent:
            wanted[indices[predicate].first :][: indices[predicate].count] = True
        kept, every = relevant_for(replace(task, rules=rules), wanted, every=True)
        rules = distinct(rules, kept[rules.head])
        for predicate in lifted.fluent - lifted.strata.keys():
            kept[indices[predicate].first :][: indices[predicate].count] = True
        for predicate in lifted.fluent:
            rows, first = self.reach.atoms[predicate], indices[predicate].first
            left = kept[first:][: len(rows)]
            indices[predicate] = AtomIndex(rows[left], int(kept[:first].sum()), len(lifted.objects))
            for row in rows[~left].tolist():
                self.instantiator.left_out[predicate, tuple(row)] = -1 - len(self.instantiator.left_out)
        less = restricted(replace(task, rules=rules), kept, every).task
        return replace(less, init=closed(less.rules, less.init), instantiator=self.instantiator)

    def rules(self) -> Rules:
        """All rules for reachable derived facts, by these facts' numbers."""
        batches, strata = [], []
        for rule, rows in zip(self.lifted.rules, self.reach.rule_bindings, strict=True):
            predicate = rule.effects[0].literal.predicate
            if rows is not None and predicate in self.lifted.fluent:
                batches.append(self.batch(rule, rows))
                strata.append(np.full(len(batches[-1].rows), self.lifted.strata[predicate], np.int32))
        if not batches:
            return NO_RULES
        pos, neg, heads = (
            concatenate_lists([getattr(batch.operators, name) for batch in batches]) for name in ("pre", "npre", "add")
        )
        return Rules(heads.items[heads.start], pos, neg, np.concatenate(strata))

    def batch(self, schema: Schema, rows: Int32) -> _Batch:
        plain = all(isinstance(p, logic.Literal | logic.Equal) for p in logic.conjuncts(schema.precondition))
        if plain and all(e.condition == logic.TRUE for e in schema.effects):
            return self.by_columns(schema, rows)
        return self.by_binding(schema, rows)

    # -- whole columns -------------------------------------------------------------------------------------

    def by_columns(self, schema: Schema, rows: Int32) -> _Batch:
        conditions = logic.conjuncts(schema.precondition)  # static ones hold wherever it is reachable
        fluent = [p for p in conditions if isinstance(p, logic.Literal) and p.predicate in self.lifted.fluent]
        adds, deletes = ([e for e in schema.effects if e.literal.positive == kind] for kind in (True, False))
        none, empty = np.zeros(len(rows), np.int64), lists_of([])
        operators = Operators(
            pre=_rows_of([self.column(p, rows) for p in fluent if p.positive], len(rows)),
            npre=_rows_of([self.column(p, rows) for p in fluent if not p.positive], len(rows)),
            add=self.effect_rows(adds, rows),
            delete=self.effect_rows(deletes, rows),
            effect_start=none,
            effect_end=none,
            cond_pre=empty,
            cond_npre=empty,
            cond_add=empty,
            cond_delete=empty,
            cost=self.costs(schema, rows),
        )
        return _Batch(rows, operators)

    def column(self, literal: logic.Literal, rows: Int32) -> Int32:
        """The numbers of the literal's atoms, int32 (rows,); -1 where an atom is not reachable."""
        if not literal.terms:
            return np.full(len(rows), self.indices[literal.predicate].one(()), np.int32)
        terms = [np.full(len(rows), t, np.int32) if t >= 0 else rows[:, -1 - t] for t in literal.terms]
        return self.indices[literal.predicate].many(np.stack(terms, axis=1))

    def effect_rows(self, effects: list[Effect], rows: Int32) -> Lists:
        """One ragged row per operator; all share their items if no effect depends on the parameters."""
        parameters = rows.shape[1]
        if effects and not any(0 <= -1 - t < parameters for e in effects for t in e.literal.terms):
            shared = self.effect_columns(effects, np.zeros((1, parameters), np.int32))[0]
            items = np.array(sorted({*shared[shared >= 0].tolist()}), np.int32)  # np.unique imports numpy.ma
            return Lists(np.zeros(len(rows), np.int64), np.full(len(rows), len(items), np.int64), items)
        return _rows_of(list(self.effect_columns(effects, rows).T), len(rows))

    def effect_columns(self, effects: list[Effect], rows: Int32) -> Int32:
        """Atom numbers, int32 (rows, columns): a column per effect and binding of its quantified variables."""
        columns = []
        for effect in effects:
            for bound in self.lifted.choices(effect.variables):
                terms = tuple(bound.get(-1 - t, t) if t < 0 else t for t in effect.literal.terms)
                columns.append(self.column(logic.Literal(effect.literal.predicate, terms), rows))
        return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), np.int32)

    def costs(self, schema: Schema, rows: Int32) -> Int64:
        if not isinstance(schema.cost, tuple):
            return np.full(len(rows), self.whole(schema.cost, schema.name), np.int64)
        name, terms = schema.cost
        return np.array(
            [self.value(schema, name, tuple(t if t >= 0 else row[-1 - t] for t in terms)) for row in rows.tolist()],
            np.int64,
        )

    def value(self, schema: Schema, function: str, arguments: tuple[int, ...]) -> int:
        """The cost that the initial state gives. As in VAL, a missing value is an error, not 0."""
        spell = self.lifted.problem.spell
        term = self.lifted.problem.text(function, *(self.lifted.objects[a] for a in arguments))
        if (function, arguments) not in self.lifted.values:
            what = f"{term} has no value in the problem, so the cost of {spell(schema.name)} is unknown"
            raise self.wrong_cost(schema.name, what)
        return self.whole(self.lifted.values[function, arguments], schema.name, f", {term},")

    def whole(self, cost: float, action: str, term: str = "") -> int:
        scaled = Fraction(str(cost)) * self.scale
        if scaled < 0 or scaled > MOST_COST:
            by = "" if self.scale == 1 else f", each of them times {self.scale}, so that none has a fraction"
            what = f"the cost of {self.lifted.problem.spell(action)}{term} is {cost_text(cost)}"
            raise self.wrong_cost(action, f"{what}; cplan plans with costs from 0 to {MOST_COST}{by}")
        return int(scaled)

    def wrong_cost(self, action: str, what: str) -> InputError:
        """The error, at the place of the action's cost if that is known."""
        place = self.lifted.problem.cost_places.get(action)
        return PddlError(place, what) if place else InputError(what)

    # -- binding by binding ----------------------------------------------------------------------------------

    def by_binding(self, schema: Schema, rows: Int32) -> _Batch:
        found: list[tuple[int, Conjunction, list[int], list[int]]] = []  # row, precondition, added, deleted
        conditional: list[tuple[Conjunction, list[int], list[int]]] = []
        counts: list[int] = []  # of conditional effects
        parameters = range(len(schema.parameters))
        free = {e: logic.free_variables(e.condition) | logic.free_variables(e.literal) for e in schema.effects}
        common = [e for e in schema.effects if free[e].isdisjoint(parameters)]
        own = [e for e in schema.effects if e not in common]
        shared = self.ground_effects(common, {}, {})  # the same for every binding, so grounded once
        for i, row in enumerate(rows.tolist()):
            binding = dict(enumerate(row))
            disjuncts = self.instantiator.dnf(schema.precondition, binding)
            if not disjuncts:
                continue
            effects = self.ground_effects(own, binding, shared)
            if len(found) + len(disjuncts) > self.max_operators:
                action = self.lifted.problem.spell(schema.name)
                raise TooLargeError(
                    f"{action} has more than {self.max_operators} operators (--max-operators), one for each way to "
                    "meet its precondition: rewrite its `or`, `imply` or `exists`"
                )
            when = [(c, a, d) for c, (a, d) in effects.items() if c]
            for condition in disjuncts:
                found.append((i, condition, *effects.get(frozenset(), ([], []))))
                conditional.extend(when)
                counts.append(len(when))
        positive = {c: wanted(c) for c in {c for c, _, _ in conditional}}  # many have the same condition
        negative = {c: unwanted(c) for c in positive}
        lengths = np.array(counts, np.int64)
        end = np.cumsum(lengths)
        kept = [row for row, _, _, _ in found]
        operators = Operators(
            pre=lists_of(wanted(c) for _, c, _, _ in found),
            npre=lists_of(unwanted(c) for _, c, _, _ in found),
            add=lists_of(added for _, _, added, _ in found),
            delete=lists_of(deleted for _, _, _, deleted in found),
            effect_start=end - lengths,
            effect_end=end,
            cond_pre=lists_of(positive[c] for c, _, _ in conditional),
            cond_npre=lists_of(negative[c] for c, _, _ in conditional),
            cond_add=lists_of(a for _, a, _ in conditional),
            cond_delete=lists_of(d for _, _, d in conditional),
            cost=self.costs(schema, rows[kept]),
        )
        return _Batch(rows[kept], operators)

    def ground_effects(
        self, lifted: Sequence[Effect], binding: dict[int, int], shared: dict[Conjunction, tuple[list[int], list[int]]]
    ) -> dict[Conjunction, tuple[list[int], list[int]]]:
        """Condition → (added, deleted) facts, including those of ``shared``; the empty condition has the unconditional
        effects."""
        effects: dict[Conjunction, tuple[list[int], list[int]]] = {}
        for effect in lifted:
            for bound in self.instantiator.bindings(effect.variables, binding, effect.condition):
                terms = tuple(t if t >= 0 else bound[-1 - t] for t in effect.literal.terms)
                fact = self.indices[effect.literal.predicate].one(terms)
                if fact < 0:
                    continue
                for condition in self.instantiator.dnf(effect.condition, bound):
                    effects.setdefault(condition, ([], []))[0 if effect.literal.positive else 1].append(fact)
        for condition in effects.keys() & shared.keys():
            (added, deleted), (own_added, own_deleted) = shared[condition], effects[condition]
            effects[condition] = (added + own_added, deleted + own_deleted)
        return {**shared, **effects}


class _Batch(NamedTuple):
    """The operators of one schema, and their arguments: int32 (operators, parameters)."""

    rows: Int32
    operators: Operators


def may_lack_costs(lifted: Lifted) -> bool:
    """Whether an action that may be applicable may have no cost, or one out of range."""
    limit = MOST_COST // _scale(lifted)
    for schema in lifted.schemas:
        costs, ways = [schema.cost] if not isinstance(schema.cost, tuple) else [], 1
        if isinstance(schema.cost, tuple):
            name, terms = schema.cost
            costs = [value for (function, _), value in lifted.values.items() if function == name]
            used = {-1 - term for term in terms if term < 0}
            ways = math.prod(len(lifted.members[schema.parameters[v]]) for v in used)
        if len(costs) < ways or any(not 0 <= cost <= limit for cost in costs):
            return True
    return False


def _scale(lifted: Lifted) -> int:
    """The least factor by which all costs become integers."""
    functions = {schema.cost[0] for schema in lifted.schemas if isinstance(schema.cost, tuple)}
    values = [schema.cost for schema in lifted.schemas if not isinstance(schema.cost, tuple)]
    values += [value for (name, _), value in lifted.values.items() if name in functions]
    return math.lcm(*(Fraction(str(value)).denominator for value in values))


def _join(parts: list[Operators]) -> Operators:
    """The operators of all parts, in order."""
    counts = np.concatenate([np.zeros(0, np.int64), *(part.effect_end - part.effect_start for part in parts)])
    end = np.cumsum(counts)
    return Operators(
        **{name: concatenate_lists([getattr(part, name) for part in parts]) for name in ROWS},
        effect_start=end - counts,
        effect_end=end,
        cost=np.concatenate([np.zeros(0, np.int64), *(part.cost for part in parts)]),
    )


def _rows_of(columns: list[Int32], count: int) -> Lists:
    """Ragged rows from columns of equal length, -1 left out."""
    if not columns:
        return Lists(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(0, np.int32))
    table = np.stack(columns, axis=1)
    present = table >= 0
    lengths = present.sum(axis=1).astype(np.int64)
    end = np.cumsum(lengths)
    return Lists(end - lengths, end, table[present].astype(np.int32))
