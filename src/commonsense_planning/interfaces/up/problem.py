"""Translates a unified-planning problem to cplan's form, and plans and facts back.

The problem is written as PDDL nodes (``writing.py``), which are checked, normalised and built like those of files,
without an intermediate text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from unified_planning.plans import ActionInstance, SequentialPlan

from commonsense_planning.errors import InputError
from commonsense_planning.interfaces.up.writing import Written, write
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import problem_of
from commonsense_planning.pddl.source import Source

CLASSICAL = frozenset(
    {
        "ACTION_BASED",
        "FLAT_TYPING",
        "HIERARCHICAL_TYPING",
        "NEGATIVE_CONDITIONS",
        "DISJUNCTIVE_CONDITIONS",
        "EQUALITIES",
        "EXISTENTIAL_CONDITIONS",
        "UNIVERSAL_CONDITIONS",
        "CONDITIONAL_EFFECTS",
        "FORALL_EFFECTS",
        "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
        "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
        "OBJECT_FLUENTS",
        "STATIC_FLUENTS_IN_OBJECT_ASSIGNMENTS",
        "FLUENTS_IN_OBJECT_ASSIGNMENTS",
        "BOOL_FLUENT_PARAMETERS",
        "BOOL_ACTION_PARAMETERS",
        "STATE_INVARIANTS",
        "TRAJECTORY_CONSTRAINTS",
        "PLAN_LENGTH",
        "ACTIONS_COST",
        "STATIC_FLUENTS_IN_ACTIONS_COST",
        "INT_NUMBERS_IN_ACTIONS_COST",
        "REAL_NUMBERS_IN_ACTIONS_COST",
        "UNDEFINED_INITIAL_NUMERIC",
    }
)
"""unified-planning's names for the features that are translated. The only numbers are what actions cost."""

CONTINGENT = CLASSICAL | {"CONTINGENT", "UNDEFINED_INITIAL_SYMBOLIC"}
"""Those of a problem that leaves open what is true at first; its sensing actions show it."""


@dataclass(frozen=True)
class Translated:
    """``source``, a problem of unified-planning, as cplan's ``problem``, whose domain has no name; ``written`` maps the
    names."""

    source: Any
    problem: Problem
    written: Written

    def instance(self, step: Step) -> Any:
        """The ``ActionInstance`` of the user's action for a step."""
        return ActionInstance(
            self.written.actions[step.action], tuple(self.written.values[name] for name in step.arguments)
        )

    def fact(self, expression: Any) -> str:
        """A fluent with its arguments in PDDL. Raises InputError for an expression that is not a fact of the
        problem."""
        names = {value: name for name, value in self.written.values.items()}
        fluent = expression.fluent() if expression.is_fluent_exp() else None
        known = fluent in self.written.predicates and names.keys() >= {*expression.args}
        if not known or not expression.type.is_bool_type():
            raise InputError(f"{expression} is not a fact of the problem")
        return f"({' '.join((self.written.predicates[fluent], *(names[argument] for argument in expression.args)))})"

    def to_user(self, plan: Plan) -> Any:
        """A plan as a ``SequentialPlan`` of the user's actions and objects."""
        return SequentialPlan([self.instance(step) for step in plan], self.source.environment)

    def from_user(self, plan: Any) -> Plan:
        """A ``SequentialPlan`` as cplan's plan; actions and objects that are not the problem's keep their names."""
        actions = {action.name: name for name, action in self.written.actions.items()}
        values = {value: name for name, value in self.written.values.items()}
        return Plan(
            tuple(
                Step(
                    actions.get(instance.action.name, instance.action.name),
                    tuple(values.get(value, str(value)) for value in instance.actual_parameters),
                )
                for instance in plan.actions
            )
        )

    def cost(self, plan: Plan) -> Fraction:
        """The cost of a plan in the user's measure; its length if the problem has no costs. Raises InputError if a cost
        is missing."""
        if not self.written.prices:
            return Fraction(len(plan))
        return sum((self.written.prices[step.action].of(step.arguments) for step in plan), Fraction(0))


def translate(problem: Any, supported: frozenset[str] = CLASSICAL) -> Translated:
    """Translates a unified-planning problem that has only ``supported`` features. Raises InputError for what PDDL, or
    cplan, cannot express.
    """
    features = problem.kind.features
    if features - supported:
        told = ", ".join(sorted(feature.lower().replace("_", " ") for feature in features - supported))
        raise InputError(f"cplan does not plan with {told}")
    written, path = write(problem), Path(f"<{problem.name or 'a problem'}>")
    domain, task = (Source(path, "", node) for node in (written.domain, written.problem))
    return Translated(problem, replace(problem_of(check_domain(domain), task), domain_name=""), written)
