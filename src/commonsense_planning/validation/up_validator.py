"""unified-planning's plan validator, asked in a child process because it can be slow on large tasks.

It reads the user's own files with its own reader, so that it is independent of ours. What that reader refuses
makes the verdict unavailable: derived predicates, types stated twice, constraints in the domain, and more.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from commonsense_planning.errors import BudgetError
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.workers import Worker, WorkerError, serve, stand_in, waiting
from commonsense_planning.validation.verdict import Report, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from commonsense_planning.pddl.plan import Plan
    from commonsense_planning.pddl.problem import Problem

NAME = "unified-planning"

# Modules that unified-planning imports, with the names that it takes from them at once, and that neither its reader of
# PDDL nor its validator of sequential plans uses: ConfigSpace for the return type of a method that no validator has,
# networkx for partial orders and causal graphs, the others for planners that it starts. Loading them takes five times
# as long as all the rest. What would use one of them after all fails, so that the verdict is unavailable, never wrong.
NEEDLESS = {
    "ConfigSpace": ["ConfigurationSpace"],
    "networkx": ["DiGraph"],
    "asyncio": [],
    "asyncio.subprocess": ["PIPE"],
    "multiprocessing": ["Process", "Queue"],
}

SMALLEST = (
    "(define (domain smallest) (:predicates (p)) (:action a :parameters () :effect (p)))",
    "(define (problem smallest) (:domain smallest) (:init) (:goal (p)))",
)


def waiting_validator() -> AbstractContextManager[Worker]:
    """The validator as a child process that loads its libraries from now on, and then waits."""
    return waiting(__name__)


def read_ahead(validator: Worker, domain: Path, problem: Path) -> None:
    """Have one of ``waiting_validator`` read the files of the task whose plan it will be asked about."""
    validator.announce(_files(domain, problem))


def _files(domain: Path, problem: Path) -> dict[str, str]:
    return {"domain": str(domain.resolve()), "problem": str(problem.resolve())}


def validate_with_up(
    problem: Problem, plan: Plan, limit: Limit | None = None, validator: Worker | None = None
) -> Report:
    """unified-planning's verdict on ``plan``; unavailable if it refuses the task or takes longer than ``limit`` says.

    ``validator`` is one of ``waiting_validator``, which can be asked once; without it, one is started.
    """
    request = {
        "files": _files(problem.domain_file, problem.problem_file),
        "steps": [[step.action, *step.arguments] for step in plan],
        "constraints": len(problem.always),
    }
    try:
        with nullcontext(validator) if validator else waiting_validator() as worker:
            answer = worker.ask(request, limit or Limit())
    except (WorkerError, BudgetError) as error:
        return Report(NAME, Verdict.UNAVAILABLE, reason=str(error))
    step = answer["step"]
    action = str(plan.steps[step - 1]) if step is not None else ""
    return Report(NAME, Verdict(answer["verdict"]), step, action, answer["reason"])


def _load() -> None:
    """Load what validation needs, as far as it does not depend on the task; runs in the child process."""
    for module, names in NEEDLESS.items():
        stand_in(module, names)
    # As it is imported, unified-planning asks git about the folder that we are in. No other program is needed either.
    os.environ["PATH"] = os.devnull
    import unified_planning.engines
    from pyparsing import ParserElement
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader
    from unified_planning.model.mixins import ObjectsSetMixin

    # Its reader of another language has pyparsing remember what it found at each place. The reader of PDDL hardly ever
    # comes to a place twice, and takes twice as long with that.
    ParserElement.disable_memoization()
    _look_objects_up(ObjectsSetMixin)
    # An environment's factory imports every engine that is installed. Nobody asks it: we name the validator ourselves.
    unified_planning.engines.Factory = lambda environment: None
    environment = get_environment()
    environment.credits_stream = None
    environment.error_used_name = False  # one name for a type and an object, say, is fine PDDL
    PDDLReader().parse_problem_string(*SMALLEST)  # the first reader prepares what all of them use


@cache
def _read(domain: str, problem: str) -> Any:
    """The task in these files; runs in the child process, ahead of the request if it was announced."""
    from unified_planning.io import PDDLReader

    return PDDLReader().parse_problem(domain, problem)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Validate the request's plan; runs in the child process."""
    from unified_planning.engines import FailedValidationReason, SequentialPlanValidator, ValidationResultStatus
    from unified_planning.exceptions import UPProblemDefinitionError, UPTypeError
    from unified_planning.plans import ActionInstance, SequentialPlan

    task = _read(**request["files"])
    kept = len(task.state_invariants)
    if kept != request["constraints"]:  # it drops those that are always true or always false
        told = f"its reader keeps {kept} of {request['constraints']} constraints"
        return _told(Verdict.UNAVAILABLE, told)
    expressions = task.environment.expression_manager
    instances = []
    for number, (name, *arguments) in enumerate(request["steps"], start=1):
        # unified-planning's reader puts the files into lower case
        if not task.has_action(name.lower()):
            return _told(Verdict.INVALID, f"no action is called {name}", number)
        action = task.action(name.lower())
        if len(action.parameters) != len(arguments):
            told = f"{name} takes {len(action.parameters)} arguments, not {len(arguments)}"
            return _told(Verdict.INVALID, told, number)
        unknown = [argument for argument in arguments if not task.has_object(argument.lower())]
        if unknown:
            return _told(Verdict.INVALID, f"no object is called {unknown[0]}", number)
        objects = [expressions.ObjectExp(task.object(argument.lower())) for argument in arguments]
        try:
            instances.append(ActionInstance(action, objects))
        except UPTypeError as error:
            return _told(Verdict.INVALID, str(error), number)
    validator = SequentialPlanValidator()
    validator.error_on_failed_checks = False  # as the factory has it for an engine that is named: it warns
    try:
        result = validator.validate(task, SequentialPlan(instances))
    except UPProblemDefinitionError as error:
        if "violates the state invariants" not in str(error):
            raise
        return _told(Verdict.INVALID, "a constraint is violated in the initial state")
    if result.status is ValidationResultStatus.VALID:
        return _told(Verdict.VALID)
    said = " ".join(message.message for message in result.log_messages or [])
    if result.reason is FailedValidationReason.UNSATISFIED_GOALS:
        return _told(Verdict.INVALID, said)
    if "violates state invariants" in said:
        return _told(Verdict.INVALID, "a constraint is violated after this step", len(result.trace))
    # An action that unified-planning cannot instantiate, one without effects say, may still be fine PDDL.
    verdict = Verdict.INVALID if said.startswith("Preconditions ") else Verdict.UNAVAILABLE
    return _told(verdict, said, len(result.trace))


def _look_objects_up(objects_set: Any) -> None:
    """Have unified-planning find objects by their names in a table.

    It goes through the list of all objects, four times for each argument of each initial fact; with 3,000 objects that
    is most of the time of reading.
    """
    at_first = objects_set.object

    def table(task: Any) -> dict[str, Any]:
        known: dict[str, Any] = task.__dict__.setdefault("objects_by_name", {})
        for new in task.all_objects[len(known) :]:
            known[new.name] = new
        return known

    def find(task: Any, name: str) -> Any:
        known = table(task)
        return known[name] if name in known else at_first(task, name)  # which raises the right error

    def has(task: Any, name: str) -> bool:
        return name in table(task)

    objects_set.object, objects_set.has_object = find, has


def _told(verdict: Verdict, reason: str = "", step: int | None = None) -> dict[str, Any]:
    return {"verdict": verdict, "reason": reason, "step": step}


if __name__ == "__main__":
    serve(_answer, _load, lambda files: _read(**files))
