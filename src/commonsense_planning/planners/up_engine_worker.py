"""The child process in which a unified-planning engine solves a task: compile, solve, map the plan back.

A request has ``domain`` and ``problem`` (files), ``engine``, its ``parameters``, and whether its search is known to be
``complete``, so that it proves that there is no plan when it finds none. The answer has ``status`` and ``reason``, or
why the task is ``unsupported``, the plan's ``steps`` (lists of normalised names) if there is one, and, if the engine is
unknown, the ``engines`` that exist.

Features that an engine does not support are compiled away by unified-planning's compilers, except for quantifiers and
equalities, which ``up_task`` removes. The order matters: removing conditional effects introduces negative conditions
and disjunctions, and negative conditions are last because every other pass may leave some.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any

import unified_planning.shortcuts as up
from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers import (
    ConditionalEffectsRemover,
    DisjunctiveConditionsRemover,
    NegativeConditionsRemover,
)
from unified_planning.exceptions import UPUnsupportedProblemTypeError

from commonsense_planning.errors import Status
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners.unconstrained import without_constraints
from commonsense_planning.planners.up_task import WRITTEN_OUT, to_up
from commonsense_planning.support.workers import serve

_STATUSES = {
    "SOLVED_SATISFICING": Status.SOLVED,
    "SOLVED_OPTIMALLY": Status.SOLVED,
    "UNSOLVABLE_PROVEN": Status.UNSOLVABLE,
    "TIMEOUT": Status.BUDGET,
}
_PASSES = (
    ("CONDITIONAL_EFFECTS", ConditionalEffectsRemover, CompilationKind.CONDITIONAL_EFFECTS_REMOVING),
    ("DISJUNCTIVE_CONDITIONS", DisjunctiveConditionsRemover, CompilationKind.DISJUNCTIVE_CONDITIONS_REMOVING),
    ("NEGATIVE_CONDITIONS", NegativeConditionsRemover, CompilationKind.NEGATIVE_CONDITIONS_REMOVING),
)
COMPILED_AWAY = WRITTEN_OUT | {feature for feature, _, _ in _PASSES}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answers a request, in the child process."""
    environment = up.get_environment()
    environment.credits_stream = None
    factory = environment.factory
    engines = sorted(name for name in factory.engines if factory.engine(name).is_oneshot_planner())
    if request["engine"] not in engines:
        return {"engines": engines}
    supported = factory.engine(request["engine"]).supported_kind().features
    problem = read_problem(Path(request["domain"]), Path(request["problem"]))
    unconstrained = without_constraints(problem) if problem.constraints else None
    if unconstrained is not None:
        problem = unconstrained.read()
    translated = to_up(problem, supported)
    task = translated.problem
    missing = task.kind.features - supported - COMPILED_AWAY
    if missing:
        return {"unsupported": f"it does not support {_words(missing)}"}
    compiled = compile_away(task, supported)
    if compiled:
        task = compiled[-1].problem
    if any(goal.is_false() for goal in task.goals):
        return _ended(Status.UNSOLVABLE, "the goal contradicts itself or facts that never change")
    left = task.kind.features - supported
    if left:
        return {"unsupported": f"after compilation the task still has {_words(left)}"}
    try:
        with up.OneshotPlanner(name=request["engine"], params=request["parameters"]) as planner:
            result = planner.solve(task)
    except UPUnsupportedProblemTypeError as error:
        return {"unsupported": str(error)}
    if result.status.name == "UNSUPPORTED_PROBLEM":
        return {"unsupported": "unsupported problem"}
    status = _STATUSES.get(result.status.name, Status.UNSOLVED)
    if result.status.name == "UNSOLVABLE_INCOMPLETELY" and request["complete"]:
        status = Status.UNSOLVABLE
    if status is not Status.SOLVED:
        return _ended(status, result.status.name.lower().replace("_", " "))
    plan = result.plan
    for step in reversed(compiled):
        plan = plan.replace_action_instances(step.map_back_action_instance)
    steps = [
        translated.origins[instance.action.name].step(value.object().name for value in instance.actual_parameters)
        for instance in plan.actions
    ]
    if unconstrained is not None:
        written = ([problem.spell(name) for name in step] for step in steps)
        steps = [step for step in written if step[0] != unconstrained.finish]
    return {**_ended(status), "steps": steps}


def compile_away(problem: Any, supported: Set[str]) -> list[Any]:
    """unified-planning's compiler results, in the order of the passes; the last one's problem is the one to solve.
    ``supported``: the features that may remain."""
    results: list[Any] = []
    for feature, compiler, kind in _PASSES:
        # A negated conjunction, which the removal of conditional effects leaves, does not count as disjunctive.
        if feature in problem.kind.features - supported or (results and feature not in supported):
            results.append(compiler().compile(problem, kind))
            problem = results[-1].problem
            actions = problem.actions  # engines do not handle "false"
            possible = [a for a in actions if not any(part.simplify().is_false() for part in a.preconditions)]
            if len(possible) < len(actions):
                problem.clear_actions()
                problem.add_actions(possible)
    return results


def _ended(status: Status, reason: str = "") -> dict[str, Any]:
    return {"status": status, "reason": reason}


def _words(features: set[str]) -> str:
    return ", ".join(sorted(feature.lower().replace("_", " ") for feature in features))


if __name__ == "__main__":
    serve(answer)
