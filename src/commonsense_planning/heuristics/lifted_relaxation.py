"""Heuristics of the delete relaxation for a task that is too large to ground: its actions are decomposed first.

The delete relaxation of a lifted task is a logic program with weights: a rule for each effect of an action, whose body
is the action's precondition (Corrêa, Francès, Pommerening and Helmert, ICAPS 2021, section 4). A parameter that the
effect does not mention is eliminated: the conditions that mention it become a rule without cost, whose head, a
*projection*, has their other parameters and replaces them. So making a sandwich of any bread with any filling takes one
instance per bread, one per filling and one per sandwich, instead of one for each combination. The smallest projection
comes first, as in bucket elimination for queries. The result is again a lifted task, for grounding and kernels.

h_max is that of the task itself, unless conditions of one action contradict each other. So is h_add, unless a fact
satisfies two conditions of an action: it counts twice if these are in two rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.grounding import ground_lifted
from commonsense_planning.grounding.lifted import Effect, Lifted, Schema, Terms
from commonsense_planning.grounding.lifted_successors import Atom, Facts, LiftedOperator, LiftedTask
from commonsense_planning.heuristics.delete_relaxation import FF
from commonsense_planning.heuristics.registry import HeuristicKind
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.state import make_state

RELAXATIONS = ("ff", "add", "max")
"""The heuristics of the registry that depend only on the delete relaxation."""

_Rule = tuple[int, tuple[int, ...], logic.Formula]  # cost, types of the parameters, precondition
_Order = dict[int, int]  # variable of an action → its number in a rule


class _Use(NamedTuple):
    """A rule as used for an effect of an action; ``predicate`` and ``head``: those of its projection."""

    order: _Order
    predicate: int = -1
    head: tuple[int, ...] = ()


class _Origin(NamedTuple):
    """The origin of a rule for an effect: the action's number, the use of the rule and those of its projections, each
    after its users."""

    schema: int
    uses: tuple[_Use, ...]


class LiftedRelaxation:
    """A heuristic of ``kind``, one of ``RELAXATIONS``, on sets of facts, with unit costs. Not thread-safe. Raises
    TooLargeError if even the projections have more than ``max_operators`` instances."""

    def __init__(self, task: LiftedTask, kind: HeuristicKind, max_operators: int = MAX_OPERATORS) -> None:
        self._task = task
        self._decomposition = Decomposition(task.lifted)
        self._ground = ground = ground_lifted(self._decomposition.task(), (), max_operators)[0]
        self._compiled = compile_task(ground)
        self._heuristic, self._ff = kind.make(ground, self._compiled, False), FF(self._compiled)
        spell, objects = task.lifted.problem.spell, task.objects
        self._numbers = {(spell(p), *(objects[o] for o in terms)): n for n, (p, terms) in enumerate(ground.facts)}
        self._state, self._truth = Facts(), np.zeros(ground.fact_count, np.bool_)

    def __call__(self, state: Facts) -> float:
        """h of a state; infinite if there is no plan even without deletes."""
        self._go_to(state)
        return self._heuristic(make_state(self._compiled, self._truth))

    def after(self, state: Facts, added: Facts, deleted: Facts) -> float:
        """h of ``state`` without ``deleted`` and with ``added``."""
        self._go_to(state)
        truth = self._truth.copy()
        truth[self._of(deleted)] = False
        truth[self._of(added)] = True
        return self._heuristic(make_state(self._compiled, truth))

    def helpful(self, state: Facts) -> Iterator[LiftedOperator]:
        """The operators of a relaxed plan that are applicable in the state, which has to be the task's current one
        (Hoffmann and Nebel 2001, section 5.3)."""
        self._go_to(state)
        plan = self._ff.relaxed_plan(make_state(self._compiled, self._truth))
        ground, added = self._ground, self._ground.operators.add
        origins = [self._decomposition.origins[schema] for schema in ground.schema[list(plan)].tolist()]
        projections = [o for o, rules in zip(plan, origins, strict=True) if not rules]
        makes = {ground.facts[int(added.row(o)[0])]: o for o in projections}
        found: dict[LiftedOperator, None] = {}
        for operator, rules in zip(plan, origins, strict=True):
            for origin in rules:
                found[self._whole(origin, operator, makes)] = None
        yield from (operator for operator in found if self._task.applicable(operator))

    def _whole(self, origin: _Origin, operator: int, makes: dict[tuple[str, Terms], int]) -> LiftedOperator:
        """The operator that contains an instance of a rule. ``makes``: fact → the projection's instance that
        achieves it."""
        lifted, bound = self._task.lifted, dict[int, int]()
        for use in origin.uses:
            if use.predicate >= 0:
                name = self._decomposition.name(use.predicate)
                operator = makes[name, tuple(bound[v] for v in use.head)]
            arguments = self._ground.arguments[operator].tolist()
            bound.update((v, arguments[place]) for v, place in use.order.items())
        schema = lifted.schemas[origin.schema]
        numbers = (bound.get(v, lifted.members[t][0]) for v, t in enumerate(schema.parameters))
        names = tuple(self._task.objects[o] for o in numbers)
        return LiftedOperator(origin.schema, lifted.problem.spell(schema.name), names)

    def _go_to(self, state: Facts) -> None:
        if state is not self._state:
            self._truth[self._of(self._state - state)] = False
            self._truth[self._of(state - self._state)] = True
            self._state = state

    def _of(self, atoms: Iterable[Atom]) -> list[int]:
        """The numbers of the reachable ones among the atoms."""
        return [number for atom in atoms if (number := self._numbers.get(atom)) is not None]


class Decomposition:
    """The rules of a task's delete relaxation. ``origins``: those of each rule, none for projections."""

    def __init__(self, lifted: Lifted) -> None:
        self._lifted = lifted
        self._arities = list(lifted.arities)
        self._projections: dict[_Rule, logic.Literal] = {}
        self._rules: dict[_Rule, tuple[str, list[Effect]]] = {}  # with the name of one of its actions
        origins: dict[_Rule, list[_Origin]] = {}
        conditions = [schema.precondition for schema in lifted.schemas]
        conditions += [effect.condition for schema in lifted.schemas for effect in schema.effects]
        negated = (literal for condition in (*conditions, lifted.goal) for literal in logic.literals(condition))
        falsified = {literal.predicate for literal in negated if not literal.positive}
        for number, schema in enumerate(lifted.schemas):
            for effect in schema.effects:
                if effect.literal.positive or effect.literal.predicate in falsified:
                    found = self._add(schema, effect)
                    if found is not None:
                        rule, uses = found
                        origins.setdefault(rule, []).append(_Origin(number, uses))
        self.origins = tuple(tuple(origins.get(rule, ())) for rule in self._rules)

    def name(self, predicate: int) -> str:
        """The name of a projection, which no predicate of a problem can have."""
        return f"projection {predicate}"

    def task(self) -> Lifted:
        """A task with the same delete relaxation, with the module's exceptions: a schema of cost 1 for each rule with
        an effect, one of cost 0 for each projection. It deletes only facts that some condition wants false."""
        old = self._lifted
        new = range(len(old.predicates), len(self._arities))
        schemas = [
            Schema(name, types, precondition, tuple(effects), cost)
            for (cost, types, precondition), (name, effects) in self._rules.items()
        ]
        return replace(
            old,
            predicates=(*old.predicates, *map(self.name, new)),
            arities=tuple(self._arities),
            fluent=old.fluent.union(new),
            schemas=tuple(schemas),
        )

    def _add(self, schema: Schema, effect: Effect) -> tuple[_Rule, tuple[_Use, ...]] | None:
        """The last rule for one effect, and its uses; None if no operator can achieve the effect."""
        types = dict(enumerate(schema.parameters)) | dict(effect.variables)
        parts = [*logic.conjuncts(logic.simplify(logic.And((schema.precondition, effect.condition))))]
        left, uses = set(types) - logic.free_variables(effect.literal), list[_Use]()
        while left:
            v = min(left, key=lambda v: (len(_together(v, parts)), v))
            left.remove(v)
            about = [part for part in parts if v in logic.free_variables(part)]
            if not about and not self._lifted.members[types[v]]:
                return None
            if 0 < len(about) < len(parts):
                rest = [part for part in parts if v not in logic.free_variables(part)]
                projection, use = self._projection(schema.name, types, about, sorted(_together(v, parts) - {v}))
                parts = [projection, *rest]
                uses.append(use)
        rule, order = self._rule(1, types, parts, sorted(logic.free_variables(effect.literal)))
        literal = logic.renumbered(effect.literal, order)
        assert isinstance(literal, logic.Literal)
        self._rules.setdefault(rule, (schema.name, []))[1].append(Effect((), logic.TRUE, literal))
        return rule, (_Use(order), *reversed(uses))

    def _projection(
        self, name: str, types: dict[int, int], parts: list[logic.Formula], head: list[int]
    ) -> tuple[logic.Literal, _Use]:
        """The replacement of some conditions, with the variables of its ``head``."""
        rule, order = self._rule(0, types, parts, head)
        if rule not in self._projections:
            self._projections[rule] = logic.Literal(len(self._arities), tuple(-1 - order[v] for v in head))
            self._rules[rule] = name, [Effect((), logic.TRUE, self._projections[rule])]
            self._arities.append(len(head))
        predicate = self._projections[rule].predicate
        return logic.Literal(predicate, tuple(-1 - v for v in head)), _Use(order, predicate, tuple(head))

    def _rule(
        self, cost: int, types: dict[int, int], parts: list[logic.Formula], head: list[int]
    ) -> tuple[_Rule, _Order]:
        """A rule with variables numbered from 0, those of its head first."""
        body = logic.And(tuple(parts))
        variables = [*head, *sorted(logic.free_variables(body) - {*head})]
        order = {v: number for number, v in enumerate(variables)}
        return (cost, tuple(types[v] for v in variables), logic.simplify(logic.renumbered(body, dict(order)))), order


def _together(v: int, parts: Iterable[logic.Formula]) -> frozenset[int]:
    """The variables of the conditions that mention ``v``."""
    return frozenset().union(*(free for part in parts if v in (free := logic.free_variables(part))))
