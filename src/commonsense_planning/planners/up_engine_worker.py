"""The child process in which a unified-planning engine solves a task: compile, solve, map the plan back.

A request has ``domain`` and ``problem`` (files), ``engine``, its ``parameters``, and whether its search is known to be
``complete``, so that it proves that there is no plan when it finds none. The answer has ``status`` and ``reason``, or
why the task is ``unsupported``, the plan's ``steps`` (lists of normalised names) if there is one, and, if the engine is
unknown, the ``engines`` that exist.

Features that an engine does not support are compiled away by unified-planning's compilers, except for quantifiers and
equalities, which ``up_task`` removes. The order matters: removing conditional effects introduces negative conditions
and disjunctions, and negative conditions are last because every other pass may leave some.

A request with the ``order`` of the engines to try is for files that cplan does not represent: unified-planning reads
them, and nothing is compiled away. The answer has the engines that are ``installed``, and what the task has that each
is ``lacking``; or why the files are ``unread``, at its place. If the request names an ``engine``, or has an empty name,
that one, or the first that lacks nothing, solves the task, and if it fails, the next. The answer names it, and has the
``times`` of the steps, the ``decomposition``, and whether the metric was ``unheeded``.
"""

from __future__ import annotations

import re
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
from unified_planning.io import PDDLReader
from unified_planning.plans import HierarchicalPlan, PlanKind, TimeTriggeredPlan

from commonsense_planning.errors import Status
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners.unconstrained import without_constraints
from commonsense_planning.planners.up_task import WRITTEN_OUT, to_up
from commonsense_planning.support.workers import serve

_STATUSES = {
    "SOLVED_SATISFICING": Status.SOLVED,
    "SOLVED_OPTIMALLY": Status.SOLVED,
    "UNSOLVABLE_PROVEN": Status.UNSOLVABLE,
    "UNSOLVABLE_INCOMPLETELY": Status.UNSOLVED,
    "TIMEOUT": Status.BUDGET,
    "MEMOUT": Status.BUDGET,
}
_PASSES = (
    ("CONDITIONAL_EFFECTS", ConditionalEffectsRemover, CompilationKind.CONDITIONAL_EFFECTS_REMOVING),
    ("DISJUNCTIVE_CONDITIONS", DisjunctiveConditionsRemover, CompilationKind.DISJUNCTIVE_CONDITIONS_REMOVING),
    ("NEGATIVE_CONDITIONS", NegativeConditionsRemover, CompilationKind.NEGATIVE_CONDITIONS_REMOVING),
)
_PLACE = re.compile(r"line: ?(\d+), col:? ?(\d+)")
_MAY_BE_UNUSED = {"UNDEFINED_INITIAL_NUMERIC"}  # an engine fails only if it meets such a value
COMPILED_AWAY = WRITTEN_OUT | {feature for feature, _, _ in _PASSES}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answers a request, in the child process."""
    environment = up.get_environment()
    environment.credits_stream = None
    factory = environment.factory
    if "order" in request:
        return _of_files(request, factory)
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


def _of_files(request: dict[str, Any], factory: Any) -> dict[str, Any]:
    """The answer about files that cplan does not represent."""
    factory.environment.error_used_name = False  # one name for a type and an object, say, is fine PDDL
    kinds = {name: factory.engine(name) for name in factory.engines if "[" not in name}
    planners = [name for name, kind in kinds.items() if kind.is_oneshot_planner() and not kind.is_plan_repairer()]
    found: dict[str, Any] = {"installed": planners}
    file = "domain.pddl"
    try:
        PDDLReader().parse_problem(request["domain"])
        file = "problem.pddl"
        task = PDDLReader().parse_problem(request["domain"], request["problem"])
    except Exception as error:  # noqa: BLE001 (those of its parser, its own, and assertions)
        place = _PLACE.search(str(error))
        said = " ".join((getattr(error, "msg", None) or str(error) or type(error).__name__).split())
        return {**found, "unread": f"{file}:{f'{place[1]}:{place[2]}:' if place else ''} {said}"}
    features, plain = task.kind.features, task.clone()
    plain.clear_quality_metrics()
    needed, only, first = plain.kind.features, request.get("engine"), request["order"]
    names = [only] if only else [*first, *(name for name in planners if name not in first)]
    supported = {name: kinds[name].supported_kind().features for name in names if name in planners}
    names = sorted(supported, key=lambda name: bool(needed - supported[name]))  # those that support all are first
    lacking = {name: _words(needed - supported[name] - _MAY_BE_UNUSED) for name in names}
    found["lacking"] = lacking = {name: no for name, no in lacking.items() if not no or name in (*first, only)}
    failed: list[str] = []
    for name in [name for name, lacks in lacking.items() if name == only or not lacks] if only is not None else ():
        unheeded = not features <= needed | supported[name]
        status, reason, plan = _solved(name, plain if unheeded else task)
        if needed - supported[name] and status is Status.UNSOLVABLE:
            status = Status.UNSOLVED  # it may have taken the task for another one
        lacks = f" (it does not support {lacking[name]})" if lacking[name] else ""
        failed.append(reason if status else f"{name} failed{lacks}: {reason}")
        found |= {"engine": name, "unheeded": unheeded, **plan}
        found |= _ended(status or Status.UNSOLVED, "; ".join(filter(None, failed)))
        if status is not None:
            break
    return found


def _solved(name: str, task: Any) -> tuple[Status | None, str, dict[str, Any]]:
    """How an engine ended: the status, None if it failed, the reason, and its plan as plain data."""
    try:
        with up.OneshotPlanner(name=name) as planner:
            result = planner.solve(task)
        if result.plan is not None:
            return Status.SOLVED, "", _plain(result.plan, task)
    except Exception as error:  # noqa: BLE001 (whatever an engine raises)
        return None, " ".join(str(error).split())[:300] or type(error).__name__, {}
    logged = [line.strip() for message in result.log_messages or [] for line in message.message.splitlines()]
    reason = ": ".join((result.status.name.lower().replace("_", " "), *list(filter(None, logged))[-1:]))[:300]
    return _STATUSES.get(result.status.name), reason, {}


def _plain(plan: Any, task: Any) -> dict[str, Any]:
    decomposition, times = "", []
    if isinstance(plan, HierarchicalPlan):
        decomposition, plan = repr(plan.decomposition), plan.action_plan
    if isinstance(plan, TimeTriggeredPlan):
        timed = sorted(plan.timed_actions, key=lambda one: one[0])
        times = [[float(start), None if duration is None else float(duration)] for start, _, duration in timed]
        instances = [instance for _, instance, _ in timed]
    else:
        instances = plan.convert_to(PlanKind.SEQUENTIAL_PLAN, task).actions
    steps = [[one.action.name, *map(str, one.actual_parameters)] for one in instances]
    return {"steps": steps, "times": times, "decomposition": decomposition}


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
