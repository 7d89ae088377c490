"""Compile away what a unified-planning engine does not support, with unified-planning's own compilers.

Quantifiers and equalities are gone when a task comes here, see ``up_task``. The order matters: splitting
conditional effects brings in negative conditions and disjunctions, and negative conditions go last because
every other pass may leave some.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers import (
    ConditionalEffectsRemover,
    DisjunctiveConditionsRemover,
    NegativeConditionsRemover,
)

from commonsense_planning.planners.up_task import WRITTEN_OUT

_PASSES = (
    ("CONDITIONAL_EFFECTS", ConditionalEffectsRemover, CompilationKind.CONDITIONAL_EFFECTS_REMOVING),
    ("DISJUNCTIVE_CONDITIONS", DisjunctiveConditionsRemover, CompilationKind.DISJUNCTIVE_CONDITIONS_REMOVING),
    ("NEGATIVE_CONDITIONS", NegativeConditionsRemover, CompilationKind.NEGATIVE_CONDITIONS_REMOVING),
)
COMPILED_AWAY = WRITTEN_OUT | {feature for feature, _, _ in _PASSES}


def compile_away(problem: Any, supported: Set[str]) -> list[Any]:
    """unified-planning's compiler results, in the order in which the passes ran; the last one's problem is
    the one to solve. ``supported`` are the features that may stay."""
    results: list[Any] = []
    for feature, compiler, kind in _PASSES:
        # A negated conjunction, which splitting conditional effects leaves, is not counted as disjunctive.
        if feature in problem.kind.features - supported or (results and feature not in supported):
            results.append(compiler().compile(problem, kind))
            problem = results[-1].problem
            _drop_impossible(problem)
    return results


def _drop_impossible(problem: Any) -> None:
    """Take the actions out whose preconditions contradict themselves; engines stumble over "false"."""
    possible = [
        action
        for action in problem.actions
        if not any(condition.simplify().is_false() for condition in action.preconditions)
    ]
    if len(possible) < len(problem.actions):
        problem.clear_actions()
        problem.add_actions(possible)
