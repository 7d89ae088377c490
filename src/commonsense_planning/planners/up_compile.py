"""Compile away what a unified-planning engine does not support, with unified-planning's own compilers.

The order matters: grounding decides equalities, splitting conditional effects brings in negative conditions and
disjunctions, and negative conditions go last because every other pass may leave some.

unified-planning's grounder fails on an action with two static conditions on one parameter, and without static
conditions tries every combination of objects. So it is told which bindings to use: those for which the
action's static conditions hold.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import unified_planning.shortcuts as up
from tarski.fstrips import UniversalEffect
from tarski.syntax.formulas import Atom, CompoundFormula, QuantifiedFormula
from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers import (
    ConditionalEffectsRemover,
    DisjunctiveConditionsRemover,
    Grounder,
    NegativeConditionsRemover,
    QuantifiersRemover,
)

from commonsense_planning.pddl.evaluation import Formulas, conjuncts
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.replay import initial_state

_QUANTIFIERS = frozenset({"EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS", "FORALL_EFFECTS"})
COMPILED_AWAY = _QUANTIFIERS | {
    "EQUALITIES",
    "CONDITIONAL_EFFECTS",
    "DISJUNCTIVE_CONDITIONS",
    "NEGATIVE_CONDITIONS",
}


def compile_away(problem: Problem, task: Any, supported: Set[str]) -> list[Any]:
    """unified-planning's compiler results, in the order in which the passes ran; the last one's problem is the one to
    solve. ``task`` is ``problem`` for unified-planning; ``supported`` are the features that may stay."""
    results: list[Any] = []

    def run(compiler: Any, kind: Any, features: Set[str]) -> None:
        current = results[-1].problem if results else task
        if features & (current.kind.features - supported):
            results.append(compiler.compile(current, kind))

    run(QuantifiersRemover(), CompilationKind.QUANTIFIERS_REMOVING, _QUANTIFIERS)
    current = results[-1].problem if results else task
    if {"EQUALITIES", "CONDITIONAL_EFFECTS"} & (current.kind.features - supported):
        grounder = Grounder(grounding_actions_map=_bindings(problem, current))
        results.append(grounder.compile(current, CompilationKind.GROUNDING))
    run(ConditionalEffectsRemover(), CompilationKind.CONDITIONAL_EFFECTS_REMOVING, {"CONDITIONAL_EFFECTS"})
    run(DisjunctiveConditionsRemover(), CompilationKind.DISJUNCTIVE_CONDITIONS_REMOVING, {"DISJUNCTIVE_CONDITIONS"})
    run(NegativeConditionsRemover(), CompilationKind.NEGATIVE_CONDITIONS_REMOVING, {"NEGATIVE_CONDITIONS"})
    return results


def _bindings(problem: Problem, task: Any) -> dict[Any, list[tuple[Any, ...]]]:
    """For each action of ``task`` its parameters' values for which the action's static conditions hold at first, and so
    for ever."""
    formulas = Formulas(problem)
    state = initial_state(problem)
    changing = {name for action in problem.tarski.actions.values() for name in _changed(action.effects)}
    bindings = {}
    for action in task.actions:
        lifted = problem.tarski.actions[action.name]
        static = [part for part in conjuncts(lifted.precondition) if not _predicates(part) & changing]
        join = formulas.join(lifted.parameters, static)
        bindings[action] = [
            tuple(up.ObjectExp(task.object(found[parameter.symbol])) for parameter in lifted.parameters)
            for found in formulas.assignments(join, state, {})
        ]
    return bindings


def _changed(effects: Any) -> set[str]:
    """The predicates that effects change."""
    names = set()
    for effect in effects:
        names |= _changed(effect.effects) if isinstance(effect, UniversalEffect) else {effect.atom.predicate.symbol}
    return names


def _predicates(formula: Any) -> set[str]:
    """The names of the predicates in a formula, equality left out."""
    match formula:
        case Atom():
            return set() if formula.predicate.builtin else {formula.predicate.symbol}
        case CompoundFormula():
            return set().union(*map(_predicates, formula.subformulas))
        case QuantifiedFormula():
            return _predicates(formula.formula)
    return set()
