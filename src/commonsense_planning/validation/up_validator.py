"""unified-planning's plan validator, asked in a child process because it can be slow on large tasks.

It reads the user's files with its own reader, so that it is independent of cplan's. If that reader rejects them, for
example for constants that are also objects, it gets the task in normal form, and the report mentions that. It does not
support derived predicates.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from commonsense_planning.errors import BudgetError
from commonsense_planning.pddl.trajectories import ALWAYS
from commonsense_planning.support.english import counted
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.workers import WorkerError, ask, serve
from commonsense_planning.validation.verdict import Report, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from commonsense_planning.pddl.plan import Plan
    from commonsense_planning.pddl.problem import Problem

NAME = "unified-planning"


def validate_with_up(problem: Problem, plan: Plan, timeout: float | None = None) -> Report:
    """unified-planning's verdict on ``plan``; unavailable if it refuses the task or takes longer than ``timeout``
    seconds."""
    other = next((c.operator for c in problem.constraints if c.operator is not ALWAYS), None)
    if other is not None:
        return Report(NAME, Verdict.UNAVAILABLE, reason=f"it knows no constraints but 'always', and there is '{other}'")
    limit = Limit(timeout)
    with problem.plain_files() as files:
        found = _asked(files, plan, plan, problem, timeout)
    if found.verdict is not Verdict.UNAVAILABLE or problem.normal_text is None or problem.derived or limit.left <= 0:
        return found
    with problem.normal_files() as files:
        again = _asked(files, problem.in_normal_form(plan), plan, problem, None if timeout is None else limit.left)
    return found if again.verdict is Verdict.UNAVAILABLE else again.in_normal_form(found)


def _asked(files: tuple[Path, Path], asked: Plan, plan: Plan, problem: Problem, timeout: float | None) -> Report:
    """The verdict on ``asked`` for these files; ``plan`` is the same in the user's spelling."""
    domain, file = map(str, files)
    request = {"domain": domain, "problem": file, "steps": steps_of(asked), "constraints": len(problem.constraints)}
    if problem.needs:
        request["times"] = asked.times
    try:
        return report(plan, ask(__name__, request, timeout))
    except (WorkerError, BudgetError) as error:
        return Report(NAME, Verdict.UNAVAILABLE, reason=str(error))


