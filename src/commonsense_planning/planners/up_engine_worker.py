"""The child process that lets a unified-planning engine solve a task: compile, solve, map the plan back.

A request names ``domain`` and ``problem`` (files), ``engine``, its ``parameters``, whether its search is
known to be ``complete``, so that finding no plan proves that there is none, and whether to ``check`` only if
the engine can take the task. The answer holds ``status`` and ``reason``, the plan's ``steps`` (lists of
normalised names) if there is one, and where the engine is not known the ``engines`` that are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners.result import Status
from commonsense_planning.support.workers import serve

_STATUSES = {
    "SOLVED_SATISFICING": Status.SOLVED,
    "SOLVED_OPTIMALLY": Status.SOLVED,
    "UNSOLVABLE_PROVEN": Status.UNSOLVABLE,
    "TIMEOUT": Status.TIMEOUT,
    "UNSUPPORTED_PROBLEM": Status.UNSUPPORTED,
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request; runs in the child process."""
    import unified_planning.shortcuts as up
    from unified_planning.exceptions import UPUnsupportedProblemTypeError

    from commonsense_planning.planners.up_compile import COMPILED_AWAY, compile_away
    from commonsense_planning.planners.up_task import to_up

    environment = up.get_environment()
    environment.credits_stream = None
    factory = environment.factory
    engines = sorted(name for name in factory.engines if factory.engine(name).is_oneshot_planner())
    if request["engine"] not in engines:
        return {"status": Status.UNSUPPORTED, "reason": "", "engines": engines}
    supported = factory.engine(request["engine"]).supported_kind().features
    problem = read_problem(Path(request["domain"]), Path(request["problem"]))
    translated = to_up(problem, supported)
    task = translated.problem
    missing = task.kind.features - supported - COMPILED_AWAY
    if missing:
        return _told(Status.UNSUPPORTED, f"it does not support {_words(missing)}")
    if request["check"]:
        return _told(Status.SOLVED)
    compiled = compile_away(task, supported)
    if compiled:
        task = compiled[-1].problem
    if any(goal.is_false() for goal in task.goals):
        return _told(Status.UNSOLVABLE, "the goal contradicts itself or facts that never change")
    left = task.kind.features - supported
    if left:
        return _told(Status.UNSUPPORTED, f"after compilation the task still has {_words(left)}")
    try:
        with up.OneshotPlanner(name=request["engine"], params=request["parameters"]) as planner:
            result = planner.solve(task)
    except UPUnsupportedProblemTypeError as error:
        return _told(Status.UNSUPPORTED, str(error))
    status = _STATUSES.get(result.status.name, Status.FAILED)
    if result.status.name == "UNSOLVABLE_INCOMPLETELY" and request["complete"]:
        status = Status.UNSOLVABLE
    if status is not Status.SOLVED:
        return _told(status, result.status.name.lower().replace("_", " "))
    plan = result.plan
    for step in reversed(compiled):
        plan = plan.replace_action_instances(step.map_back_action_instance)
    steps = [
        translated.origins[instance.action.name].step(
            value.object().name for value in instance.actual_parameters
        )
        for instance in plan.actions
    ]
    return {**_told(status), "steps": steps}


def _told(status: Status, reason: str = "") -> dict[str, Any]:
    return {"status": status, "reason": reason}


def _words(features: set[str]) -> str:
    return ", ".join(sorted(feature.lower().replace("_", " ") for feature in features))


if __name__ == "__main__":
    serve(answer)
