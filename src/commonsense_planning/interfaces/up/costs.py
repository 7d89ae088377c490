"""What actions cost in a unified-planning problem: numbers, looked up by arguments.

unified-planning lets a cost be any expression over facts that never change. Each is computed once for every binding of
the parameters that it depends on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from unified_planning.model.walkers import Simplifier

from commonsense_planning.errors import InputError


@dataclass(frozen=True)
class ActionPrice:
    """The cost of an action: a number for the names of the arguments at ``places`` (from 0); none for arguments without
    a cost in the problem."""

    places: tuple[int, ...]
    table: Mapping[tuple[str, ...], Fraction]

    def of(self, arguments: tuple[str, ...]) -> Fraction:
        """The cost with these arguments. Raises InputError if the problem gives none."""
        key = tuple(arguments[place] for place in self.places)
        if key not in self.table:
            raise InputError(f"the problem gives no cost for an action with ({' '.join(arguments)})")
        return self.table[key]


def prices(problem: Any, values_of: Callable[[Any], Mapping[str, Any]]) -> dict[str, ActionPrice]:
    """The price of each action of a unified-planning problem by the action's name there; empty where the problem has no
    metric of costs. ``values_of``: what a parameter of a type can be, by name.

    Raises InputError for several metrics, for an action without a cost, and for one that is negative.
    """
    if len(problem.quality_metrics) > 1:
        raise InputError("cplan plans with one metric")
    if not any(metric.is_minimize_action_costs() for metric in problem.quality_metrics):
        return {}
    (metric,) = problem.quality_metrics
    simplifier = Simplifier(problem.environment, problem)  # knows the facts that never change
    return {
        action.name: _price(action, metric.get_action_cost(action), simplifier, values_of) for action in problem.actions
    }


def _price(
    action: Any, cost: Any, simplifier: Simplifier, values_of: Callable[[Any], Mapping[str, Any]]
) -> ActionPrice:
    if cost is None:
        raise InputError(f"the metric gives the action {action.name} no cost")
    mentioned = {node.parameter() for node in _nodes(cost) if node.is_parameter_exp()}
    places = tuple(place for place, parameter in enumerate(action.parameters) if parameter in mentioned)
    domains = [values_of(action.parameters[place].type) for place in places]
    table = {}
    for names in itertools.product(*domains):
        binding = {
            action.parameters[place]: domain[name] for place, domain, name in zip(places, domains, names, strict=True)
        }
        value = simplifier.simplify(cost.substitute(binding))
        if value.is_constant():
            table[names] = Fraction(value.constant_value())
            if table[names] < 0:
                raise InputError(f"the action {action.name} may cost {value}, and cplan plans with costs from 0")
    return ActionPrice(places, table)


def _nodes(expression: Any) -> Iterator[Any]:
    yield expression
    for part in expression.args:
        yield from _nodes(part)