class Judge:
    """One task in unified-planning's validator, for any number of plans. Raises the errors of its reader."""

    def __init__(self, domain: str, problem: str, constraints: int) -> None:
        from unified_planning.engines import SequentialPlanValidator
        from unified_planning.environment import get_environment
        from unified_planning.io import PDDLReader

        environment = get_environment()
        environment.credits_stream = None
        environment.error_used_name = False  # one name for a type and an object, say, is fine PDDL
        self._task = PDDLReader().parse_problem(domain, problem)
        self._constraints = constraints
        self._validator = SequentialPlanValidator()
        self._validator.error_on_failed_checks = False  # as in the factory for a named engine: it warns

    def judge(self, steps: list[list[str]], times: list[list[float | None]] | None = None) -> dict[str, Any]:
        """The verdict on a plan, with an action's name and its arguments for each step. ``times``: see ``Plan``, for a
        task that has needs."""
        from unified_planning.engines import FailedValidationReason, ValidationResultStatus
        from unified_planning.exceptions import UPProblemDefinitionError, UPTypeError
        from unified_planning.model.walkers import StateEvaluator
        from unified_planning.plans import ActionInstance, SequentialPlan

        task = self._task
        kept = len(task.state_invariants)
        if times is None and kept != self._constraints:  # it drops those that are always true or always false
            return _verdict(Verdict.UNAVAILABLE, f"its reader keeps {kept} of {self._constraints} constraints")
        expressions = task.environment.expression_manager
        instances = []
        for number, (name, *arguments) in enumerate(steps, start=1):
            # unified-planning's reader puts the files into lower case
            if not task.has_action(name.lower()):
                return _verdict(Verdict.INVALID, f"no action is called {name}", number)
            action = task.action(name.lower())
            if len(action.parameters) != len(arguments):
                words = f"{name} takes {counted(len(action.parameters), 'argument')}, not {len(arguments)}"
                return _verdict(Verdict.INVALID, words, number)
            unknown = [argument for argument in arguments if not task.has_object(argument.lower())]
            if unknown:
                return _verdict(Verdict.INVALID, f"no object is called {unknown[0]}", number)
            objects = [expressions.ObjectExp(task.object(argument.lower())) for argument in arguments]
            try:
                instances.append(ActionInstance(action, objects))
            except UPTypeError as error:
                return _verdict(Verdict.INVALID, str(error), number)
        if times is not None:
            return self._judge_beyond(instances, times)
        try:
            result = self._validator.validate(task, SequentialPlan(instances))
        except UPProblemDefinitionError as error:
            if "violates the state invariants" not in str(error):
                raise
            return _verdict(Verdict.INVALID, "a constraint is violated in the initial state")
        if result.status is ValidationResultStatus.VALID:
            return _verdict(Verdict.VALID)
        said = " ".join(message.message for message in result.log_messages or [])
        if result.reason is FailedValidationReason.UNSATISFIED_GOALS:
            return _verdict(Verdict.INVALID, said)
        if "violates state invariants" in said:
            return _verdict(Verdict.INVALID, "a constraint is violated after this step", len(result.trace))
        step = len(result.trace)
        # The static facts make the precondition of an "Invalid Action" false: it is not instantiated, and the plan is
        # invalid. An action that it cannot apply although the precondition holds, such as for its costs, may be fine.
        state, instance = result.trace[-1], instances[step - 1]
        values = dict(zip(instance.action.parameters, instance.actual_parameters, strict=True))
        conditions = [condition.substitute(values) for condition in instance.action.preconditions]
        unmet = [c for c in conditions if not StateEvaluator(task).evaluate(c, state).bool_constant_value()]
        if unmet:
            return _verdict(Verdict.INVALID, f"Preconditions {unmet} are not satisfied", step)
        return _verdict(Verdict.UNAVAILABLE, said, step)

    def _judge_beyond(self, instances: list[Any], times: list[list[float | None]]) -> dict[str, Any]:
        from unified_planning.engines import TimeTriggeredPlanValidator, ValidationResultStatus
        from unified_planning.plans import SequentialPlan, TimeTriggeredPlan

        validator = TimeTriggeredPlanValidator() if times else self._validator
        beyond = self._task.kind.features - validator.supported_kind().features - {"UNDEFINED_INITIAL_NUMERIC"}
        if beyond:
            return _verdict(Verdict.UNAVAILABLE, f"it does not know {', '.join(sorted(beyond)).lower()}")
        validator.error_on_failed_checks = False
        exact = [[None if value is None else Fraction(str(value)) for value in pair] for pair in times]
        timed = [(start, one, length) for one, (start, length) in zip(instances, exact, strict=False)]
        result = validator.validate(self._task, TimeTriggeredPlan(timed) if times else SequentialPlan(instances))
        said = " ".join(message.message for message in result.log_messages or [])
        valid = result.status is ValidationResultStatus.VALID
        return (
            _verdict(Verdict.VALID)
            if valid
            else _verdict(Verdict.INVALID, said or result.reason.name.lower().replace("_", " "))
        )


def report(plan: Plan, answer: dict[str, Any]) -> Report:
    """A judge's verdict on ``plan``."""
    step = answer["step"]
    action = str(plan.steps[step - 1]) if step is not None else ""
    return Report(NAME, Verdict(answer["verdict"]), step, action, answer["reason"])


def steps_of(plan: Plan) -> list[list[str]]:
    """The plan as a judge takes it."""
    return [[step.action, *step.arguments] for step in plan]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Validates the request's plan; runs in the child process."""
    judge = Judge(request["domain"], request["problem"], request["constraints"])
    return judge.judge(request["steps"], request.get("times"))


def _verdict(verdict: Verdict, reason: str = "", step: int | None = None) -> dict[str, Any]:
    return {"verdict": verdict, "reason": reason, "step": step}


if __name__ == "__main__":
    serve(answer)
